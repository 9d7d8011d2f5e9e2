"""Gradients that are wrong in a low dtype and right in float64, and functions float64 cannot run.

What a function does in float64 says much about it, but the gradient that trains is the low one.
"""

from __future__ import annotations

import pytest
import torch

import secant
from hard.claims import DOUBLE, FAIL, PASS, PROBES, uniform

FUNCTIONS = {
    "identity": lambda x: 1 * x,
    "abs": torch.abs,
    "sin": torch.sin,
    "square": lambda x: x * x,
    "sum": lambda x: (x * x).sum(),
    "softmax": lambda x: x.softmax(0),
}
NAMES = pytest.mark.parametrize("name", FUNCTIONS)
LOW = pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float16, torch.bfloat16], ids=["float32", "float16", "bfloat16"]
)


def wrong_in_low(function, factor, *, refuses=False):
    """The function with its gradient multiplied where the input is not float64."""

    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            if x.dtype == DOUBLE and refuses:
                raise TypeError("no kernel for float64")
            ctx.save_for_backward(x)
            return function(x)

        @staticmethod
        def backward(ctx, v):
            x = ctx.saved_tensors[0].detach().requires_grad_()
            with torch.enable_grad():
                (gradient,) = torch.autograd.grad(function(x), x, v)
            return gradient if x.dtype == DOUBLE else factor * gradient

    return Scaled.apply


def point(dtype, seed=0):
    return uniform(8, low=0.2, high=0.9, dtype=dtype, seed=seed)


@pytest.mark.thinned(keep=12)
@NAMES
@LOW
@PROBES
def test_a_gradient_twenty_percent_off_in_the_low_dtype_alone_is_wrong(name, dtype, probe):
    wrong = wrong_in_low(FUNCTIONS[name], 1.2)
    report = secant.check(wrong, point(dtype), probe=probe, explain=False)
    assert report.verdict is FAIL, str(report)


@pytest.mark.thinned(keep=12)
@NAMES
@LOW
@PROBES
def test_running_in_float64_as_well_catches_no_less_than_not(name, dtype, probe):
    wrong = wrong_in_low(FUNCTIONS[name], 1.1)
    alone = secant.check(wrong, point(dtype), probe=probe, lift=False, explain=False)
    lifted = secant.check(wrong, point(dtype), probe=probe, explain=False)
    assert alone.verdict is not FAIL or lifted.verdict is FAIL, str(lifted)


@pytest.mark.thinned(keep=36)
@NAMES
@LOW
@PROBES
@pytest.mark.parametrize("seed", range(3))
def test_a_right_function_that_float64_cannot_run_is_not_blamed(name, dtype, probe, seed):
    right = wrong_in_low(FUNCTIONS[name], 1.0, refuses=True)
    report = secant.check(right, point(dtype, seed), probe=probe, seed=seed, explain=False)
    assert report.verdict is not FAIL, str(report)


@pytest.mark.thinned(keep=12)
@NAMES
@LOW
@PROBES
def test_twice_the_gradient_of_a_function_that_float64_cannot_run_is_not_passed(name, dtype, probe):
    wrong = wrong_in_low(FUNCTIONS[name], 2.0, refuses=True)
    report = secant.check(wrong, point(dtype), probe=probe, explain=False)
    assert report.verdict is not PASS, str(report)
