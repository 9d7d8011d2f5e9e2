"""Borders of domains: steps that would leave them are shortened or taken to one side only."""

from __future__ import annotations

import pytest
import torch

import secant
from hard.claims import DOUBLE, DTYPES, FAIL, PASS, PROBES, SINGLE, off, right, told, wrong
from planted import planted

# A function, its border, and from which side it is approached.
BORDERS = {
    "asin": (torch.asin, 1.0, -1),
    "acos": (torch.acos, -1.0, 1),
    "atanh": (torch.atanh, 1.0, -1),
    "acosh": (torch.acosh, 1.0, 1),
    "log": (torch.log, 0.0, 1),
    "log1p": (torch.log1p, -1.0, 1),
    "logit": (torch.logit, 1.0, -1),
    "sqrt": (torch.sqrt, 0.0, 1),
    "rsqrt": (torch.rsqrt, 0.0, 1),
    "x**1.5": (lambda x: x**1.5, 0.0, 1),
    "x log x": (lambda x: torch.xlogy(x, x), 0.0, 1),
    "1 / x": (torch.reciprocal, 0.0, 1),
    "lgamma": (torch.lgamma, 0.0, 1),
    "digamma": (torch.digamma, 0.0, 1),
    "erfinv": (torch.erfinv, 1.0, -1),
    "ndtri": (torch.special.ndtri, 0.0, 1),
}
SINGLE_DISTANCES = (1e-2, 1e-4, 1e-5)
DISTANCES = pytest.mark.parametrize(
    ("dtype", "distance"),
    [(DOUBLE, distance) for distance in (1e-2, 1e-4, 1e-6, 1e-8, 1e-10)]
    + [(SINGLE, distance) for distance in SINGLE_DISTANCES],
    ids=lambda one: str(one).removeprefix("torch."),
)
FUNCTIONS = pytest.mark.parametrize("name", BORDERS)


def near(name, dtype, distance):
    """The function, and a point of three numbers, one of which is that near to the border."""
    function, border, side = BORDERS[name]
    steps = torch.tensor([0.5, distance, 0.3], dtype=DOUBLE)
    return function, (border + side * steps).to(dtype)


@pytest.mark.thinned(keep=48)
@FUNCTIONS
@DISTANCES
@PROBES
def test_near_a_border_a_right_claim_passes(name, dtype, distance, probe):
    function, x = near(name, dtype, distance)
    right(function, x, probe=probe)


@pytest.mark.thinned(keep=48)
@FUNCTIONS
@DISTANCES
@PROBES
def test_near_a_border_a_claim_one_percent_off_fails(name, dtype, distance, probe):
    function, x = near(name, dtype, distance)
    wrong(off(function, 1.01), x, probe=probe, explain=False)


@pytest.mark.thinned(keep=16)
@FUNCTIONS
@PROBES
def test_near_a_border_in_single_precision_alone_nothing_right_is_blamed(name, probe):
    for distance in SINGLE_DISTANCES:
        function, x = near(name, SINGLE, distance)
        report = secant.check(function, x, probe=probe, lift=False)
        assert report.verdict is not FAIL, f"{distance} from the border:\n{report}"
        report = secant.check(off(function, 2.0), x, probe=probe, lift=False)
        assert report.verdict is not PASS, f"{distance} from the border:\n{report}"


# At the border itself only one side can be seen; the slope to that side is finite.
@pytest.mark.thinned(keep=10)
@pytest.mark.parametrize(
    ("function", "x"),
    [
        (lambda x: x**1.5, (0.0, 1.0, 0.0)),
        (lambda x: x**2.5, (0.0, 2.0)),
        (lambda x: x.sqrt() ** 3, (1.0, 4.0)),
        (lambda x: torch.where(x >= 0, x.exp(), torch.nan), (0.0, 1.0)),
        (lambda x: (1 - x) ** 1.5 + (1 + x) ** 1.5, (1.0, 0.2, -1.0)),
    ],
    ids=["x**1.5", "x**2.5", "sqrt(x)³", "exp from 0 on", "both borders"],
)
@DTYPES
@PROBES
def test_at_a_border_the_slope_to_the_open_side_is_the_truth(function, x, dtype, probe):
    x = torch.tensor(x, dtype=dtype)
    right(function, x, probe=probe)
    wrong(off(function, 1.05), x, probe=probe)


@pytest.mark.parametrize(
    ("function", "x"),
    [
        (torch.sqrt, (0.0, 1.0, 4.0)),
        (torch.asin, (1.0, 0.5, -1.0)),
        (torch.acos, (-1.0, 0.2)),
        (torch.acosh, (1.0, 2.0)),
        (lambda x: x**0.3, (0.0, 1.0)),
    ],
    ids=["sqrt", "asin", "acos", "acosh", "x**0.3"],
)
@DTYPES
@PROBES
def test_an_infinite_slope_may_be_claimed_where_there_is_one(function, x, dtype, probe):
    right(function, torch.tensor(x, dtype=dtype), probe=probe)


@DTYPES
@PROBES
def test_beside_an_infinite_slope_a_finite_one_can_be_wrong(dtype, probe):
    """The root at 0 claims infinity, rightly; at 1 and 4 its slopes are a half and a quarter."""
    x = torch.tensor([0.0, 1.0, 4.0], dtype=dtype)
    wrong(off(torch.sqrt, 1.1), x, probe=probe, laws="none")


@DTYPES
@PROBES
def test_an_infinite_slope_may_be_claimed_by_hand_as_well(dtype, probe):
    """The backward of torch's own root, written down: 0 times infinity is NaN in both."""
    by_hand = planted("Root", torch.sqrt, lambda saved, v: v * 0.5 * saved[0].rsqrt())
    right(by_hand, torch.tensor([0.0, 1.0, 4.0], dtype=dtype), probe=probe)


@DTYPES
@PROBES
def test_a_finite_claim_where_the_slope_is_infinite_is_not_passed(dtype, probe):
    """A "safe" root that claims 0 at 0, where it rises without bound."""

    class Safe(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.sqrt()

        @staticmethod
        def backward(ctx, v):
            (x,) = ctx.saved_tensors
            return v * torch.where(x > 0, 0.5 / x.clamp(min=1e-30).sqrt(), 0.0)

    x = torch.tensor([0.0, 1.0, 4.0], dtype=dtype)
    report = secant.check(Safe.apply, x, probe=probe)
    assert report.verdict is not PASS, str(report)


@PROBES
def test_a_domain_of_one_point_cannot_be_told(probe):
    """Wherever one steps the function is not finite: nobody is blamed."""

    def function(x):
        return torch.where(x == 0.5, x, torch.nan)

    x = torch.full((3,), 0.5, dtype=DOUBLE)
    report = secant.check(function, x, probe=probe)
    assert report.verdict not in (PASS, FAIL), str(report)


@pytest.mark.thinned(keep=10)
@PROBES
@pytest.mark.parametrize("seed", range(10))
def test_random_points_near_both_borders_are_right(seed, probe):
    """Some of 30 numbers are always within a step of -1 or 1."""
    generator = torch.Generator().manual_seed(seed)
    x = (torch.rand(30, dtype=DOUBLE, generator=generator) * 2 - 1) ** 0.1
    x = torch.where(x.isnan(), -(torch.rand(30, dtype=DOUBLE, generator=generator) ** 0.02), x)
    for function in (torch.asin, torch.atanh):
        told(secant.check(function, x, probe=probe, seed=seed), PASS)
        told(secant.check(off(function, 1.01), x, probe=probe, seed=seed), FAIL)
