"""Vectors: long ones are taken in chunks, elsewhere by another namespace, and nobody notices."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from secant._backends.arithmetic.algebra import Algebra
from secant._backends.arithmetic.chunked import SHORT
from secant._backends.arithmetic.magnitudes import read_at_once
from secant._backends.arithmetic.pieces import STEP, VectorInChunks

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


ELSEWHERE = type("Elsewhere", (Algebra,), {"namespace": torch})()
PLACES = [4, 0, 2]
ASKED = {
    "dot": lambda a, x, y: a.dot(x, y),
    "total": lambda a, x, y: a.total(x),
    "norm": lambda a, x, y: a.norm(x),
    "distance": lambda a, x, y: a.distance(x, 1.5, y),
    "norm_of_product": lambda a, x, y: a.norm_of_product(x, y),
    "is_multiple": lambda a, x, y: (a.is_multiple(x, 2.0, x + x), a.is_multiple(x, 1.0, y)),
    "largest": lambda a, x, y: (a.largest(x), a.largest(x[:0])),
    "place_of_largest": lambda a, x, y: a.place_of_largest(x),
    "magnitudes": lambda a, x, y: (*a.magnitudes(x), *a.magnitudes(x * 0)),
    "is_finite": lambda a, x, y: (a.is_finite(x), a.is_finite(x / (y - y))),
    "finite_mask": lambda a, x, y: a.finite_mask(x / (x - x[1])),
    "where_finite": lambda a, x, y: a.where_finite(x / (x - x[1])),
    "absolute": lambda a, x, y: a.absolute(x),
    "apart": lambda a, x, y: a.apart(x / (x - x[1]), y),
    "larger": lambda a, x, y: a.larger(x, y),
    "copysign": lambda a, x, y: a.copysign(x, y),
    "excess": lambda a, x, y: (*a.excess(x, y, 1e-2, 1e-3), *a.excess(x, y, 0.1, abs(y))),
    "gaps": lambda a, x, y: a.gaps(x, 2.0**-23, 2.0**-126),
    "stack": lambda a, x, y: a.stack([x, y]),
    "join": lambda a, x, y: a.join([x[None], y[None]]),
    "rows_with": lambda a, x, y: (a.rows_with(x, PLACES, 7.0)[1], a.rows_with(x, PLACES, y[:3])[2]),
    "select": lambda a, x, y: (a.select(x, PLACES), a.select(x, [])),
}


@pytest.mark.parametrize("method", ASKED)
@pytest.mark.parametrize("size", [7, LONG])
def test_vectors_of_another_namespace_say_what_numpys_say(method, size):
    one, other = both(size)
    with np.errstate(all="ignore"):
        here = ASKED[method](ALGEBRA, one, other)
        there = ASKED[method](ELSEWHERE, torch.from_numpy(one), torch.from_numpy(other))
    many = here if isinstance(here, tuple) else (here,)
    for expected, found in zip(many, there if isinstance(here, tuple) else (there,), strict=True):
        assert np.allclose(expected, np.asarray(found), rtol=1e-12, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("size", [7, LONG, 1 << 19])
def test_magnitudes_read_at_once_are_those_read_one_by_one(size, dtype):
    one = torch.from_numpy(both(size)[0]).to(dtype)
    found = read_at_once(torch, one)
    assert found is not None
    assert np.allclose(found, ALGEBRA.magnitudes(one.double().numpy()), rtol=1e-6)


@pytest.mark.parametrize("odd", [0.0, math.inf, math.nan])
def test_magnitudes_of_odd_numbers_are_not_read_at_once(odd):
    one = torch.from_numpy(both(LONG)[0])
    one[5] = odd
    assert read_at_once(torch, one) is None
    assert read_at_once(torch, one[:0]) is None


def test_magnitudes_whose_squares_are_not_held_are_not_read_at_once():
    one = torch.from_numpy(both(LONG)[0])
    assert read_at_once(torch, one * 1e200) is None
    assert read_at_once(torch, one * 1e-200) is None


@pytest.mark.parametrize("factor", [1.0, -1.0, 2.0])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_what_is_added_in_pieces_is_what_is_added_at_once(dtype, factor):
    size = 2 * STEP + 17
    one, other = both(size)
    move = other.astype(dtype)
    expected = one + factor * move.astype(np.float64)
    assert np.array_equal(ALGEBRA.plus(one, factor, move), expected)
    unmade = VectorInChunks(lambda part: part * 1, (move,))
    assert np.array_equal(ALGEBRA.plus(one, factor, unmade), expected)


def test_numbers_are_finite_though_their_squares_are_not():
    for numbers in (both(LONG)[0] * 1e300, both(LONG)[0].astype(np.float32) * 1e30):
        with np.errstate(over="ignore"):  # as in every check
            assert ALGEBRA.is_finite(numbers)
            for odd in (math.inf, math.nan):
                numbers[LONG // 2] = odd
                assert not ALGEBRA.is_finite(numbers)


@pytest.mark.parametrize("scale", [1e140, 1.0, 1e-140])
def test_magnitudes_of_many_numbers_are_those_of_their_multiples(scale):
    one = both(LONG)[0]
    typical, largest, smallest = ALGEBRA.magnitudes(one * scale)
    assert typical / scale == pytest.approx(math.sqrt((one * one).mean()))
    assert (largest, smallest) == (abs(one * scale).max(), abs(one * scale).min())
