"""Steps scale with the leaf and its dtype, and the ladder around them covers both ways."""

from __future__ import annotations

import itertools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from asked import ask
from planted import points
from secant._measure.steps import Range, StepWalk, ladder_factor

HALVES = (torch.float16, torch.bfloat16)


def first_step(x, function=torch.sin, **settings):
    return ask(function, x, **settings).examination.step(0)


def test_the_first_step_is_a_power_of_two():
    for dtype in (torch.float64, torch.float32, *HALVES):
        for size in (1e-3, 1.0, 37.0):
            assert math.frexp(first_step(points(5, dtype=dtype) * size))[0] == 0.5


def test_the_first_step_balances_round_off_and_truncation():
    """About ε^(1/3), for entries of size 1."""
    for dtype in (torch.float64, torch.float32):
        balance = torch.finfo(dtype).eps ** (1 / 3)
        assert balance / 4 < first_step(points(5, dtype=dtype)) < 4 * balance


def test_coarser_dtypes_take_longer_steps():
    steps = [
        first_step(points(5, dtype=dtype))
        for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16)
    ]
    assert steps == sorted(steps)
    assert len(set(steps)) == 4


def test_the_coarser_of_input_and_output_decides():
    lowered = first_step(points(5), lambda x: x.float().sin())
    assert lowered == first_step(points(5, dtype=torch.float32))


@pytest.mark.parametrize("size", [16.0, 1024.0, 2.0**30])
def test_steps_grow_in_proportion_to_large_leaves(size):
    assert first_step(points(64) * size) == pytest.approx(first_step(points(64)) * size, rel=1.01)


def test_one_large_entry_among_small_ones_still_moves():
    x = points(1000)
    x[7] = 2.0**40
    step = first_step(x)
    assert float(x[7] + step / 2) != float(x[7])


def test_a_step_that_is_asked_for_is_taken():
    assert first_step(points(5), step=0.125) == 0.125


def walked(first, factor, shortest, longest, best=None):
    """Return the steps of a walk to its end."""
    walk = StepWalk(Range(first, shortest, longest, scale=1.0), factor)
    return list(iter(lambda: walk.next(best), None))


@given(
    st.floats(1e-6, 1e6),
    st.sampled_from([2.0, 4.0]),
    st.floats(1e-9, 1.0),
    st.floats(1.0, 1e9),
)
def test_the_ladder_goes_both_ways_to_its_ends_and_stands_nowhere_twice(
    first, factor, below, above
):
    shortest, longest = first * below, first * above
    steps = walked(first, factor, shortest, longest)
    assert steps[0] == first
    assert all(shortest <= step <= longest for step in steps)
    ordered = sorted(steps)
    for one, next_one in itertools.pairwise(ordered):
        assert next_one / one == pytest.approx(factor)
    assert ordered[0] / factor < shortest
    assert ordered[-1] * factor > longest


def test_shorter_and_longer_steps_take_turns():
    assert walked(1.0, 4.0, 0.05, 20.0) == [1.0, 0.25, 4.0, 0.0625, 16.0]
    assert walked(1.0, 2.0, 0.2, 1.0) == [1.0, 0.5, 0.25]


@pytest.mark.parametrize(("best", "second"), [(0.25, 0.0625), (4.0, 16.0)])
def test_the_walk_goes_on_where_measurements_are_best(best, second):
    walk = StepWalk(Range(1.0, 1e-3, 1e3, scale=1.0), 4.0)
    assert [walk.next(None) for _ in range(3)] == [1.0, 0.25, 4.0]
    assert walk.next(best) == second
    assert walk.next(best) == second * (4.0 if best > 1 else 0.25)


@pytest.mark.parametrize("best", [0.25, 1.0, 4.0, None])
def test_the_walk_ends_having_been_everywhere_whatever_was_best(best):
    assert sorted(walked(1.0, 4.0, 0.05, 20.0, best)) == [0.0625, 0.25, 1.0, 4.0, 16.0]


def test_rungs_stand_closer_where_there_is_little_room():
    assert ladder_factor(2.0**-8) < ladder_factor(2.0**-53)
