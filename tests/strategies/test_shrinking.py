"""A property that fails shrinks to the smallest array that is still wrong, and to no other."""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest
from hypothesis import find, given, settings

import secant
from secant.strategies import broadcasts, numbers, shapes, tensors

torch = pytest.importorskip("torch")

from planted import planted  # noqa: E402 needs torch

STEADY = settings(database=None, max_examples=200)  # and as all tests are set up


def smallest(strategy, function):
    """Fuzz a function, and return the input with which Hypothesis ends."""
    last = []

    @STEADY
    @given(strategy)
    def fuzz(drawn):
        last[:] = [drawn]
        inputs = drawn if isinstance(drawn, tuple) else (drawn,)
        secant.assert_gradient(function, *inputs)

    with pytest.raises(secant.GradientMismatch):
        fuzz()
    return last[0]


def sine_wrong_if(is_wrong):
    return planted(
        "Sine",
        torch.sin,
        lambda saved, v: (1.1 if is_wrong(saved[0]) else 1.0) * v * saved[0].cos(),
    )


def test_a_right_operator_survives():
    @STEADY
    @given(tensors("torch"))
    def fuzz(x):
        secant.assert_gradient(torch.sin, x)

    fuzz()


def test_a_mistake_for_three_entries_and_more_shrinks_to_three_that_do_not_tie():
    found = smallest(tensors("torch"), sine_wrong_if(lambda x: x.numel() >= 3))
    assert found.shape == (3,)
    assert found.is_contiguous()
    assert found.tolist() == [0.75, 0.25, -0.25]


def test_a_mistake_for_two_axes_shrinks_to_one_entry_with_two_axes():
    found = smallest(tensors("torch"), sine_wrong_if(lambda x: x.ndim >= 2))
    assert found.tolist() == [[0.75]]


def test_a_mistake_for_gaps_in_memory_shrinks_to_two_entries_with_a_gap():
    found = smallest(tensors("torch"), sine_wrong_if(lambda x: not x.is_contiguous()))
    assert (found.shape, found.stride()) == ((2,), (2,))
    assert found.tolist() == [0.75, 0.25]


def test_a_mistake_for_transposed_memory_shrinks_to_two_by_two():
    is_transposed = lambda x: x.ndim > 1 and x.stride(-1) > x.stride(0) > 0  # noqa: E731
    found = smallest(
        tensors("torch", layout=["contiguous", "transposed"]), sine_wrong_if(is_transposed)
    )
    assert (found.shape, found.stride()) == ((2, 2), (1, 2))


def test_a_mistake_for_large_numbers_shrinks_to_a_short_one():
    wrong_beyond = planted(
        "Sine",
        torch.sin,
        lambda saved, v: torch.where(saved[0] > 0.6, 1.1, 1.0) * v * saved[0].cos(),
    )
    found = smallest(tensors("torch"), wrong_beyond)
    assert found.tolist() == 0.75


def test_a_mistake_for_one_dtype_shrinks_within_it():
    strategy = tensors("torch", dtype=["float64", "float32", "bfloat16"])
    found = smallest(strategy, sine_wrong_if(lambda x: x.element_size() < 8))
    assert (found.dtype, found.tolist()) == (torch.float32, 0.75)


def test_a_mistake_in_broadcasting_shrinks_to_the_smallest_pair_that_broadcasts():
    def backward(saved, v):
        x, y = saved
        return v.sum_to_size(x.shape), v.sum_to_size(y.shape) * (2 if y.shape != v.shape else 1)

    x, y = smallest(broadcasts("torch"), planted("Add", operator.add, backward))
    assert (x.shape, y.shape) == ((1,), ())
    assert (x.tolist(), y.tolist()) == ([0.75], 0.75)


def test_numpys_arrays_shrink_as_well():
    def pull(x, v):
        return np.cos(x) * v * (1.1 if x.size >= 3 else 1)

    last = []

    @STEADY
    @given(tensors("numpy"))
    def fuzz(x):
        last[:] = [x]
        secant.assert_gradient(np.sin, x, pull=pull)

    with pytest.raises(secant.GradientMismatch):
        fuzz()
    assert last[0].tolist() == [0.75, 0.25, -0.25]


def test_a_mistake_everywhere_shrinks_to_a_point_without_a_kink():
    wrong = planted("Relu", torch.relu, lambda saved, v: 1.1 * v * (saved[0] > 0))
    assert smallest(tensors("torch"), wrong).tolist() == 0.75
    largest = planted("Max", torch.amax, lambda saved, v: 1.1 * v * (saved[0] == saved[0].max()))
    assert len(set(smallest(tensors("torch", shape=(3,)), largest).tolist())) == 3


@pytest.mark.parametrize(
    ("strategy", "condition", "expected"),
    [
        (shapes(), lambda shape: True, ()),
        (shapes(), lambda shape: math.prod(shape) > 2, (3,)),
        (shapes(), lambda shape: len(shape) > 1, (1, 1)),
        (shapes(min_side=0), lambda shape: 0 in shape, (0,)),
        (shapes(2, 2, min_side=2), lambda shape: True, (2, 2)),
        (numbers(), lambda number: True, 0.75),
        (numbers(), lambda number: number < 0, -0.75),
        (numbers(), lambda number: number > 0 and number % 0.75, 0.25),
        (numbers(0.1, 3), lambda number: True, 0.75),
        (numbers(0.3, 0.4), lambda number: True, 0.3),
        (numbers(edges="large"), lambda number: abs(number) > 2, 100.0),
        (numbers(edges=["tiny", "large"]), lambda number: 0 < number < 1e-4, 2.0**-14),
    ],
)
def test_the_parts_shrink_to_the_simplest(strategy, condition, expected):
    assert find(strategy, condition, settings=settings(STEADY, max_examples=2000)) == expected
