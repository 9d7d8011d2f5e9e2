"""Directions hide no entry, depend on the seed alone and survive the dtype."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from secant._backends.arithmetic import counting
from secant._backends.torch.arrays.counting import signed_magnitudes
from secant._backends.torch.backend import TorchBackend
from secant._spaces.choose import space_of
from secant._spaces.directions import Directions

BACKEND = TorchBackend()
DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.complex64)


def space(size, dtype=torch.float64):
    return space_of(BACKEND, torch.zeros(size, dtype=dtype))


def drawn(directions, size, dtype=torch.float64):
    """Return the next direction in NumPy, wherever the backend keeps it."""
    return BACKEND.to_numpy(directions.draw(space(size, dtype)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [1, 100, 50_000])
def test_magnitudes_lie_between_one_half_and_three_halves(size, dtype):
    direction = np.abs(drawn(Directions(1), size, dtype))
    assert float(direction.min()) >= 0.5
    assert float(direction.max()) < 1.5


@pytest.mark.parametrize("size", [1000, 50_000])
def test_both_signs_are_drawn_about_equally_often(size):
    positive = float((drawn(Directions(1), size) > 0).mean())
    assert abs(positive - 0.5) < 2.5 / size**0.5


@pytest.mark.parametrize("dtype", DTYPES)
def test_directions_survive_the_dtype(dtype):
    leaf = space(300, dtype)
    direction = Directions(1).draw(leaf)
    again = BACKEND.to_numpy(leaf.coordinates(leaf.assemble(direction)))
    assert np.array_equal(again, BACKEND.to_numpy(direction))


@pytest.mark.parametrize("size", [7, 50_000])
def test_the_seed_alone_decides_the_stream(size):
    torch.manual_seed(0)
    one = Directions(5)
    first, second = drawn(one, size), drawn(one, size)
    torch.manual_seed(1)
    other = Directions(5)
    assert np.array_equal(drawn(other, size), first)
    assert np.array_equal(drawn(other, size), second)
    assert not np.array_equal(first, second)
    assert not np.array_equal(drawn(Directions(6), size), first)


def test_directions_are_the_caller_s_own():
    first = drawn(Directions(5), 9)
    kept = first.copy()
    first[:] = 0
    assert np.array_equal(drawn(Directions(5), 9), kept)


def test_positions_are_distinct_sorted_and_within_bounds():
    directions = Directions(1)
    places = directions.positions(1000, 16)
    assert places == sorted(set(places))
    assert len(places) == 16
    assert 0 <= places[0] <= places[-1] < 1000
    assert directions.positions(5, 16) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("grain", [2.0**-15, 2.0**-7, 2.0**-2])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_torch_draws_the_same_numbers_wherever_it_draws_them(seed, grain, dtype):
    key = counting.key_of(seed, 1)
    drawn_by_torch = signed_magnitudes(key, 70_001, grain, torch.device("cpu"), dtype)
    drawn_by_numpy = counting.signed_magnitudes(key, 70_001, grain)
    assert np.array_equal(drawn_by_torch.numpy(), drawn_by_numpy)


def test_streams_of_other_keys_and_neighbouring_entries_are_not_alike():
    streams = [counting.signed_magnitudes(counting.key_of(5, k), 1 << 16, 2.0**-15) for k in (1, 2)]
    streams += [np.roll(streams[0], shift) for shift in (1, 2, 256)]
    for other in streams[1:]:
        together = float(np.corrcoef(streams[0], other)[0, 1])
        assert abs(together) < 5 / 2**8, together
