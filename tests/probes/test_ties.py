"""Ties: what inputs claim together at a kink that they share."""

from __future__ import annotations

import pytest
import torch

import secant
from planted import FLOAT, planted

PROBES = pytest.mark.parametrize("probe", ["fast", "full"])
TIED = torch.tensor([0.5, 2.0, 2.0, 2.0], dtype=FLOAT)


def maximum_claiming(share):
    """Return the maximum; each of the largest entries claims this share of the slope."""

    def backward(saved, v):
        is_largest = (saved[0] == saved[0].amax()).to(FLOAT)
        return v * is_largest * (share or 1 / is_largest.sum())

    return planted("Maximum", torch.amax, backward)


@PROBES
@pytest.mark.parametrize("seed", range(6))
def test_ties_that_all_claim_the_slope_are_wrong(probe, seed):
    report = secant.check(maximum_claiming(1.0), TIED, probe=probe, seed=seed)
    assert report.verdict is secant.Verdict.FAIL


@PROBES
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("factor", [1.05, 0.95])
def test_ties_that_together_claim_a_little_too_much_are_wrong(probe, seed, factor):
    report = secant.check(maximum_claiming(factor / 3), TIED, probe=probe, seed=seed)
    assert report.verdict is secant.Verdict.FAIL


@PROBES
def test_a_factor_shows_where_maxima_and_minima_tie_and_moving_all_alike_says_nothing(probe):
    def backward(saved, v):
        x = saved[0]
        high, low = ((x == end).to(FLOAT) for end in (x.amax(), x.amin()))
        return 1.05 * v * (high / high.sum() - low / low.sum())

    width = planted("Width", lambda x: x.amax() - x.amin(), backward)
    x = torch.tensor([1.0, 3.0, 3.0, 1.0], dtype=FLOAT)
    assert secant.check(width, x, probe=probe).verdict is secant.Verdict.FAIL


@PROBES
@pytest.mark.parametrize("seed", range(6))
def test_ties_that_share_the_slope_are_right(probe, seed):
    assert secant.check(maximum_claiming(None), TIED, probe=probe, seed=seed)
    assert secant.check(lambda x: x.max(0)[0], TIED, probe=probe, seed=seed)


@PROBES
@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.clamp(0, 1).sum(),
        lambda x: x.relu().sum() - x.abs().sum(),
        lambda x: torch.nn.functional.hardtanh(x, 0.0, 1.0).sum() + x.relu().sum(),
        lambda x: torch.linalg.vector_norm(x - x.detach()),
        lambda x: x.sort()[0],
        lambda x: x.clamp(0, 1).sum() * (x + (x - 0.5).square()).amax(),
        lambda x: torch.nn.functional.relu6(6 * x).sum() * (x.exp() * x).amax(),
    ],
    ids=["clamp", "relu and abs", "hardtanh and relu", "norm", "sort", "product", "relu6"],
)
def test_kinks_that_only_stand_side_by_side_choose_for_themselves(function, probe):
    x = torch.tensor([0.0, 1.0, 0.5, 1.0, 0.0], dtype=FLOAT)
    for seed in range(4):
        assert secant.check(function, x, probe=probe, seed=seed)
