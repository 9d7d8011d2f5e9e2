"""What a first look that settles nothing leads to: no look that cannot tell more than the last."""

from __future__ import annotations

import pytest
import torch

import secant


def points(size: int, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(size, dtype=torch.float64, generator=generator).requires_grad_()


@pytest.mark.parametrize("size", [5, 40])
def test_a_value_that_is_isolated_at_the_point_is_looked_at_along_one_direction(size):
    label = torch.ones(size, dtype=torch.float64, requires_grad=True)
    report = secant.check(torch.nn.functional.hinge_embedding_loss, points(size), label)
    assert report.verdict is secant.Verdict.INCONCLUSIVE
    assert "jumps at the very point" in str(report)
    assert report.cost.evaluations <= 32  # 58, when every step was tried first


def test_the_only_entry_of_a_leaf_is_looked_at_along_one_line():
    x = torch.tensor(-5.0, dtype=torch.float64, requires_grad=True)
    report = secant.check(torch.erfc, x)
    assert report
    assert report.cost.evaluations <= 120  # 531, when its one term was taken for a sum


def test_what_stands_still_at_two_steps_is_not_asked_between_them():
    x, y = (torch.tensor(one, dtype=torch.float64, requires_grad=True) for one in (1.5, 3.0))
    report = secant.check(torch.nextafter, x, y)
    assert report
    assert report.cost.evaluations <= 40  # 51, when all the shorter steps were asked


@pytest.mark.parametrize("size", [1, 5])
def test_a_pulse_far_shorter_than_the_first_step_is_still_found(size):
    """Nothing moves at four steps in a row, a corner moves further away, and the slope is 1e9."""
    x = torch.ones(size, dtype=torch.float64, requires_grad=True)

    def function(x):
        near = 1e9 * (x - 1)
        return near * torch.exp(-(near**2)) + torch.relu(x - 1.5)

    assert secant.check(function, x).verdict is not secant.Verdict.FAIL


@pytest.mark.parametrize("probe", ["fast", "full"])
@pytest.mark.parametrize("function", [torch.floor, torch.nn.functional.hardtanh, torch.sign])
def test_what_stands_still_nearby_and_moves_further_away_takes_few_looks(function, probe):
    x = (1.5 + points(30).detach() / 8).requires_grad_()  # floor moves at 0.5, hardtanh and sign do
    report = secant.check(function, x, probe=probe)
    assert report
    assert report.cost.evaluations <= 40  # 58 and 172, when every rung and column was asked


class Zero(torch.autograd.Function):
    """The identity, with a gradient of zero."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return torch.zeros_like(grad)


@pytest.mark.parametrize("size", [5, 40])
@pytest.mark.parametrize("probe", ["fast", "full"])
@pytest.mark.parametrize("width", [1e-3, 1e-9])
def test_a_pulse_is_not_overlooked_where_zero_is_claimed_of_it(size, width, probe):
    x = torch.ones(size, dtype=torch.float64, requires_grad=True)

    def function(x):
        near = Zero.apply(x - 1) / width
        return near * torch.exp(-(near**2)) + torch.relu(Zero.apply(x) - 1.5)

    assert secant.check(function, x, probe=probe).verdict is not secant.Verdict.PASS


@pytest.mark.parametrize("probe", ["fast", "full"])
@pytest.mark.parametrize("size", [1, 5, 40])
def test_a_grain_is_no_flat(size, probe):
    """What is rounded to 2⁻¹⁰ of itself stands still nearby, and so is its claim no right one."""
    x = (1.5 + points(size).detach() / 8).requires_grad_()

    def function(x):
        return torch.round(Zero.apply(x) * 1024) / 1024

    assert secant.check(function, x, probe=probe).verdict is not secant.Verdict.PASS


def test_leaves_moved_together_are_not_moved_once_more_where_noise_makes_the_bar():
    def function(a, b):
        return (a.reshape(8, -1) + 0.01 * b.reshape(8, -1).sin()).sum(1)

    report = secant.check(function, points(200_000), points(200_000, seed=1))
    assert report
    assert report.cost.evaluations <= 10


def test_leaves_that_stand_still_nearby_share_their_rungs_among_outputs():
    """Second derivatives of a rectifying network: zero for most pairs, until a unit wakes up."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        network = torch.nn.RNN(3, 3, 3, nonlinearity="relu", dtype=torch.float64)
    report = secant.check(network, points(6).detach().reshape(1, 2, 3), order=2)
    assert report
    assert report.cost.evaluations <= 500  # 1,354, when every output began anew
