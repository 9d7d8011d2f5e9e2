"""float8: what the numbers cannot tell from twice its size is not passed."""

from __future__ import annotations

import pytest
import torch

import secant

FAIL, PASS = secant.Verdict.FAIL, secant.Verdict.PASS
DTYPES = [torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz]


def rule(forward, slope, factor):
    """Return a rule for a function of float8 that computes in float32 inside."""

    class Rule(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return forward(x.float())

        @staticmethod
        def backward(ctx, v):
            (x,) = ctx.saved_tensors
            return (factor * v.float() * slope(x.float())).to(x.dtype)

    return Rule.apply


FUNCTIONS = {
    "sine": (torch.sin, torch.cos),
    "square": (torch.square, lambda x: 2 * x),
    "sum": (torch.sum, torch.ones_like),
    "half": (lambda x: x.half() ** 2, lambda x: 2 * x),
}


@pytest.mark.thinned(keep=12)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("probe", ["fast", "full"])
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("size", [3, 17])
def test_a_gradient_twice_too_large_never_passes(dtype, probe, name, size):
    point = torch.linspace(0.25, 2, size).to(dtype)
    for lift in ("auto", False):
        report = secant.check(rule(*FUNCTIONS[name], 2.0), point, probe=probe, lift=lift)
        assert report.verdict is not PASS


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("probe", ["fast", "full"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_right_gradient_never_fails(dtype, probe, name):
    point = torch.linspace(0.25, 2, 5).to(dtype)
    assert secant.check(rule(*FUNCTIONS[name], 1.0), point, probe=probe).verdict is not FAIL


def test_outputs_of_float8_too():
    def forward(x):
        return x.sin().to(torch.float8_e5m2)

    point = torch.linspace(0.25, 2, 5).to(torch.float8_e5m2)
    for probe in ("fast", "full"):
        wrong = secant.check(rule(forward, torch.cos, 2.0), point, probe=probe)
        assert wrong.verdict is not PASS
        assert secant.check(rule(forward, torch.cos, 1.0), point, probe=probe).verdict is not FAIL
