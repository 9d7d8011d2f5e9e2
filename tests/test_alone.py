"""Each framework alone: the others are hidden, and nothing misses them."""

from __future__ import annotations

import pytest

from hidden import run_without

NUMPY = """
import numpy as np, secant
x = np.linspace(0.1, 1, 5)
report = secant.check(np.sin, x, pull=lambda x, v: np.cos(x) * v, push=lambda x, u: np.cos(x) * u)
print(report.verdict.name)
wrong = secant.check(lambda x: x @ x, x, gradient=lambda x: x)
print(wrong.verdict.name, '0.5 × measured' in str(wrong))
"""
SPARSE = """
import scipy.sparse
print(secant.check(np.sin, x, jacobian=lambda x: scipy.sparse.diags(np.cos(x))).verdict.name)
"""
AUTOGRAD = """
import autograd.numpy as anp
print(secant.check(lambda x: anp.sin(x) * x, x, order=2).verdict.name)
"""
TORCH = """
import torch, secant
print(secant.check(torch.sin, torch.linspace(0, 1, 5, dtype=torch.float64)).verdict.name)
x = torch.linspace(0, 1, 5)
print(secant.check(torch.sin, x, pull=lambda x, v: x.cos() * v).verdict.name)
"""


def run(code: str, *hidden: str) -> list[str]:
    left = f"\nimport sys; print(sorted(set({hidden!r}) & set(sys.modules)))"
    done = run_without(hidden, code + left)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_numpy_works_with_torch_and_jax_hidden():
    answers = run(NUMPY + SPARSE + AUTOGRAD, "torch", "jax", "jaxlib")
    assert answers == ["PASS", "FAIL", "True", "PASS", "PASS", "[]"]


@pytest.mark.parametrize("hidden", ["torch", "jax"])
def test_numpy_works_with_one_of_them_hidden(hidden):
    assert run(NUMPY, hidden) == ["PASS", "FAIL", "True", "[]"]


def test_numpy_needs_neither_scipy_nor_autograd():
    answers = run(NUMPY, "scipy", "autograd", "array_api_strict", "torch", "jax")
    assert answers == ["PASS", "FAIL", "True", "[]"]


def test_torch_works_with_jax_and_everything_of_numpy_hidden():
    assert run(TORCH, "jax", "scipy", "autograd") == ["PASS", "PASS", "[]"]
