"""Both modes of one function: the backward is right, the jvp is not, and the two disagree.

A solver's own derivative: the root of y³ + y = x by Newton's method, differentiated through the
equation that it solves instead of through the iterations.

Run it: python examples/forward_mode.py
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

import secant


class Root(Function):
    """The y with y³ + y = x; the planted mistake: jvp forgets the 1 of d(y³ + y) = 3 y² + 1."""

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        y = x / (1 + x.square()).pow(1 / 3)
        for _ in range(30):
            y = y - (y**3 + y - x) / (3 * y.square() + 1)
        return y

    @staticmethod
    def setup_context(ctx: Any, _inputs: tuple[Tensor], output: Tensor) -> None:
        ctx.save_for_backward(output)
        ctx.save_for_forward(output)

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        (y,) = ctx.saved_tensors
        return grad_output / (3 * y.square() + 1)

    @staticmethod
    def jvp(ctx: Any, tangent: Tensor) -> Tensor:
        (y,) = ctx.saved_tensors
        return tangent / (3 * y.square())


class FixedRoot(Root):
    """The same equation in both modes."""

    @staticmethod
    def jvp(ctx: Any, tangent: Tensor) -> Tensor:
        (y,) = ctx.saved_tensors
        return tangent / (3 * y.square() + 1)


def main() -> None:
    """Check reverse mode, which is right, then both, then the repair."""
    x = torch.linspace(0.5, 4, 6, dtype=torch.float64)
    print("With the mistake, reverse mode:")
    print(secant.check(Root.apply, x))
    print("\nWith the mistake, both modes:")
    print(secant.check(Root.apply, x, modes="all"))
    print("\nFixed, both modes:")
    print(secant.check(FixedRoot.apply, x, modes="all"))
    secant.assert_gradient(FixedRoot.apply, x, modes="all")


if __name__ == "__main__":
    main()
