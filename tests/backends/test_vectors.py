"""Vectors in main memory: long ones are taken in chunks, and that is nobody's business."""

from __future__ import annotations

import math

import numpy as np
import pytest

from secant._backends.algebra import Algebra
from secant._backends.vectors import SHORT

ALGEBRA = Algebra()
LONG = 3 * SHORT + 17


def both(size: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    one = generator.standard_normal(size)
    return one, one + 1e-3 * generator.standard_normal(size)


@pytest.mark.parametrize("size", [1, 5, SHORT, LONG])
@pytest.mark.parametrize("is_free_a_vector", [False, True])
def test_excess_is_what_it_says_whatever_the_size(size, is_free_a_vector):
    one, other = both(size)
    free = np.linspace(1e-4, 2e-4, size) if is_free_a_vector else 1e-4
    held = ALGEBRA.excess(one, other, 1e-2, free)
    apart, allowed = np.abs(one - other), 1e-2 * np.abs(one) + free
    assert held == (max(apart / allowed), max(apart), max(allowed))


def test_nothing_apart_is_no_excess_where_nothing_is_allowed():
    zeros = np.zeros(LONG)
    assert ALGEBRA.excess(zeros, zeros, 1.0, 0.0) == (0.0, 0.0, 0.0)
    with np.errstate(divide="ignore"):  # as in every check
        assert ALGEBRA.excess(zeros, zeros + 1.0, 1.0, 0.0).ratio == math.inf


@pytest.mark.parametrize("place", [0, LONG // 2, LONG - 1])
def test_a_missing_number_is_not_lost_among_the_chunks(place):
    one, other = both(LONG)
    other[place] = np.nan
    held = ALGEBRA.excess(one, other, 1.0, 1.0)
    assert math.isnan(held.ratio)
    assert math.isnan(held.distance)
