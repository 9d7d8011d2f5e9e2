"""What the hard points share: right claims made wrong, points, and what a verdict may be.

`off(function, factor)` gives the function with every gradient multiplied; it runs in every dtype.
`right` and `wrong` ask secant, and show the whole report where the verdict is not the one expected.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import secant
from secant import Report, Verdict

Tensor = torch.Tensor
Function = Callable[..., Any]

PASS, FAIL, INCONCLUSIVE = Verdict.PASS, Verdict.FAIL, Verdict.INCONCLUSIVE
DOUBLE, SINGLE = torch.float64, torch.float32

DTYPES = pytest.mark.parametrize("dtype", [DOUBLE, SINGLE], ids=["float64", "float32"])
PROBES = pytest.mark.parametrize("probe", ["fast", "full"])


class Exaggerated(torch.autograd.Function):
    """The identity, with its gradient multiplied."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, factor: float) -> Tensor:
        ctx.factor = factor
        return x.clone()

    @staticmethod
    def backward(ctx: Any, v: Tensor) -> tuple[Tensor, None]:
        return v * ctx.factor, None


def off(function: Function, factor: float) -> Function:
    """The function with the gradients of all its inputs multiplied by a factor."""
    return lambda *inputs: function(*(Exaggerated.apply(x, factor) for x in inputs))


def uniform(*shape: int, low: float, high: float, dtype: torch.dtype, seed: int = 0) -> Tensor:
    """Numbers drawn evenly between two others, the same ones in every dtype."""
    generator = torch.Generator().manual_seed(seed)
    numbers = torch.rand(shape, dtype=DOUBLE, generator=generator)
    return (low + (high - low) * numbers).to(dtype)


def gradient_of(function: Function, x: Tensor) -> Tensor:
    """The claim, pulled back from a random cotangent."""
    leaf = x.detach().clone().requires_grad_()
    output = function(leaf)
    cotangent = torch.randn(
        output.shape, dtype=output.dtype, generator=torch.Generator().manual_seed(0)
    )
    return torch.autograd.grad(output, leaf, cotangent)[0]


def told(report: Report, *verdicts: Verdict) -> None:
    """Expect one of these verdicts."""
    assert report.verdict in verdicts, str(report)


def right(function: Function, *inputs: Tensor, **settings: Any) -> Report:
    """Expect a right claim to pass."""
    report = secant.check(function, *inputs, **settings)
    told(report, PASS)
    return report


def wrong(function: Function, *inputs: Tensor, **settings: Any) -> Report:
    """Expect a wrong claim to fail."""
    report = secant.check(function, *inputs, **settings)
    told(report, FAIL)
    return report
