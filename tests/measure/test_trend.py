"""What a function does on the whole: a jump is found wherever it is, and a kink is none."""

import numpy as np
import pytest
import torch

import secant
from asked import ask
from planted import FLOAT, planted
from secant._measure.trend import trend_of

PLACES = [0.25 * 2 ** (place / 24) for place in range(24)]  # all between two rungs
BEFORE_A_RUNG = [0.5 * (1 - 2.0**-power) for power in range(6, 14)]


def bent_at(place):
    return lambda x: x + 0.1 * (x - 1 - place).relu()


def torn_at(place):
    return lambda x: x + 1e-3 * (x > 1 + place)


def trend_beside(function):
    """Return the trend of a function at 1 whose slope is claimed 1e-4 too large."""
    wrong = planted("Wrong", function, lambda saved, v: v * (1 + 1e-4))
    asked = ask(wrong, torch.ones(1, dtype=FLOAT), np.ones(1), np.ones(1))
    reading = asked.read()
    assert reading is not None
    return trend_of(asked.line, asked.question.functional, asked.examination.steps(0), reading)


@pytest.mark.parametrize("place", [*PLACES, *BEFORE_A_RUNG])
def test_a_kink_further_away_is_no_jump(place):
    assert trend_beside(bent_at(place)) is None


@pytest.mark.parametrize("place", PLACES)
def test_a_jump_further_away_is_found_and_measured(place):
    trend = trend_beside(torn_at(place))
    assert trend is not None
    assert trend.onset == pytest.approx(place, rel=0.01)
    assert trend.jump == pytest.approx(1e-3, rel=1e-6)


@pytest.mark.parametrize("factor", [1.001, 1.05])
def test_what_is_off_by_little_beside_huge_slopes_is_judged_and_not_raised(factor):
    def backward(saved, v):
        x = saved[0]
        return factor * v * (2 * x * torch.special.erfcx(x) - 2 / torch.pi**0.5)

    wrong = planted("Wrong", torch.special.erfcx, backward)
    x = -20 * torch.rand(9, generator=torch.Generator().manual_seed(2), dtype=FLOAT)
    for seed in (1729, 1730, 1731):
        report = secant.check(wrong, x, seed=seed)
        assert report.verdict is secant.Verdict.FAIL, str(report)
