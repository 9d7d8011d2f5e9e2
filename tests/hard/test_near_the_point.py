"""What is seen near enough to the point: no slope, kink or stillness from further away counts."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

import secant
from hard.claims import DOUBLE, FAIL, PASS, PROBES, SINGLE, off, told, wrong
from wrong.spoiling import Entry, with_error

SEEDS = pytest.mark.parametrize("seed", range(4))


def ramp(x):
    """Smooth at 0, and on a scale of 1e-8: a corner to whoever steps further."""
    return F.silu(1e8 * x).sum() * torch.ones(4, dtype=x.dtype)


@PROBES
@SEEDS
def test_a_leaf_of_zeros_in_single_precision_moves_by_any_step(probe, seed):
    x = torch.zeros(1, dtype=SINGLE)
    settings = {"probe": probe, "seed": seed, "lift": False}
    right = secant.check(ramp, x, **settings)
    assert right.verdict is not FAIL, str(right)
    half = secant.check(off(ramp, 0.5), x, **settings)
    assert half.verdict is not PASS, str(half)


@SEEDS
def test_a_dead_zone_around_a_leaf_of_zeros_is_seen_in_half_precision(seed):
    x, y = torch.zeros((), dtype=torch.bfloat16), torch.full((3,), 0.7, dtype=torch.bfloat16)
    report = secant.check(
        lambda x, y: F.softshrink(x * 100, 0.25) * y.mean(), x, y, lift=False, seed=seed
    )
    assert report.verdict is not FAIL, str(report)


@PROBES
@SEEDS
def test_a_kink_further_away_than_entries_are_large_excuses_nothing(probe, seed):
    x = torch.tensor([0.006, -0.009], dtype=torch.float16)
    right = secant.check(torch.linalg.vector_norm, x, lift=False, seed=seed, probe=probe)
    assert right.verdict is not FAIL, str(right)
    wrong_one = off(torch.linalg.vector_norm, 0.5)
    report = secant.check(wrong_one, x, lift=False, seed=seed, probe=probe)
    assert report.verdict is not PASS, str(report)


def kinked_beside_curvature(x):
    """A small kink at x[0] = 0; all else is smooth and bends by its own size within 1e-7."""
    return torch.stack([1e-3 * torch.relu(x[0]) + x[1] ** 2, torch.sin(1e6 * x[1]) * 1e-6])


@PROBES
@SEEDS
def test_a_kink_is_seen_beside_curvature(probe, seed):
    x = torch.tensor([0.0, 0.7], dtype=DOUBLE)
    report = secant.check(kinked_beside_curvature, x, probe=probe, seed=seed)
    told(report, PASS)
    wrong(with_error(kinked_beside_curvature, Entry(0, 0, 0, 0), 2e-3), x, probe=probe, seed=seed)


def bowl(x):
    """So steep a bowl that a kink of its slope at 0 cannot be told from the bowl."""
    return torch.hypot(torch.full_like(x, 0.9), 1e7 * x) + x.clamp(min=0)


@SEEDS
def test_what_curvature_hides_at_every_step_is_not_blamed(seed):
    report = secant.check(bowl, torch.zeros(2, dtype=DOUBLE), seed=seed)
    assert report.verdict is not FAIL, str(report)


@SEEDS
def test_claims_that_cancel_along_a_path_are_rounded_as_what_they_are(seed):
    """Even in x: the claims to both sides are ± 1e6, whose rounding swallows what is planted."""

    def valley(x):
        return F.softshrink(1e6 * x, 0.25).abs() * torch.ones(3, dtype=x.dtype)

    x = torch.zeros(1, dtype=SINGLE)
    report = secant.check(
        with_error(valley, Entry(0, 0, 1, 0), 0.01), x, lift=False, seed=seed, explain=False
    )
    assert report.verdict is not PASS, str(report)


def lost_in_its_cosine(x):
    """The slope of a sinc: nearer than 1e-8 of x its cosine stands still, and it moves smoothly."""
    return (x * torch.cos(x) - torch.sin(x)) / x**2


@PROBES
@SEEDS
def test_a_slope_between_two_roundings_inside_is_not_that_of_the_function(probe, seed):
    x = torch.tensor([9.4e-5, 0.3, 0.7], dtype=DOUBLE)
    right = secant.check(lost_in_its_cosine, x, probe=probe, seed=seed)
    assert right.verdict is not FAIL, str(right)
    report = secant.check(
        with_error(lost_in_its_cosine, Entry(0, 0, 0, 0), 0.02), x, probe=probe, seed=seed
    )
    assert report.verdict is FAIL, str(report)
