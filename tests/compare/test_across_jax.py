"""A kernel of torch tensors against a reference of JAX arrays, and the other way round."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import secant
from secant import Verdict

X = torch.randn(6, 8, generator=torch.Generator().manual_seed(0))


def kernel(x):
    return torch.softmax(x, -1)


def reference(x):
    return jax.nn.softmax(x, -1)


@pytest.fixture
def x64():
    with jax.enable_x64(True):
        yield


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_kernel_of_tensors_is_held_against_a_reference_of_jax(x64, dtype):
    comparison = secant.compare(kernel, reference, X, dtype=dtype, reference_framework="jax")
    assert comparison.verdict is Verdict.PASS, str(comparison)
    assert [row.what for row in comparison.rows] == ["out", "∂out / ∂x"]


def test_a_wrong_kernel_is_found(x64):
    wrong = secant.compare(lambda x: kernel(1.001 * x), reference, X, reference_framework="jax")
    assert wrong.verdict is Verdict.FAIL


def test_the_other_way_round(x64):
    x = jnp.asarray(X.numpy())
    comparison = secant.compare(reference, kernel, x, reference_framework="torch")
    assert comparison.verdict is Verdict.PASS, str(comparison)


def test_without_x64_there_is_no_truth_in_jax():
    with pytest.raises(secant.InputError, match="jax has no float64 unless jax_enable_x64"):
        secant.compare(kernel, reference, X, reference_framework="jax")


def test_derivatives_by_hand_of_jax_functions(x64):
    x = jnp.asarray(X.numpy().astype(np.float64))
    assert secant.check(
        jnp.sin, x, pull=lambda x, v: jnp.cos(x) * v, push=lambda x, u: jnp.cos(x) * u
    )
    assert not secant.check(jnp.sin, x, pull=lambda x, v: 1.01 * jnp.cos(x) * v)
    # what JAX cannot trace
    outside = secant.check(
        lambda x: jnp.asarray(np.sin(np.asarray(x))), x, pull=lambda x, v: jnp.cos(x) * v
    )
    assert outside.verdict is Verdict.PASS, str(outside)


def test_complex_pulls_of_jax_functions_pair_as_jax_does(x64):
    z = jnp.asarray(X.numpy()[0].astype(np.complex128)) + 1j
    assert secant.check(jnp.sin, z, pull=lambda z, v: jax.vjp(jnp.sin, z)[1](v)[0])
    assert not secant.check(jnp.sin, z, pull=lambda z, v: jnp.conj(jnp.cos(z)) * v)

    def loss(z):
        return (jnp.abs(z) ** 2).sum()

    assert secant.check(loss, z, gradient=jax.grad(loss))
