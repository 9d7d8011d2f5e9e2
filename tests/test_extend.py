"""The second door opens: a framework nobody has heard of is checked like any other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import secant
import secant.extend
import tinyad
from secant._backends import registry
from secant.extend import register
from tinyad import Variable, rule, sin, total
from tinyad_backend import TinyBackend

X = Variable(np.linspace(0.3, 1.7, 6).reshape(2, 3))
Y = Variable(np.linspace(-1.0, 1.0, 6).reshape(2, 3))


@pytest.fixture(autouse=True)
def tinyad_is_registered(monkeypatch):
    monkeypatch.setattr(registry, "_made", dict(registry._made))
    monkeypatch.setattr(registry, "_by_type", {})
    register("tinyad", TinyBackend())


def energy(x, y):
    return total(sin(x * y) * x)


wrong_sin = rule(np.sin, lambda v, x: v * tinyad.cos(x) * 1.05)
right_once = rule(np.sin, lambda v, x: v * Variable(np.cos(x.numbers)))
clipped_sin = rule(np.sin, lambda v, x: Variable(v.numbers.clip(-1, 1)) * tinyad.cos(x))


@pytest.mark.parametrize("probe", ["fast", "full"])
@pytest.mark.parametrize("modes", ["reverse", "forward", "all"])
def test_a_right_function_of_the_toy_framework_passes(probe, modes):
    report = secant.check(energy, X, Y, probe=probe, modes=modes)
    assert report.verdict is secant.Verdict.PASS, str(report)
    assert "tinyad 0" in report.versions


def test_what_the_toy_framework_does_not_have_is_said_and_not_passed_over():
    report = secant.check(energy, X, Y, laws="all")
    assert report.verdict is secant.Verdict.INCONCLUSIVE
    assert "the backward cannot be batched" in str(report)


@pytest.mark.parametrize("probe", ["fast", "full"])
@pytest.mark.parametrize("modes", ["reverse", "forward"])
def test_a_wrong_rule_of_the_toy_framework_fails(probe, modes):
    report = secant.check(wrong_sin, X, probe=probe, modes=modes)
    assert report.verdict is secant.Verdict.FAIL, str(report)
    assert report.worst.cause.endswith("a constant factor is wrong")
    assert report.worst.measured.value == pytest.approx(report.worst.claimed / 1.05)


def test_a_broken_law_is_named():
    report = secant.check(clipped_sin, X)
    assert {"linearity"} <= {one.kind for one in report.findings if one.verdict.name == "FAIL"}


def test_second_order_needs_nothing_of_the_framework_but_pulls_that_can_be_pulled():
    assert secant.check(energy, X, Y, order=2)
    assert secant.check(right_once, X)
    assert secant.check(right_once, X, order=2).verdict is secant.Verdict.FAIL


def test_float32_is_judged_by_its_own_roundoff():
    x = Variable(X.numbers.astype(np.float32))
    assert secant.check(sin, x)
    assert secant.check(wrong_sin, x).verdict is secant.Verdict.FAIL


def test_leaves_that_are_marked_are_the_ones_differentiated():
    report = secant.check(energy, tinyad.leaf(X.numbers), Y)
    assert {one.where for one in report.findings if one.kind == "derivative"} == {"∂out / ∂x"}


def test_the_core_needs_no_framework():
    """A process that checks with the toy framework alone never imports a real one."""
    script = (
        "import sys; sys.path.insert(0, 'tests')\n"
        "import secant.extend, tinyad, tinyad_backend\n"
        "secant.extend.register('tinyad', tinyad_backend.TinyBackend())\n"
        "print(secant.check(tinyad.sin, tinyad.Variable([0.5, 1.0])).verdict.name)\n"
        "print(sorted({'torch', 'jax', 'autograd'} & set(sys.modules)))\n"
    )
    root = Path(__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["PASS", "[]"]


def test_the_table_of_names_is_the_namespace():
    public = {name for name in vars(secant.extend) if not name.startswith("_")}
    assert public - {"annotations"} == set(secant.extend.__all__)


def test_zero_cotangents_are_zero_also_where_an_output_is_infinite():
    backend = TinyBackend()
    leaf = tinyad.leaf([np.inf, 1.0])
    (pulled,) = backend.pull_nothing([leaf + leaf], [leaf], ())
    assert pulled.numbers.tolist() == [0.0, 0.0]
