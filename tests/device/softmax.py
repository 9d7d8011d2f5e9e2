"""Softmax over the last dimension in Triton, with three mistakes to plant in its backward.

Takes float16, bfloat16 or float32 and computes in float32, as kernels do that are used in training.
Needs Triton when imported: `device.kernels` is the door that does not.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from device.kernels import ACCEPTED, NO_ROW_SUM, TAKEN_FOR_CONTIGUOUS, TOO_LARGE


@triton.jit
def forward_kernel(
    scores, weights, scores_row, scores_column, weights_row, columns, BLOCK: tl.constexpr
):  # fmt: skip
    """One row a program: y = exp(x − max x) / Σ exp(x − max x)."""
    row = tl.program_id(0).to(tl.int64)
    place = tl.arange(0, BLOCK)
    is_inside = place < columns
    at = scores + row * scores_row + place * scores_column
    x = tl.load(at, mask=is_inside, other=-float("inf")).to(tl.float32)
    y = tl.exp(x - tl.max(x, axis=0))
    y = y / tl.sum(y, axis=0)
    tl.store(weights + row * weights_row + place, y, mask=is_inside)


@triton.jit
def backward_kernel(
    weights, cotangent, gradient, weights_row, cotangent_row, cotangent_column, gradient_row,
    columns, factor, HAS_ROW_SUM: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """One row a program: dx = y (dy − Σ y dy)."""
    row = tl.program_id(0).to(tl.int64)
    place = tl.arange(0, BLOCK)
    is_inside = place < columns
    y = tl.load(weights + row * weights_row + place, mask=is_inside, other=0.0).to(tl.float32)
    at = cotangent + row * cotangent_row + place * cotangent_column
    dy = tl.load(at, mask=is_inside, other=0.0).to(tl.float32)
    dx = y * dy
    if HAS_ROW_SUM:
        dx = dx - y * tl.sum(dx, axis=0)
    tl.store(gradient + row * gradient_row + place, factor * dx, mask=is_inside)


class Softmax(torch.autograd.Function):
    """The two kernels, tied together for autograd."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, mistake: str) -> torch.Tensor:
        if x.dtype not in ACCEPTED or x.ndim != 2:
            raise TypeError(f"expected two dimensions of a float below float64; got {x.dtype}")
        rows, columns = x.shape
        y = torch.empty((rows, columns), dtype=x.dtype, device=x.device)
        block = triton.next_power_of_2(columns)
        forward_kernel[(rows,)](x, y, x.stride(0), x.stride(1), y.stride(0), columns, BLOCK=block)
        ctx.save_for_backward(y)
        ctx.mistake = mistake
        return y

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor) -> Any:
        (y,), (dy,) = ctx.saved_tensors, cotangents
        rows, columns = y.shape
        dx = torch.empty_like(y)
        strides = (columns, 1) if ctx.mistake == TAKEN_FOR_CONTIGUOUS else dy.stride()
        backward_kernel[(rows,)](
            y,
            dy,
            dx,
            y.stride(0),
            *strides,
            dx.stride(0),
            columns,
            1.1 if ctx.mistake == TOO_LARGE else 1.0,
            HAS_ROW_SUM=ctx.mistake != NO_ROW_SUM,
            BLOCK=triton.next_power_of_2(columns),
        )
        return dx, None


def softmax(x: torch.Tensor, mistake: str = "") -> torch.Tensor:
    """Softmax of every row, with a backward that is right unless a mistake is named."""
    weights: torch.Tensor = Softmax.apply(x, mistake)
    return weights
