"""A report never contradicts itself: what is right lies within its bars, what is wrong outside."""

import numpy as np
import pytest
import torch

import secant
from secant import Verdict

POINT = torch.tensor([0.0, 0.5, -1.25, 3.0, -0.1], dtype=torch.float64)


def scaled(function, factor):
    """The function, with its gradient off by a factor."""

    def wrong(x):
        value = function(x)
        return value.detach() + factor * (value - value.detach())

    return wrong


FUNCTIONS = {
    "kinks": lambda x: x.abs() + torch.relu(x) * 2,
    "ties": lambda x: torch.stack([x.amax(), x.sort().values[0], (x - x.roll(1)).abs().sum()]),
    "steep": lambda x: torch.exp(x * 8) + 1e-9 * x,
    "single precision inside": lambda x: x.float().tanh().double(),
    "wavelengths": lambda x: torch.sin(x * 1e6),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_a_jacobian_that_is_not_called_wrong_lies_within_its_bars(name, dtype):
    report = secant.check(FUNCTIONS[name], POINT.to(dtype), probe="full")
    claimed, measured, error = report.jacobian()
    frame = next(iter(report.frames.values()))
    limit = 1.5 * error + frame.rtol * np.abs(claimed) + frame.atol
    assert report.verdict is not Verdict.FAIL, str(report)
    assert (np.abs(claimed - measured) <= limit * (1 + 1e-12)).all(), str(report)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("probe", ["fast", "full"])
def test_entries_that_are_called_wrong_lie_outside_their_bars(name, probe):
    report = secant.check(scaled(FUNCTIONS[name], 1.5), POINT, probe=probe)
    entries = [entry for finding in report.findings for entry in finding.entries]
    assert report.verdict is Verdict.FAIL, str(report)
    assert entries, str(report)
    for entry in entries:
        apart = abs(entry.claimed - entry.measured.value)
        assert apart > entry.measured.error, str(report)
