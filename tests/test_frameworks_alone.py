"""Each framework works where the other one is not installed: it is hidden from a fresh process."""

from __future__ import annotations

from pathlib import Path

import pytest

from hidden import run_without

IMPORTS_NONE = """
import secant
assert not {"torch", "jax", "jaxlib"} & set(sys.modules)
"""

TORCH = """
import torch
from secant.torch import gradcheck
x = torch.linspace(0.1, 1, 5, dtype=torch.float64)
print(secant.check(torch.sin, x, modes="all", order=2).verdict.name)
print(secant.compare(torch.sin, torch.sin, x.float()).verdict.name)
print(gradcheck(torch.sin, x.requires_grad_()))
"""

JAX = """
import jax.numpy as jnp
from secant.jax import check_grads
x = jnp.linspace(0.1, 1, 5)
print(secant.check(jnp.sin, x, modes="all", order=2).verdict.name)
print(secant.check(jnp.sin, {"w": x}["w"], probe="full").verdict.name)
print(check_grads(jnp.sin, (x,), 1) is None)
"""


@pytest.mark.parametrize(
    ("hidden", "code"), [(("jax", "jaxlib"), TORCH), (("torch",), JAX)], ids=["torch", "jax"]
)
def test_a_framework_alone_is_enough(hidden, code):
    done = run_without(hidden, IMPORTS_NONE + code)
    assert done.stdout.split() == ["PASS", "PASS", "True"], done.stderr


@pytest.mark.parametrize("module", ["secant.torch", "secant.jax"])
def test_a_drop_in_without_its_framework_says_which_one_is_missing(module):
    hidden = ("torch", "jax", "jaxlib")
    code = f"""
try:
    import {module}
except ModuleNotFoundError as error:
    print(error.name)
"""
    done = run_without(hidden, IMPORTS_NONE + code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == module.removeprefix("secant.")


def test_a_framework_that_cannot_be_used_does_not_stand_in_anothers_way():
    code = """
import types
sys.modules["jax"] = types.ModuleType("jax")
import secant, torch
print(secant.check(lambda x, n: x.sin() * n, torch.linspace(0, 1, 4, dtype=torch.float64), 2.0))
"""
    done = run_without((), code)
    assert done.stdout.startswith("PASS"), done.stderr


def test_the_cores_own_tests_run_without_any_framework():
    """On a toy autodiff: everything from the problem to the report, and comparison too."""
    folder = Path(__file__).parent
    files = [str(folder / "test_extend.py"), str(folder / "compare" / "test_toy_framework.py")]
    hidden = ("torch", "jax", "jaxlib", "autograd", "flax", "equinox")
    asked = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", *files]
    code = f"""
import pytest
sys.exit(pytest.main({asked!r}))
"""
    done = run_without(hidden, IMPORTS_NONE + code, folder=folder.parent)
    assert done.returncode == 0, done.stdout
    assert "skipped" not in done.stdout
