"""Functions of float64 that lose digits inside, and functions that do not quite repeat themselves.

What stands still only as far as float32 can tell is rounded, not flat: zero is no slope of it. And
what a function does not repeat is in every bar, so that it need not be feared once it is seen.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch

import secant
from hard.claims import DOUBLE, FAIL, INCONCLUSIVE, PASS, uniform
from planted import planted


def rounded_inside(function, factor=1.0):
    """The function of its inputs rounded to float32 by another library, differentiated exactly."""

    class Rounded(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return function(torch.from_numpy(x.double().numpy().astype(np.float32)).to(x.dtype))

        @staticmethod
        def backward(ctx, v):
            x = ctx.saved_tensors[0].detach().requires_grad_()
            with torch.enable_grad():
                return factor * torch.autograd.grad(function(x), x, v)[0]

    return Rounded.apply


def cancelling(x):
    """A variance as the difference of two numbers near a million, in float32."""
    narrow = x.numpy().astype(np.float32)
    variance = (narrow * narrow).mean(-1) - narrow.mean(-1) ** 2
    return torch.from_numpy(variance.astype(np.float64))


@pytest.mark.parametrize("seed", range(3))
def test_a_variance_whose_digits_have_cancelled_is_neither_blamed_nor_zero(seed):
    """Its outputs are multiples of 1/16 that no short step moves: no reason to believe in zero."""
    x = 1000 + 2 * uniform(3, 8, low=-1, high=1, dtype=DOUBLE, seed=seed)

    def backward(saved, v):
        return v[:, None] * 2 / 8 * (saved[0] - saved[0].mean(-1, keepdim=True))

    right = planted("Variance", cancelling, backward)
    zero = planted("Zero", cancelling, lambda saved, v: 0 * saved[0])
    assert secant.check(right, x, seed=seed).verdict is not FAIL
    assert secant.check(zero, x, seed=seed).verdict is not PASS


@pytest.mark.parametrize(("factor", "verdict"), [(1.0, PASS), (0.0, FAIL), (1.05, FAIL)])
@pytest.mark.parametrize("scale", [1.0, 1e8], ids=["fractions", "whole numbers"])
def test_rounding_the_inputs_alone_is_seen_through(factor, verdict, scale):
    x = scale * uniform(6, low=0.3, high=0.9, dtype=DOUBLE, seed=1)
    function = rounded_inside(lambda x: torch.sqrt(x * x + scale**2), factor)
    report = secant.check(function, x, explain=False)
    assert report.verdict is verdict, str(report)


@pytest.mark.parametrize("noise", [1e-14, 1e-9, 1e-6])
@pytest.mark.parametrize(("factor", "verdict"), [(1.0, PASS), (1.05, FAIL), (0.0, FAIL)])
def test_what_a_function_does_not_repeat_is_in_its_bars(noise, factor, verdict):
    generator = torch.Generator().manual_seed(0)

    def forward(x):
        return x.sin() + noise * torch.randn(x.shape, generator=generator, dtype=DOUBLE)

    restless = planted("Restless", forward, lambda saved, v: factor * saved[0].cos() * v)
    report = secant.check(
        restless, uniform(6, low=0.1, high=0.9, dtype=DOUBLE, seed=1), explain=False
    )
    assert report.verdict is verdict, str(report)


def test_a_function_that_is_mostly_noise_cannot_be_told_and_says_why():
    generator = torch.Generator().manual_seed(0)

    def noisy(x):
        return x.sin() + torch.randn(x.shape, generator=generator, dtype=DOUBLE)

    report = secant.check(noisy, uniform(6, low=0.1, high=0.9, dtype=DOUBLE, seed=1))
    assert report.verdict is INCONCLUSIVE
    assert "does not repeat itself" in str(report)


def test_many_neighbours_tell_a_right_gradient_in_bfloat16_from_its_rounding():
    """Twelve sums of exponentials in a row leave a gradient some roundings off at every entry."""
    generator = torch.Generator().manual_seed(7)
    steps, scores = (torch.randn(*shape, generator=generator) for shape in ((4, 4), (12, 4)))

    def chain(steps, scores):
        moves = torch.log_softmax(steps, -1)
        total = scores[0]
        for score in scores[1:]:
            total = torch.logsumexp(total[:, None] + moves, 0) + score
        return torch.logsumexp(total, 0)

    inputs = [one.bfloat16().requires_grad_() for one in (steps, scores)]
    report = secant.check(chain, *inputs)
    assert report.verdict is PASS, str(report)
    assert report.resolution is not None


@pytest.mark.parametrize("noise", [1e-15, 1e-9])
@pytest.mark.parametrize(("factor", "verdict"), [(1.0, PASS), (1.05, FAIL)])
def test_what_is_not_repeated_is_in_the_bars_of_whole_jacobians_too(noise, factor, verdict):
    generator = torch.Generator().manual_seed(0)

    def forward(x):
        return x.sin() + noise * torch.randn(x.shape, generator=generator, dtype=DOUBLE)

    restless = planted("Restless", forward, lambda saved, v: factor * saved[0].cos() * v)
    x = uniform(6, low=0.1, high=0.9, dtype=DOUBLE, seed=1)
    report = secant.check(restless, x, probe="full", explain=False)
    assert report.verdict is verdict, str(report)
    jacobian = next(iter(report.jacobians.values()))
    off = abs(np.diag(jacobian.measured) - np.cos(x.detach().numpy()))
    assert (off <= np.diag(jacobian.error)).all()
