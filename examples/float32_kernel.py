"""A float32 kernel, as if fused: RMS normalisation that exists in single precision only.

A checker with one fixed step and tolerance drowns in float32's rounding. secant measures how much
that is, so the mistake below shows although no float64 version of the kernel exists.

Run it: python examples/float32_kernel.py
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

import secant

EPSILON = 1e-6


class RmsNorm(Function):
    """x / √(mean(x²) + ε) per row; the planted mistake: a sum where the mean belongs."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        if x.dtype != torch.float32:
            raise TypeError("this kernel exists in float32 only")
        scale = (x.square().mean(-1, keepdim=True) + EPSILON).rsqrt()
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        x, scale = ctx.saved_tensors
        along = (grad_output * x).sum(-1, keepdim=True)
        return grad_output * scale - x * scale**3 * along


class FixedRmsNorm(RmsNorm):
    """∂/∂x: scale v − x scale³ mean(v x)."""

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        x, scale = ctx.saved_tensors
        along = (grad_output * x).mean(-1, keepdim=True)
        return grad_output * scale - x * scale**3 * along


def main() -> None:
    """Check the mistake, then its repair."""
    x = torch.randn(4, 32, generator=torch.Generator().manual_seed(0))
    print("With the mistake:")
    print(secant.check(RmsNorm.apply, x))
    print("\nFixed:")
    print(secant.check(FixedRmsNorm.apply, x))
    secant.assert_gradient(FixedRmsNorm.apply, x)


if __name__ == "__main__":
    main()
