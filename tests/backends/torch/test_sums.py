"""Sums over a device's vectors: by rows, and as exact as their entries."""

import pytest
import torch

from secant._backends.torch.arrays.algebra import TorchAlgebra

SIZES = [0, 3, 1000, (1 << 18) + 77, (1 << 19)]


@pytest.fixture
def algebra():
    return TorchAlgebra()


def drawn(size, seed, scale=1.0):
    numbers = torch.randn(size, generator=torch.Generator().manual_seed(seed))
    return numbers * scale


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scale", [1e-30, 1e-12, 1.0, 1e15])
def test_norms_and_dots_are_those_of_float64(algebra, size, scale):
    one, other = drawn(size, 1, scale), drawn(size, 2)
    wide, width = one.double(), other.double()
    terms = float((wide * width).norm())
    assert algebra.norm(one) == pytest.approx(float(wide.norm()), rel=1e-6)
    assert algebra.norm_of_product(one, other) == pytest.approx(terms, rel=1e-6)
    assert algebra.dot(one, other) == pytest.approx(float(wide @ width), abs=1e-6 * terms)
    assert algebra.total(one) == pytest.approx(float(wide.sum()), abs=1e-6 * float(wide.norm()))


def test_what_is_not_finite_is_seen_in_a_long_vector(algebra):
    vector = drawn(1 << 19, 3)
    assert algebra.is_finite(vector)
    assert algebra.is_finite(vector * 1e37)
    vector[12345] = torch.nan
    assert not algebra.is_finite(vector)
