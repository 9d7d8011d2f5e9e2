"""What rounding makes of a right claim is not blamed, entry by entry either."""

from __future__ import annotations

import pytest
import torch

import secant
from hard.claims import FAIL
from planted import planted


def double(*numbers):
    return torch.tensor(numbers, dtype=torch.float64)


@pytest.mark.parametrize("probe", ["auto", "full"])
def test_a_claim_of_which_little_is_left_by_cancellation_is_forgiven_its_own_rounding(probe):
    """2 x erfcx(x) − 2/√π is 1e-12 at a million, as the difference of numbers near one."""
    x = double(-1.4, 0.3, 7e2, 1.2e6)
    assert secant.check(torch.special.erfcx, x, probe=probe).verdict is not FAIL

    def pull(saved, v):
        (x,) = saved
        slope = 2 * x * torch.special.erfcx(x) - 2 / torch.pi**0.5
        return v * torch.where(x > 1e6, 1.05 * slope, slope)

    off = planted("Off", torch.special.erfcx, pull)
    assert secant.check(off, x, probe="full").verdict is FAIL


@pytest.mark.parametrize("probe", ["auto", "full"])
@pytest.mark.parametrize("x", [-7.0, -8.0])
def test_the_tail_of_gelu_is_not_blamed(x, probe):
    """Far out x (1 + erf x) is x times a staircase, which moves smoothly between its steps."""
    report = secant.check(torch.nn.functional.gelu, double(x, 1.01 * x), probe=probe)
    assert report.verdict is not FAIL, str(report)


@pytest.mark.parametrize("probe", ["auto", "full"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_what_a_norm_of_one_entry_leaves_of_its_input_is_not_blamed(dtype, probe):
    """It takes the mean from itself: the weight's gradient is rounding, made of the input alone."""

    def normed(x, weight, bias):
        return torch.nn.functional.layer_norm(x, (1,), weight, bias)

    for seed in range(12):
        generator = torch.Generator().manual_seed(seed)
        leaves = [9 * torch.randn(1, generator=generator, dtype=dtype) for _ in range(3)]
        report = secant.check(normed, *leaves, probe=probe, seed=seed)
        assert report.verdict is not FAIL, str(report)
