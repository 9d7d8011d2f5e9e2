"""An operator that is right for vectors alone, fuzzed: Hypothesis finds the smallest wrong matrix.

Run it: python examples/fuzz_operator.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from hypothesis import HealthCheck, Phase, given, settings
from torch import Tensor
from torch.autograd import Function

import secant
from secant.strategies import shapes, tensors


class CumulativeSum(Function):
    """Sums along the last axis; the planted mistake: backward goes back along the first one."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:  # noqa: ARG004 nothing need be saved
        return x.cumsum(-1)

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:  # noqa: ARG004 nothing was saved
        return grad_output.flip(0).cumsum(-1).flip(0)


class FixedCumulativeSum(CumulativeSum):
    """Backward goes back along the last axis, whatever comes before it."""

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:  # noqa: ARG004 nothing was saved
        return grad_output.flip(-1).cumsum(-1).flip(-1)


def fuzz(function: Callable[..., Any]) -> None:
    """Check a function at a hundred tensors; in a test file, the inner function is the test."""

    @settings(
        deadline=None,  # no example is wrong because the machine is busy
        derandomize=True,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=[HealthCheck.too_slow],  # likewise
    )
    @given(tensors("torch", shape=shapes(min_dims=1)))
    def is_right_everywhere(x: Tensor) -> None:
        secant.assert_gradient(function, x)

    is_right_everywhere()


def main() -> None:
    """Fuzz the mistake, then its repair."""
    print("With the mistake, which vectors do not show:")
    try:
        fuzz(CumulativeSum.apply)
    except secant.GradientMismatch as mismatch:
        print(mismatch.report, *mismatch.__notes__, sep="\n")
    fuzz(FixedCumulativeSum.apply)
    print("\nFixed, for all tensors that were drawn, and for one more:")
    print(secant.check(FixedCumulativeSum.apply, torch.arange(6.0).double().view(2, 3)))


if __name__ == "__main__":
    main()
