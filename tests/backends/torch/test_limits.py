"""What torch itself cannot differentiate is no wrong gradient; what a rule cannot is one."""

from __future__ import annotations

import pytest
import torch
from torch.autograd import forward_ad
from torch.utils.flop_counter import FlopCounterMode

import secant

INCONCLUSIVE, FAIL = secant.Verdict.INCONCLUSIVE, secant.Verdict.FAIL
X = torch.linspace(0.1, 1, 4, dtype=torch.float64)


def pushed_by_transform(x):
    return torch.func.jvp(torch.sin, (x,), (torch.ones_like(x),))[1]


def pushed_by_dual(x):
    with forward_ad.dual_level():
        return forward_ad.unpack_dual(forward_ad.make_dual(x, torch.ones_like(x)).sin()).tangent


@pytest.mark.parametrize("modes", ["forward", "all"])
@pytest.mark.parametrize("function", [pushed_by_transform, pushed_by_dual])
def test_forward_mode_inside_forward_mode_cannot_be_told(function, modes):
    report = secant.check(function, X, modes=modes)
    assert report.verdict is INCONCLUSIVE
    assert "Nested forward mode AD is not supported" in str(report)
    assert "the framework has no derivative here" in str(report)


def test_reverse_mode_of_the_same_functions_passes():
    assert secant.check(pushed_by_transform, X)


@pytest.mark.parametrize("order", [1, 2])
def test_a_module_whose_passes_are_counted_cannot_be_told(order):
    network = torch.nn.Sequential(torch.nn.Linear(4, 2), torch.nn.Tanh()).double()
    with FlopCounterMode(display=False):
        report = secant.check(network, X, order=order)
    assert report.verdict is INCONCLUSIVE
    assert "currently not supported" in str(report)
    assert secant.check(network, X)


def test_a_rule_that_says_it_is_not_supported_has_no_right_gradient():
    class Unsupported(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.sin()

        @staticmethod
        def backward(ctx, v):
            raise RuntimeError("this layout is not supported")

    assert secant.check(Unsupported.apply, X).verdict is FAIL
