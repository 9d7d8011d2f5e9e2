"""A bfloat16 kernel held against a trusted implementation: layer normalisation, as if fused.

The kernel computes in float32 and rounds once, as kernels do. What is a wrong gradient, and what is
rounding? The reference in float64 is the truth, the reference in bfloat16 the yardstick, and the
kernel may be twice as far from the truth as the yardstick is. The mistake below is one that real
kernels make: the gradients of weight and bias are accumulated in bfloat16.

Run it: python examples/bfloat16_kernel.py
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

import secant

EPSILON = 1e-5


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """The trusted implementation: plain operators, in any dtype."""
    centred = x - x.mean(-1, keepdim=True)
    return centred / (centred.square().mean(-1, keepdim=True) + EPSILON).sqrt() * weight + bias


class FusedLayerNorm(Function):
    """The kernel; the planted mistake: the sum over rows is kept in the dtype of the output."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        y = x.float()
        centred = y - y.mean(-1, keepdim=True)
        scale = (centred.square().mean(-1, keepdim=True) + EPSILON).rsqrt()
        normal = centred * scale
        ctx.save_for_backward(normal, scale, weight)
        return (normal * weight.float() + bias.float()).to(x.dtype)

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return gradients(ctx, grad_output, torch.bfloat16)


class FixedLayerNorm(FusedLayerNorm):
    """The same, accumulated in float32."""

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return gradients(ctx, grad_output, torch.float32)


def gradients(ctx: Any, grad_output: Tensor, kept: torch.dtype) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of x, weight and bias, with the sums over rows kept in one dtype."""
    normal, scale, weight = ctx.saved_tensors
    v = grad_output.float()
    u = v * weight.float()
    along = (u * normal).mean(-1, keepdim=True)
    of_x = scale * (u - u.mean(-1, keepdim=True) - normal * along)
    of_weight, of_bias = row_by_row(v * normal, kept), row_by_row(v, kept)
    low = grad_output.dtype
    return of_x.to(low), of_weight.to(low), of_bias.to(low)


def row_by_row(terms: Tensor, kept: torch.dtype) -> Tensor:
    """Add rows one after the other, as a thread of a kernel does."""
    total = torch.zeros_like(terms[0], dtype=kept)
    for row in terms:
        total += row.to(kept)
    return total


def main() -> None:
    """Compare the mistake, then its repair."""
    generator = torch.Generator().manual_seed(0)
    x, weight, bias = (torch.randn(*s, generator=generator) for s in ((512, 64), (64,), (64,)))
    inputs = (x, weight, bias)
    print("With the mistake:")
    print(secant.compare(FusedLayerNorm.apply, layer_norm, *inputs, dtype="bfloat16"))
    print("\nFixed:")
    fixed = secant.compare(FixedLayerNorm.apply, layer_norm, *inputs, dtype="bfloat16")
    print(fixed)
    fixed.raise_for_verdict()


if __name__ == "__main__":
    main()
