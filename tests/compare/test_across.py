"""A kernel of one framework against a reference of another: leaves travel by NumPy."""

from __future__ import annotations

import autograd.numpy as anp
import numpy as np
import pytest
import scipy.special
import torch

import secant
from secant import Verdict
from secant._backends.arrays.numpy import NumpyBackend

X = torch.randn(6, 8, generator=torch.Generator().manual_seed(0))


def softmax(x):
    return torch.softmax(x, -1)


def reference(x):
    return scipy.special.softmax(x, axis=-1)


def reference_pull(x, v):
    s = scipy.special.softmax(x, axis=-1)
    return s * (v - (s * v).sum(axis=-1, keepdims=True))


class SlightlyWrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.softmax(x, -1)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, v):
        (y,) = ctx.saved_tensors
        return 1.001 * y * (v - (y * v).sum(-1, keepdim=True))


ABROAD = {"reference_framework": "numpy", "reference_pull": reference_pull}


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_a_kernel_of_tensors_is_held_against_a_reference_of_numpy(dtype):
    comparison = secant.compare(softmax, reference, X, dtype=dtype, **ABROAD)
    assert comparison.verdict is Verdict.PASS, str(comparison)
    assert [row.what for row in comparison.rows] == ["out", "∂out / ∂x"]
    assert any(version.startswith("torch") for version in comparison.versions)
    is_modelled = "numpy has no bfloat16" in str(comparison)
    assert is_modelled == (dtype == "bfloat16")


def test_a_wrong_kernel_is_found_across_frameworks():
    comparison = secant.compare(SlightlyWrong.apply, reference, X, **ABROAD)
    assert comparison.verdict is Verdict.FAIL
    assert "kernel = 1.001 × truth" in str(comparison)
    assert comparison.rerun.endswith(
        'reference_framework="numpy", reference_pull=reference_pull, seed=1729)'
    )


def test_a_wrong_reference_pull_shows_too():
    wrong = {**ABROAD, "reference_pull": lambda x, v: 1.01 * reference_pull(x, v)}
    assert secant.compare(softmax, reference, X, **wrong).verdict is Verdict.FAIL


def test_the_other_way_round():
    comparison = secant.compare(
        reference, softmax, X.numpy(), pull=reference_pull, reference_framework="torch"
    )
    assert comparison.verdict is Verdict.PASS, str(comparison)


def test_two_functions_of_numpy_arrays_with_their_pulls():
    def plain(x):
        return np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)

    both = {"pull": reference_pull, "reference_pull": reference_pull}
    assert secant.compare(plain, reference, X.numpy(), **both)
    assert not secant.compare(lambda x: plain(x * 1.01), reference, X.numpy(), **both)


def test_autograd_needs_no_pull():
    assert secant.compare(torch.tanh, anp.tanh, X, reference_framework="numpy")


def test_complex_numbers_whole_numbers_and_several_inputs_travel():
    z = torch.complex(X, X.flip(0)).to(torch.complex64)
    index = torch.tensor([0, 5, 5, 2])

    comparison = secant.compare(
        lambda z, index: (z[index] * 2, index),
        lambda z, index: (z[index] * 2, index),
        z,
        index,
        reference_framework="numpy",
        reference_pull=lambda z, index, v: _scattered(z, index, 2 * v[0]),
    )
    assert comparison.verdict is Verdict.PASS, str(comparison)


def _scattered(z, index, v):
    gradient = np.zeros_like(z)
    np.add.at(gradient, index, v)
    return gradient


def test_what_is_missing_is_named(monkeypatch):
    monkeypatch.setattr(NumpyBackend, "transforms", lambda self: None)  # autograd is imported here
    with pytest.raises(secant.InputError, match=r"expected `reference_pull`, because arrays"):
        secant.compare(softmax, reference, X, reference_framework="numpy")
    with pytest.raises(secant.InputError, match=r"expected `reference_framework` to be one of"):
        secant.compare(softmax, reference, X, reference_framework="caffe")
    with pytest.raises(secant.InputError, match=r"expected `reference_pull` to be a function"):
        secant.compare(softmax, reference, X, reference_framework="numpy", reference_pull=3)


def test_outputs_alone_need_no_pull():
    comparison = secant.compare(softmax, reference, X, reference_framework="numpy", gradients=False)
    assert comparison.verdict is Verdict.PASS, str(comparison)
    assert [row.what for row in comparison.rows] == ["out"]


def test_nothing_is_touched():
    kept, state = X.clone(), np.random.get_state()[1].copy()  # noqa: NPY002 it is what is tested

    def rude(x):
        np.random.rand()  # noqa: NPY002
        x *= 1.0
        return scipy.special.softmax(x, axis=-1)

    secant.compare(softmax, rude, X, **ABROAD)
    assert torch.equal(X, kept)
    assert np.array_equal(np.random.get_state()[1], state)  # noqa: NPY002
