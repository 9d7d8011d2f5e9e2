"""Derivatives written by hand for functions of another framework's arrays."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import secant
from secant import Verdict

FLOAT = torch.float64
X = torch.linspace(-1, 2, 12, dtype=FLOAT).reshape(3, 4)
Y = torch.linspace(1, -1, 8, dtype=FLOAT).reshape(4, 2)


def product_pull(x, y, v):
    return v @ y.T, x.T @ v


def outside(x):
    """A function that autograd knows nothing of."""
    return torch.from_numpy(np.sin(x.numpy(force=True)))


@pytest.mark.parametrize("probe", ["fast", "full"])
@pytest.mark.parametrize("function", [torch.sin, outside])
def test_a_function_of_tensors_is_checked_against_a_derivative_by_hand(function, probe):
    right = secant.check(
        function, X, pull=lambda x, v: x.cos() * v, push=lambda x, u: x.cos() * u, probe=probe
    )
    assert right.verdict is Verdict.PASS, str(right)
    wrong = secant.check(function, X, pull=lambda x, v: 1.01 * x.cos() * v, probe=probe)
    assert wrong.verdict is Verdict.FAIL
    assert "claimed = 1.01 × measured" in str(wrong)


def test_what_autograd_says_is_not_asked():
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.sin()

        @staticmethod
        def backward(ctx, v):
            raise AssertionError("the derivative was given")

    assert secant.check(Wrong.apply, X, pull=lambda x, v: x.cos() * v)


def test_marked_leaves_are_the_ones_that_need_a_gradient():
    marked = X.clone().requires_grad_()
    assert secant.check(torch.matmul, marked, Y, pull=lambda x, y, v: v @ y.T)
    assert secant.check(torch.matmul, marked, Y, pull=lambda x, y, v: (v @ y.T, None))
    assert secant.check(torch.matmul, X, Y, pull=product_pull)
    assert marked.grad is None


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.complex128])
def test_dtypes_of_tensors(dtype):
    x = X.to(dtype)
    assert secant.check(torch.sin, x, pull=lambda x, v: x.cos().conj() * v)
    assert not secant.check(torch.sin, x, pull=lambda x, v: 1.25 * x.cos().conj() * v)


def test_gradients_and_jacobians_of_tensors():
    assert secant.check(lambda x: (x**2).sum(), X, gradient=lambda x: 2 * x)
    assert secant.check(lambda x: x**2, X[0].clone(), jacobian=lambda x: torch.diag(2 * x))
    assert secant.check(
        lambda x: x**2, X, jacobian=lambda x: torch.diag(2 * x.flatten()).to_sparse()
    )


def test_an_array_of_another_framework_is_no_gradient():
    report = secant.check(torch.sin, X, pull=lambda x, v: (x.cos() * v).numpy())
    assert report.worst.message.endswith(
        "returned an array of numpy of shape (3, 4) as the gradient of input0; expected an array "
        "of torch"
    )


def test_arrays_of_numpy_beside_tensors_are_constants():
    mask = np.ones((3, 4))

    def masked(mask, x):
        return x * torch.from_numpy(mask)

    assert secant.check(masked, mask, X, pull=lambda mask, x, v: v * torch.from_numpy(mask))
    assert secant.check(masked, mask, X.clone().requires_grad_())


@pytest.mark.parametrize("masked", [False, True])
def test_sparse_leaves_get_dense_or_sparse_gradients(masked):
    dense = X * (X > 0)
    sparse = dense.to_sparse()

    def pull(x, v):
        return v @ Y.T

    def stored(x, v):
        return (v @ Y.T).sparse_mask(x.coalesce())

    def product(x):
        return torch.sparse.mm(x, Y)

    derivative = stored if masked else pull
    right = secant.check(product, sparse, pull=derivative, masked=masked)
    assert right.verdict is Verdict.PASS, str(right)
    wrong = secant.check(product, sparse, pull=lambda x, v: 1.01 * derivative(x, v), masked=masked)
    assert wrong.verdict is Verdict.FAIL, str(wrong)
