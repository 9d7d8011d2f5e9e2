"""Leaves of zeros: what is a long step to them only the function knows."""

import pytest
import torch
import torch.nn.functional as F

import secant
from planted import FLOAT, planted
from secant import Verdict


def bent(x):
    """Rectified near zero, where the claim lies between two slopes; steeper beyond."""
    steep = 1e5 * x.expand(3)
    return torch.maximum(torch.maximum(F.softshrink(steep, 0.25), steep), steep)


def normalised(x, y):
    """A term that saturates, beside one that goes on."""
    steep = 1e6 * x
    sizes = (steep + y).abs()
    sizes = sizes / (sizes.square().mean() + 0.01).sqrt()
    return torch.cat([sizes, steep]).sum()


class Normalised(torch.autograd.Function):
    """The same, with the gradient of the second term alone 5 % too large."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return normalised(x, y)

    @staticmethod
    def backward(ctx, grad):
        with torch.enable_grad():
            x, y = (one.detach().requires_grad_() for one in ctx.saved_tensors)
            gradients = torch.autograd.grad(normalised(x, y), (x, y), grad)
        return gradients[0] + 0.05e6 * grad, gradients[1]


def test_a_slope_that_other_terms_hide_further_away_is_not_blamed():
    y = torch.randn(3, dtype=torch.complex128, generator=torch.Generator().manual_seed(0))
    zero = torch.zeros(1, dtype=torch.complex128)
    for seed in range(4):
        assert secant.check(normalised, zero, y, seed=seed, explain=False)
        assert secant.check(bent, torch.tensor(0.0), lift=False, seed=seed, explain=False)
        wrong = secant.check(Normalised.apply, zero, y, seed=seed, explain=False)
        assert wrong.verdict is Verdict.FAIL


@pytest.mark.parametrize("probe", ["fast", "full"])
@pytest.mark.parametrize("scale", [1e-7, 1e-9, 1e-11])
def test_what_looks_like_a_kink_further_away_excuses_nothing_at_a_zero(scale, probe):
    def bent(x):
        return F.silu(x / scale)

    zero = torch.zeros(3, dtype=FLOAT)
    wrong = planted("Wrong", bent, lambda saved, v: v * 0.5001 / scale)
    for seed in range(3):
        assert secant.check(bent, zero, probe=probe, seed=seed)
        report = secant.check(wrong, zero, probe=probe, seed=seed, explain=False)
        assert report.verdict is Verdict.FAIL, str(report)
