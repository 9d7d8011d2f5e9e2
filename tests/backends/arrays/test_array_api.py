"""Arrays of the Array API standard, known by nothing but their namespace."""

from __future__ import annotations

import array_api_strict as xp
import numpy as np
import pytest
import scipy.sparse as sparse

import secant
from secant import Verdict

A = xp.asarray(np.random.default_rng(0).normal(size=(3, 4)))
B = xp.asarray(np.random.default_rng(1).normal(size=(4, 2)))
Z = xp.asarray(np.random.default_rng(2).normal(size=5) + 1j)


def product(a, b):
    return a @ b


def product_pull(a, b, v):
    return v @ b.T, a.T @ v


@pytest.mark.parametrize("probe", ["fast", "full"])
def test_a_right_derivative_passes_and_a_wrong_one_fails(probe):
    report = secant.check(product, A, B, pull=product_pull, probe=probe, laws="all")
    assert report.verdict is Verdict.PASS, str(report)
    wrong = secant.check(
        product, A, B, pull=lambda a, b, v: (v @ b.T, 1.01 * (a.T @ v)), probe=probe
    )
    assert wrong.verdict is Verdict.FAIL
    assert "∂out[" in str(wrong)
    assert "∂b[" in str(wrong)


@pytest.mark.parametrize("dtype", [xp.float32, xp.float64, xp.complex64, xp.complex128], ids=str)
def test_every_dtype_of_the_standard_is_checked(dtype):
    x = xp.astype(Z if "complex" in str(dtype) else A, dtype)

    def pull(x, v):
        cosine = xp.cos(x)
        return (xp.conj(cosine) if "complex" in str(dtype) else cosine) * v

    assert secant.check(xp.sin, x, pull=pull, push=lambda x, u: xp.cos(x) * u)
    assert not secant.check(xp.sin, x, pull=lambda x, v: 1.125 * pull(x, v))


def test_gradients_and_jacobians_are_read_as_arrays_of_the_namespace_or_sparse():
    row = A[0, :]
    assert secant.check(lambda x: xp.sum(x**2), A, gradient=lambda x: 2 * x)
    assert secant.check(lambda x: x**2, row, jacobian=lambda x: xp.eye(4) * 2 * x)
    assert secant.check(
        lambda x: x**2, row, jacobian=lambda x: sparse.diags_array(2 * np.asarray(x))
    )
    assert secant.check(xp.real, Z, pull=lambda z, v: v)  # a real gradient of a complex leaf


def test_nothing_is_touched_and_writes_are_seen():
    kept = np.asarray(A).copy()

    def rude(x):
        x[0, 0] = 3.0
        return x

    report = secant.check(rude, A, pull=lambda x, v: v)
    assert "mutation" in {one.kind for one in report.findings if one.verdict is Verdict.FAIL}
    assert np.array_equal(np.asarray(A), kept)


def test_without_a_derivative_it_is_said_what_to_pass():
    with pytest.raises(secant.InputError, match=r"expected a derivative of `sin`"):
        secant.check(xp.sin, A)


def test_another_array_is_no_gradient():
    report = secant.check(xp.sin, A, pull=lambda x, v: np.asarray(xp.cos(x) * v))
    assert report.worst.message == (
        "`pull` returned an array of numpy of shape (3, 4) as the gradient of x; expected an "
        "array of array_api"
    )
