"""Leaves of zeros: what is a long step to them only the function knows."""

import sys

import pytest
import torch
import torch.nn.functional as F

import secant
from planted import FLOAT, planted
from secant import Verdict


def bent(x):
    """Rectified near zero, where the claim lies between two slopes; steeper beyond."""
    steep = 1e5 * x.expand(3)
    return torch.maximum(torch.maximum(F.softshrink(steep, 0.25), steep), steep)


def normalised(x, y):
    """A term that saturates, beside one that goes on."""
    steep = 1e6 * x
    sizes = (steep + y).abs()
    sizes = sizes / (sizes.square().mean() + 0.01).sqrt()
    return torch.cat([sizes, steep]).sum()


class Normalised(torch.autograd.Function):
    """The same, with the gradient of the second term alone 5 % too large."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return normalised(x, y)

    @staticmethod
    def backward(ctx, grad):
        with torch.enable_grad():
            x, y = (one.detach().requires_grad_() for one in ctx.saved_tensors)
            gradients = torch.autograd.grad(normalised(x, y), (x, y), grad)
        return gradients[0] + 0.05e6 * grad, gradients[1]


def test_a_slope_that_other_terms_hide_further_away_is_not_blamed():
    y = torch.randn(3, dtype=torch.complex128, generator=torch.Generator().manual_seed(0))
    zero = torch.zeros(1, dtype=torch.complex128)
    for seed in range(4):
        assert secant.check(normalised, zero, y, seed=seed, explain=False)
        assert secant.check(bent, torch.tensor(0.0), lift=False, seed=seed, explain=False)
        wrong = secant.check(Normalised.apply, zero, y, seed=seed, explain=False)
        assert wrong.verdict is Verdict.FAIL


@pytest.mark.parametrize("probe", ["fast", "full"])
@pytest.mark.parametrize("scale", [1e-7, 1e-9, 1e-11])
def test_what_looks_like_a_kink_further_away_excuses_nothing_at_a_zero(scale, probe):
    def bent(x):
        return F.silu(x / scale)

    zero = torch.zeros(3, dtype=FLOAT)
    wrong = planted("Wrong", bent, lambda saved, v: v * 0.5001 / scale)
    for seed in range(3):
        assert secant.check(bent, zero, probe=probe, seed=seed)
        report = secant.check(wrong, zero, probe=probe, seed=seed, explain=False)
        assert report.verdict is Verdict.FAIL, str(report)


STATIONARY = {
    "a cube": (lambda x: (x**3).sum(), 0.0),
    "a cube, further away": (lambda x: ((x - 1.0) ** 3).sum(), 1.0),
    "a smooth step": (lambda x: 3 * x**2 - 2 * x**3, 0.0),
    "a monkey's saddle": (lambda x: x[0] ** 3 - 3 * x[0] * x[1] ** 2, 0.0),
    "a product": (lambda x: x.prod(), 0.0),
}


@pytest.mark.parametrize("probe", ["auto", "full"])
@pytest.mark.parametrize("name", STATIONARY)
def test_zero_is_measured_where_a_function_begins_with_its_cube(name, probe):
    function, place = STATIONARY[name]
    point = torch.full((3,), place, dtype=torch.float64)
    for seed in range(3):
        right = secant.check(function, point, probe=probe, seed=seed)
        assert right.verdict is Verdict.PASS, str(right)
        for slope in (1e-3, 0.1, 1e3):
            claimed = planted(
                "Sloped", function, lambda saved, v, c=slope: c * v.sum() + 0 * saved[0]
            )
            wrong = secant.check(claimed, point, probe=probe, seed=seed, explain=False)
            assert wrong.verdict is Verdict.FAIL, str(wrong)


def test_a_ladder_from_the_smallest_numbers_up_costs_no_more_than_its_rungs():
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    tiny = torch.tensor([1.7, -0.3, 2.2], dtype=torch.float64) * 1e-310
    before = sys.getprofile()
    sys.setprofile(count)
    try:
        report = secant.check(torch.exp, tiny)
    finally:
        sys.setprofile(before)
    assert report.verdict is Verdict.PASS, str(report)
    assert calls < 10_000 * report.cost.evaluations


@pytest.mark.parametrize("probe", ["auto", "full"])
def test_slopes_too_large_to_square_are_no_pass(probe):
    point = torch.tensor([1.5, -0.1, -2.2, 0.5], dtype=torch.float64) * 1e-160
    wrong = planted(
        "Square", lambda x: (x * 1e160) ** 2, lambda saved, v: 2.1e160 * v * (saved[0] * 1e160)
    )
    report = secant.check(wrong, point, probe=probe, explain=False)
    assert report.verdict is not Verdict.PASS, str(report)


BENDING = {"x|x|": lambda x: x * x.abs(), "a square of rectifiers": lambda x: x.relu() ** 2}


@pytest.mark.parametrize("probe", ["auto", "full"])
@pytest.mark.parametrize("name", BENDING)
def test_slopes_that_fall_to_zero_with_the_step_are_told_from_others(name, probe):
    function = BENDING[name]
    wrong = planted("Wrong", function, lambda saved, v: v * 1e-4 + 0 * saved[0])
    for seed in range(3):
        zero = torch.zeros(3, dtype=FLOAT)
        assert secant.check(function, zero, probe=probe, seed=seed)
        report = secant.check(wrong, zero, probe=probe, seed=seed, explain=False)
        assert report.verdict is Verdict.FAIL, str(report)


@pytest.mark.parametrize("scale", [1e-7, 1e-11, 1e-14])
def test_a_cube_further_away_does_not_make_a_claim_of_zero_right(scale):
    cut = planted(
        "Cut", lambda x: (x / scale) ** 3 + x / scale, lambda saved, v: torch.zeros_like(v)
    )
    for seed in range(3):
        report = secant.check(cut, torch.zeros(3, dtype=FLOAT), seed=seed, explain=False)
        assert report.verdict is not Verdict.PASS, str(report)


@pytest.mark.parametrize("probe", ["auto", "full"])
@pytest.mark.parametrize("inside", [0.01, 0.1, 0.3, 0.5, 1.0, 30.0])
def test_a_kink_of_zeros_beside_larger_numbers_excuses_where_nearer_nothing_moves(inside, probe):
    def bent(x):
        return ((inside + x) ** 2 - inside**2).relu()

    for seed in range(4):
        report = secant.check(bent, torch.zeros(2, dtype=FLOAT), probe=probe, seed=seed)
        assert report.verdict is Verdict.PASS, str(report)
