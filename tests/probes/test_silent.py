"""Pairs that are claimed to be zero are seen to stand still, many at once, and only those."""

from __future__ import annotations

import pytest
import torch

import secant
from secant import Verdict


def number(*values):
    return torch.tensor(values, dtype=torch.float64)


def test_zeros_of_second_order_are_asked_together():
    torch.manual_seed(0)
    module = torch.nn.Linear(4, 5).double()
    report = secant.check(module, torch.randn(3, 4, dtype=torch.float64), order=2)
    assert report, str(report)
    assert report.cost.evaluations <= 25


def test_second_derivatives_of_rectifiers_are_seen_to_be_zero():
    torch.manual_seed(0)
    module = torch.nn.Sequential(
        torch.nn.Linear(4, 6),
        torch.nn.ReLU(),
        torch.nn.Linear(6, 5),
        torch.nn.ReLU(),
        torch.nn.Linear(5, 3),
    ).double()
    report = secant.check(module, torch.randn(7, 4, dtype=torch.float64), order=2)
    assert report, str(report)
    assert report.cost.evaluations <= 200


class LosesDigits(torch.autograd.Function):
    """A difference of larger numbers stands still as far as they round, and rises on the whole."""

    @staticmethod
    def forward(ctx, x, size):
        return (size + x) - size

    @staticmethod
    def backward(ctx, v):
        return 0 * v, None


@pytest.mark.parametrize("share", [1e-2, 1e-1, 0.3])
@pytest.mark.parametrize("size", [1.0, 1e3])
def test_what_stands_still_by_cancellation_is_not_said_to_have_no_slope(size, share):
    x = size * torch.finfo(torch.float64).eps * share * number(0.5, 0.7, 1.0)
    report = secant.check(lambda x: LosesDigits.apply(x, size), x)
    assert report.verdict is not Verdict.PASS, str(report)


@pytest.mark.parametrize("bend", [2.0, 1.90001])
@pytest.mark.parametrize("fineness", [64, 4096])
def test_a_bend_of_another_leaf_makes_no_stillness_of_stairs(fineness, bend):
    def stairs(x):
        return (fineness * x).round() / fineness

    x, y = number(0.3, 0.7, 1.1), number(0.5, -0.4, 1.9)
    together = secant.check(lambda x, y: stairs(x) + torch.relu(y - bend), x, y)
    assert secant.check(stairs, x).verdict is Verdict.INCONCLUSIVE
    assert together.verdict is Verdict.INCONCLUSIVE


class Forgets(torch.autograd.Function):
    """x·y, and x by itself, which the backward of the second output does not mention."""

    @staticmethod
    def forward(ctx, x, y, share):
        ctx.save_for_backward(x, y)
        return x * y, y.exp() + share * x

    @staticmethod
    def backward(ctx, v, w):
        x, y = ctx.saved_tensors
        return v * y, v * x + w * y.exp(), None


@pytest.mark.parametrize("seed", [1, 2, 1729])
@pytest.mark.parametrize("share", [1.0, 1e-4])
def test_what_moves_though_it_is_claimed_not_to_is_found(share, seed):
    x, y = number(0.3, 0.7, 1.1), number(0.5, -0.4, 0.9)
    report = secant.check(lambda x, y: Forgets.apply(x, y, share), x, y, seed=seed)
    assert report.verdict is Verdict.FAIL
    assert [one.where for one in report.findings if one.verdict is Verdict.FAIL] == ["∂out[1] / ∂x"]
    assert secant.check(lambda x, y: Forgets.apply(x, y, 0.0), x, y, seed=seed)


def test_what_moves_further_away_is_not_taken_for_zero():
    def stairs(x, y):
        return x * y, y.exp() + (4 * x).round()

    x, y = number(0.3, 0.7, 1.1), number(0.5, -0.4, 0.9)
    alone = secant.check(lambda x: (4 * x).round(), x)
    together = secant.check(stairs, x, y)
    assert together.verdict is alone.verdict


def test_leaves_that_cancel_each_other_are_not_taken_for_still():
    def cancelling(x, y):
        return (x - y).detach() + x.sin() * 0 + y * 0  # its gradient is zero, and it moves

    x = number(0.3, 0.7, 1.1)
    assert secant.check(cancelling, x, x + 1).verdict is Verdict.FAIL
