"""A finding is confirmed without secant: a script of a few lines, the framework and mpmath."""

from __future__ import annotations

import subprocess
import sys

import pytest

from secant._audit.confirm import confirmation, write_scripts
from secant._audit.plan import Item
from secant._catalogues.catalogues import Sample, catalogue
from secant._report.suite import Case

torch = pytest.importorskip("torch")


def labels(name, *inputs, order=1):
    found = catalogue("torch")
    function = getattr(torch, name)
    return confirmation(found, Item(name, "float64"), Sample(function, inputs), order)


def point(*numbers):
    return torch.tensor(numbers, dtype=torch.float64, requires_grad=True)


def test_the_worst_entry_is_held_to_the_truth():
    told = labels("sinc", point(0.5, 1e-8, 0.25))
    assert told == {"truth": "confirmed: off by 0.36 of the truth", "at": "1e-08", "order": "1"}


def test_a_claim_that_is_not_finite_is_confirmed_where_the_truth_is():
    told = labels("sinc", point(0.5, 0.0), order=2)
    assert told == {"truth": "confirmed: not finite", "at": "0.0", "order": "2"}


def test_a_right_claim_is_not_confirmed():
    told = labels("sin", point(0.5, 0.0))
    assert told == {"truth": "not confirmed: the closed form agrees with the claim"}


@pytest.mark.parametrize(("name", "count"), [("cumsum", 1), ("atan2", 2)])
def test_what_has_no_closed_form_is_said_to_have_none(name, count):
    told = labels(name, *[point(0.5)] * count)
    assert told == {"truth": "not confirmed: no closed form is known here"}


def test_a_script_runs_by_itself(tmp_path):
    told = {"operator": "sinc", "dtype": "float64", **labels("sinc", point(1e-8))}
    (script,) = write_scripts(tmp_path / "new", catalogue("torch"), [Case("sinc", labels=told)])
    assert script.name == "sinc_order_1.py"
    assert "secant" not in script.read_text()
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("claimed -2.1")
    assert done.stdout.endswith("exact -3.2898681e-8: off by 0.36 of it\n")


def test_a_script_of_jax_sets_its_digits_first():
    pytest.importorskip("jax")
    found = catalogue("jax")
    script = found.script("jax.scipy.special.spence", 1.5, "float64", 1)
    assert "jax.grad(jax.scipy.special.spence)(x)" in script
    assert "mpmath.polylog(2, 1 - x)" in script
    assert found.preamble("float64").splitlines()[-1].startswith("jax.config.update(")
    assert found.preamble("float32") == ""
