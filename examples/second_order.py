"""A backward that is right once and wrong when differentiated again.

Gradient penalties, Hessian-vector products and meta-learning all pull through a backward. This one
uses a number that forward computed without a graph: its own derivative is silently zero.

Run it: python examples/second_order.py
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

import secant


class Tanh(Function):
    """tanh(x); the planted mistake: 1 − tanh² is kept on ctx, where autograd cannot see it."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        output = x.tanh()
        ctx.slope = 1 - output.square()
        return output

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        return grad_output * ctx.slope


class FixedTanh(Function):
    """Saves its output, which autograd knows, and computes the slope in backward."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        output = x.tanh()
        ctx.save_for_backward(output)
        return output

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        (output,) = ctx.saved_tensors
        return grad_output * (1 - output.square())


def main() -> None:
    """Check the mistake at both orders, then its repair."""
    x = torch.linspace(-1, 1, 6, dtype=torch.float64)
    print("With the mistake, first order:")
    print(secant.check(Tanh.apply, x))
    print("\nWith the mistake, second order:")
    print(secant.check(Tanh.apply, x, order=2))
    print("\nFixed, second order:")
    print(secant.check(FixedTanh.apply, x, order=2))
    secant.assert_gradient(FixedTanh.apply, x, order=2)


if __name__ == "__main__":
    main()
