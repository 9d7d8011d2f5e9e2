"""Vectors of JAX's arrays on a device: the same numbers and verdicts as in main memory."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import secant
from device.jax_kernels import kernels
from secant._backends.arithmetic import counting
from secant._backends.jax.arrays import vectors
from secant._backends.jax.backend import JaxBackend

BACKEND = JaxBackend()
SIZE = 70_001  # no whole number of rows
PASS, FAIL = secant.Verdict.PASS, secant.Verdict.FAIL
FAST = [one for one in kernels() if one.name in ("softmax", "rmsnorm")]
EVERY = [(kernel, mistake) for kernel in FAST for mistake in ("", *kernel.mistakes)]


@pytest.fixture(autouse=True)
def as_on_a_device(monkeypatch):
    """While no memory is the processor's own."""
    monkeypatch.setattr(vectors, "IN_MEMORY", frozenset())


def drawn(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(SIZE).astype(np.float32)


def test_numbers_at_random_are_those_of_main_memory():
    key, reference = counting.key_of(1, 2), jnp.zeros(SIZE)
    there = BACKEND.signed_magnitudes(key, SIZE, 2.0**-15, reference)
    assert isinstance(there, jax.Array)
    assert np.array_equal(there, counting.signed_magnitudes(key, SIZE, 2.0**-15))


def test_products_are_those_of_main_memory():
    one, other = drawn(0), drawn(1)
    ((total, root),) = BACKEND.products([(jnp.asarray(one), jnp.asarray(other))])
    product = one.astype(np.float64) * other
    assert total == pytest.approx(product.sum(), abs=1e-6 * root)
    assert root == pytest.approx(math.sqrt(product @ product), rel=1e-6)
    assert BACKEND.dots([(jnp.asarray(one), jnp.asarray(other))]) == [total]


@pytest.mark.parametrize("size", [1e-30, 1e30])
def test_squares_that_float32_does_not_hold_are_added_up_in_float64(size):
    one = drawn(2) * np.float32(size)
    norm = np.linalg.norm(one.astype(np.float64))
    assert BACKEND.norm(jnp.asarray(one)) == pytest.approx(norm, rel=1e-6)
    ((total, root),) = BACKEND.products([(jnp.asarray(one), jnp.asarray(one))])
    assert total == pytest.approx(norm**2, rel=1e-6)
    assert root == pytest.approx(np.linalg.norm(one.astype(np.float64) ** 2), rel=1e-6)


def test_numbers_are_put_in_their_place():
    unit = BACKEND.put(BACKEND.zeros(SIZE, jnp.zeros(SIZE)), 3, 1.0)
    assert (float(unit[3]), BACKEND.total(unit), BACKEND.largest(-unit)) == (1.0, 1.0, 1.0)


def test_short_arrays_and_those_of_float64_stay_with_numpy():
    assert isinstance(BACKEND.flatten(jnp.zeros(5)), np.ndarray)
    assert isinstance(BACKEND.flatten(jnp.zeros(SIZE, jnp.bfloat16)), jax.Array)


@pytest.mark.thinned(keep=7)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize(
    ("kernel", "mistake"), EVERY, ids=[f"{one.name}-{wrong or 'right'}" for one, wrong in EVERY]
)
def test_kernels_are_told_right_from_wrong(kernel, mistake, dtype):
    inputs = kernel.draw(256, 384, dtype)
    report = secant.check(kernel.make(mistake), *inputs, explain=False)
    assert report.verdict is (FAIL if mistake else PASS), str(report)


def test_a_failure_is_explained_there():
    (kernel,) = (one for one in FAST if one.name == "softmax")
    report = secant.check(kernel.make(kernel.mistakes[0]), *kernel.draw(256, 384, "float32"))
    assert report.verdict is FAIL
    assert "raised" not in str(report)
    assert report.worst.entries
