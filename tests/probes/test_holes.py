"""Claims that are not finite: wrong beside a finite slope, right where the slope has no limit."""

from __future__ import annotations

import pytest
import torch

import secant
from planted import FLOAT, planted, points

PASS, FAIL, INCONCLUSIVE = secant.Verdict.PASS, secant.Verdict.FAIL, secant.Verdict.INCONCLUSIVE
PROBES = pytest.mark.parametrize("probe", ["fast", "full"])


def holed(hole, function=torch.sin, place=1):
    def backward(saved, v):
        slope = saved[0].cos().clone()
        slope[place] = hole
        return v * slope

    return planted("Holed", function, backward)


@PROBES
@pytest.mark.parametrize("hole", [float("nan"), float("inf"), -float("inf")])
def test_a_claim_that_is_not_finite_beside_a_finite_slope_fails(hole, probe):
    report = secant.check(holed(hole), points(4), probe=probe)
    assert report.verdict is FAIL
    assert report.worst.entries[0].input == "input0[1]"


@PROBES
def test_the_trick_with_where_is_caught(probe):
    """The gradient of where(x > 0, √x, 0) at 0 is 0 · inf = NaN beside a slope of 0 on the left."""

    def safe(x):
        return torch.where(x > 0.5, x.log(), x * 0)

    x = torch.tensor([0.0, 1.0], dtype=FLOAT)
    report = secant.check(safe, x, probe=probe)
    assert report.verdict is FAIL
    assert "not finite" in report.worst.message


@PROBES
def test_an_infinite_claim_passes_where_the_slope_grows_without_limit(probe):
    report = secant.check(torch.sqrt, torch.tensor([0.0, 1.0], dtype=FLOAT), probe=probe)
    assert report.verdict is PASS, str(report)
    assert "not finite" in str(report)


@PROBES
def test_a_hole_does_not_hide_a_wrong_entry_beside_it(probe):
    def backward(saved, v):
        return v * torch.tensor([torch.inf, 0.55], dtype=FLOAT)

    wrong = planted("Beside", torch.sqrt, backward)
    report = secant.check(wrong, torch.tensor([0.0, 1.0], dtype=FLOAT), probe=probe)
    assert report.verdict is FAIL


@PROBES
def test_a_nan_where_the_slope_has_no_limit_cannot_be_judged(probe):
    def backward(saved, v):
        return v * torch.tensor([torch.nan, 0.5], dtype=FLOAT)

    doubtful = planted("Doubtful", torch.sqrt, backward)
    report = secant.check(doubtful, torch.tensor([0.0, 1.0], dtype=FLOAT), probe=probe)
    assert report.verdict is not PASS


@PROBES
def test_forward_mode_sees_holes_too(probe):
    def push(saved, u):
        slope = saved[0].cos().clone()
        slope[1] = torch.nan
        return u * slope

    holes = planted("Holed", torch.sin, lambda s, v: v * s[0].cos(), push)
    report = secant.check(holes, points(4), modes="forward", probe=probe)
    assert report.verdict is FAIL
