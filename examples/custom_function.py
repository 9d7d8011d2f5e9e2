"""A custom `autograd.Function` whose backward forgets a term, found and fixed.

Run it: python examples/custom_function.py
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

import secant


class Swish(Function):
    """x σ(x); the planted mistake: σ(x) is treated as if it did not depend on x."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * x.sigmoid()

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return grad_output * x.sigmoid()


class FixedSwish(Swish):
    """The product rule, both terms: σ + x σ (1 − σ)."""

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        gate = x.sigmoid()
        return grad_output * (gate + x * gate * (1 - gate))


def main() -> None:
    """Check the mistake, then its repair."""
    x = torch.linspace(-3, 3, 8, dtype=torch.float64)
    print("With the mistake:")
    print(secant.check(Swish.apply, x))
    print("\nFixed:")
    print(secant.check(FixedSwish.apply, x))
    secant.assert_gradient(FixedSwish.apply, x)  # what a test of yours would say


if __name__ == "__main__":
    main()
