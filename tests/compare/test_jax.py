"""Kernels of JAX, held against a trusted function in float64, which needs x64."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import secant
from secant import Verdict

X = jnp.asarray(np.linspace(-2.0, 2.0, 24).reshape(4, 6), jnp.float32)


def softmax(x):
    return jnp.exp(x) / jnp.exp(x).sum(-1, keepdims=True)


def test_a_right_kernel_passes_and_a_wrong_one_is_found():
    with jax.enable_x64(True):
        assert secant.compare(jax.nn.softmax, softmax, X)
        assert secant.compare(jax.nn.softmax, softmax, X, dtype="bfloat16")
        wrong = secant.compare(lambda x: jax.nn.softmax(x * 1.001), softmax, X)
        assert wrong.verdict is Verdict.FAIL


def test_without_x64_there_is_no_truth_and_the_error_says_so():
    with pytest.raises(secant.InputError, match="no float64 while x64 is off"):
        secant.compare(jax.nn.softmax, softmax, X)
