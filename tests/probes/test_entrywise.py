"""Slight errors: forgiven to all entries alike, not to one among many."""

from __future__ import annotations

import pytest
import torch

import secant
from planted import points, scaled_sine, sine_wrong_at

PASS, FAIL = secant.Verdict.PASS, secant.Verdict.FAIL


@pytest.mark.parametrize("size", [4, 300, 20_000])
def test_constants_in_single_precision_are_forgiven(size):
    report = secant.check(scaled_sine(1 + 2.0**-25), points(size), probe="fast")
    assert report.verdict is PASS


@pytest.mark.parametrize("size", [300, 20_000])
@pytest.mark.parametrize("seed", range(4))
def test_one_wrong_entry_is_not_forgiven_because_it_has_many_neighbours(size, seed):
    x = points(size)
    place = (17 * size) // 29
    assert secant.check(sine_wrong_at(place, 1e-6), x, seed=seed).verdict is FAIL


def test_the_library_that_needs_it_says_so():
    x = points(40)
    report = secant.check(torch.nn.functional.hardsigmoid, x)  # torch's 1/6 has seven digits
    assert report.verdict is PASS
    assert "constants in single precision" in str(report)


class Product(torch.autograd.Function):
    """A product of a leaf with itself turned around, in units; its gradient is 5 % too large."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1e11 * (x * x.flip(0)).sum()

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 1.05 * 2e11 * grad * x.flip(0)


def test_entries_are_told_in_any_units_where_their_sum_cancels_by_luck():
    x = torch.tensor([0.7, -1.3, 2.1])
    for unit in (1e-11, 1.0, 1e6):
        leaf = (unit * x).bfloat16()
        for seed in (22, 23, 35, 37, 48):
            assert not secant.check(Product.apply, leaf, seed=seed, explain=False)
