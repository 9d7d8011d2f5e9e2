"""Pairs of points: the displacement is the one that exists, and it is mirrored."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from secant._backends.arithmetic.pieces import STEP
from secant._backends.torch.backend import TorchBackend
from secant._spaces.choose import space_of
from secant._spaces.directions import Directions

BACKEND = TorchBackend()
DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.complex64)


@st.composite
def moves(draw):
    """Draw a point, a direction and a step."""
    dtype = draw(st.sampled_from(DTYPES))
    size = draw(st.integers(0, 6))
    scale = draw(st.sampled_from([1e-3, 1.0, 30.0]))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**16)))
    point = (torch.randn(size, generator=generator, dtype=torch.float64) * scale).to(dtype)
    return point, 2.0 ** draw(st.integers(-20, 0)), draw(st.integers(0, 9))


def pairs(point, step, seed=0):
    """Return the space of a point, and the pairs at one and at two steps from it."""
    space = space_of(BACKEND, point)
    base = space.coordinates(point)
    moved = space.moved(base, Directions(seed).draw(space), step)
    return space, [space.pair(base, moved), space.pair(base, moved * 2)]


def numbers(space, array):
    return BACKEND.to_numpy(space.coordinates(array))


def exact(space, array):
    """Return coordinates as fractions."""
    return [Fraction(number) for number in numbers(space, array).tolist()]


@given(moves())
def test_the_displacement_is_exactly_ahead_minus_behind(move):
    space, both = pairs(*move)
    for pair in both:
        ahead, behind = exact(space, pair.ahead), exact(space, pair.behind)
        expected = [float(a - b) for a, b in zip(ahead, behind, strict=True)]
        assert BACKEND.to_numpy(pair.displacement).tolist() == expected


@given(moves())
def test_both_points_are_representable_and_laid_out_like_the_leaf(move):
    _, both = pairs(*move)
    for pair in both:
        for moved in (pair.ahead, pair.behind):
            assert moved.dtype == move[0].dtype
            assert moved.stride() == move[0].stride()


@given(moves())
def test_behind_mirrors_ahead_to_one_rounding(move):
    space, both = pairs(*move)
    base = exact(space, move[0])
    for pair in both:
        ahead, behind = exact(space, pair.ahead), exact(space, pair.behind)
        for x, a, b in zip(base, ahead, behind, strict=True):
            gap = 2 * Fraction(space.roundoff) * max(abs(a), abs(b), abs(x))
            assert abs((a - x) - (x - b)) <= gap


@pytest.mark.parametrize("dtype", DTYPES)
def test_behind_mirrors_ahead_exactly_where_the_step_is_short(dtype):
    """Within one binade x − e is representable whenever x + e is."""
    point = torch.full((64,), 1.5, dtype=dtype)
    space, (pair, _) = pairs(point, 2.0**-3)
    base = numbers(space, point)
    ahead, behind = numbers(space, pair.ahead), numbers(space, pair.behind)
    assert np.array_equal(ahead - base, base - behind)


@given(moves())
def test_a_pair_does_not_change_the_point(move):
    before = move[0].clone()
    pairs(*move)
    assert torch.equal(move[0], before)


def test_a_stretched_pair_is_twice_as_wide_where_the_dtype_allows():
    _, (near, far) = pairs(torch.full((8,), 1.5, dtype=torch.bfloat16), 2.0**-4)
    narrow, wide = (BACKEND.to_numpy(pair.displacement) for pair in (near, far))
    assert np.array_equal(wide, 2 * narrow)


def test_writing_into_one_point_does_not_change_the_other():
    point = torch.full((4,), 1.5, dtype=torch.float64)
    space, (near, far) = pairs(point, 2.0**-4)
    kept = [numbers(space, array).copy() for array in (near.behind, far.ahead, far.behind)]
    displacement = BACKEND.to_numpy(near.displacement).copy()
    near.ahead.zero_()
    assert np.array_equal(BACKEND.to_numpy(near.displacement), displacement)
    for array, before in zip((near.behind, far.ahead, far.behind), kept, strict=True):
        assert np.array_equal(numbers(space, array), before)
    assert torch.equal(point, torch.full((4,), 1.5, dtype=torch.float64))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_a_long_move_is_the_same_one_however_it_is_made(dtype):
    point = torch.rand(4 * STEP + 5, dtype=dtype, generator=torch.Generator().manual_seed(0))
    space = space_of(BACKEND, point)
    base, direction, step = space.coordinates(point), Directions(0).draw(space), 2.0**-9
    exact = space.moved(base, direction, step)
    move = space.move(base, direction, step)
    assert np.array_equal(BACKEND.whole(move), exact)
    assert np.array_equal(move[STEP : 2 * STEP], exact[STEP : 2 * STEP])
    beside = space.coordinates(space.beside(base, move, -2.0))
    assert np.array_equal(beside, space.coordinates(space.value(base - 2 * exact)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [3, 1 << 16])
def test_an_array_of_spare_coordinates_is_nobody_else_s(size, dtype):
    space = space_of(BACKEND, torch.ones(size, dtype=dtype))
    vector = Directions(0).draw(space)
    before = vector.copy()
    given = space.assemble(space.spare(vector))
    assert space.coordinates(given).tolist() == before.tolist()
    given.zero_()
    assert np.array_equal(vector, before)
