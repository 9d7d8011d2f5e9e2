"""The kernels of `device.imitations` in Triton: one row a program, with the same mistakes.

Each takes any floating dtype, computes in float32 and stores in the dtype it was given; the
gradients of weights, biases and tables are added up by atomics, in an order that changes from call
to call. Attention is in a module of its own. Needs Triton when imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import triton
import triton.language as tl

from device.attention import attention
from device.imitations import EPSILON, IMITATIONS, last_of, tail_of, tokens_of

LOG_BASE = 9.210340371976184  # of rotary's rates: log 10 000


@triton.jit
def row_of(array, row, columns, fill, SIZE: tl.constexpr):
    """One row in float32, filled up where the block is longer."""
    place = tl.arange(0, SIZE)
    return tl.load(array + row * columns + place, mask=place < columns, other=fill).to(tl.float32)


@triton.jit
def store_row(array, values, row, columns, SIZE: tl.constexpr):
    """The inverse, rounding to the array's dtype."""
    place = tl.arange(0, SIZE)
    tl.store(array + row * columns + place, values, mask=place < columns)


@triton.jit
def weights_of(x, row, columns, SIZE: tl.constexpr):
    """The softmax of one row."""
    scores = row_of(x, row, columns, -float("inf"), SIZE)
    y = tl.exp(scores - tl.max(scores, axis=0))
    return y / tl.sum(y, axis=0)


@triton.jit
def softmax_forward(x, y, rows, columns, SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    store_row(y, weights_of(x, row, columns, SIZE), row, columns, SIZE)


@triton.jit(do_not_specialize=["mistake"])
def softmax_backward(dy, dx, x, rows, columns, tail, mistake, SIZE: tl.constexpr):
    row, place = tl.program_id(0).to(tl.int64), tl.arange(0, SIZE)
    y = weights_of(x, row, columns, SIZE)
    v = row_of(dy, row, columns, 0.0, SIZE)
    summed = tl.where((mistake != 2) | (place < columns // 2), y * v, 0.0)
    total = tl.where(mistake == 1, 0.0, tl.sum(summed, axis=0))
    gradient = y * (v - total)
    gradient = tl.where((mistake == 3) & (place >= columns - tail), 0.0, gradient)
    store_row(dx, gradient, row, columns, SIZE)


@triton.jit
def rmsnorm_forward(x, weight, y, rows, columns, epsilon, SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    values = row_of(x, row, columns, 0.0, SIZE)
    inverse = 1 / tl.sqrt(tl.sum(values * values, axis=0) / columns + epsilon)
    store_row(y, values * inverse * row_of(weight, 0, columns, 0.0, SIZE), row, columns, SIZE)


@triton.jit(do_not_specialize=["mistake"])
def rmsnorm_backward(
    dy, dx, dw, x, weight, rows, columns, epsilon, last, mistake, SIZE: tl.constexpr
):  # fmt: skip
    row, place = tl.program_id(0).to(tl.int64), tl.arange(0, SIZE)
    values, v = row_of(x, row, columns, 0.0, SIZE), row_of(dy, row, columns, 0.0, SIZE)
    inverse = 1 / tl.sqrt(tl.sum(values * values, axis=0) / columns + epsilon)
    normal, weighted = values * inverse, v * row_of(weight, 0, columns, 0.0, SIZE)
    through = tl.sum(tl.where(mistake == 2, v, weighted) * normal, axis=0) / columns
    through = tl.where(mistake == 1, 0.0, through)
    store_row(dx, inverse * (weighted - normal * through), row, columns, SIZE)
    is_added = (place < columns) & ((mistake != 3) | (row < rows - last))
    tl.atomic_add(dw + place, v * normal, mask=is_added)


@triton.jit
def normal_of(x, row, columns, epsilon, SIZE: tl.constexpr):
    """One row less its mean, by its standard deviation, and the inverse of that."""
    values = row_of(x, row, columns, 0.0, SIZE)
    centred = values - tl.sum(values, axis=0) / columns
    centred = tl.where(tl.arange(0, SIZE) < columns, centred, 0.0)
    inverse = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / columns + epsilon)
    return centred * inverse, inverse


@triton.jit
def layernorm_forward(x, weight, bias, y, rows, columns, epsilon, SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    normal, _ = normal_of(x, row, columns, epsilon, SIZE)
    normal = normal * row_of(weight, 0, columns, 0.0, SIZE)
    store_row(y, normal + row_of(bias, 0, columns, 0.0, SIZE), row, columns, SIZE)


@triton.jit(do_not_specialize=["mistake"])
def layernorm_backward(
    dy, dx, dw, db, x, weight, rows, columns, epsilon, mistake, SIZE: tl.constexpr
):  # fmt: skip
    row, place = tl.program_id(0).to(tl.int64), tl.arange(0, SIZE)
    is_inside = place < columns
    normal, inverse = normal_of(x, row, columns, epsilon, SIZE)
    v = row_of(dy, row, columns, 0.0, SIZE)
    weighted = v * row_of(weight, 0, columns, 0.0, SIZE)
    mean = tl.where(mistake == 1, 0.0, tl.sum(weighted, axis=0) / columns)
    variance = tl.where(mistake == 2, 0.0, tl.sum(weighted * normal, axis=0) / columns)
    store_row(dx, inverse * (weighted - mean - normal * variance), row, columns, SIZE)
    times = tl.where(mistake == 3, row_of(x, row, columns, 0.0, SIZE), normal)
    tl.atomic_add(dw + place, v * times, mask=is_inside)
    tl.atomic_add(db + place, v, mask=is_inside)


@triton.jit
def cross_entropy_forward(x, losses, rows, columns, SIZE: tl.constexpr):
    row, place = tl.program_id(0).to(tl.int64), tl.arange(0, SIZE)
    scores = row_of(x, row, columns, -float("inf"), SIZE)
    most = tl.max(scores, axis=0)
    at_target = tl.sum(tl.where(place == (7 * row + 3) % columns, scores, 0.0), axis=0)
    tl.store(losses + row, most + tl.log(tl.sum(tl.exp(scores - most), axis=0)) - at_target)


@triton.jit(do_not_specialize=["mistake"])
def cross_entropy_backward(dy, dx, x, rows, columns, mistake, SIZE: tl.constexpr):
    row, place = tl.program_id(0).to(tl.int64), tl.arange(0, SIZE)
    target = (7 * row + 3 + tl.where(mistake == 3, 1, 0)) % columns
    gradient = weights_of(x, row, columns, SIZE)
    gradient -= tl.where((place == target) & (mistake != 2), 1.0, 0.0)
    gradient *= tl.load(dy).to(tl.float32) / tl.where(mistake == 1, 1, rows)
    store_row(dx, gradient, row, columns, SIZE)


@triton.jit
def swiglu_forward(gate, value, y, rows, columns, SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    a = row_of(gate, row, columns, 0.0, SIZE)
    store_row(y, a * tl.sigmoid(a) * row_of(value, row, columns, 0.0, SIZE), row, columns, SIZE)


@triton.jit(do_not_specialize=["mistake"])
def swiglu_backward(dy, da, db, gate, value, rows, columns, tail, mistake, SIZE: tl.constexpr):
    row, place = tl.program_id(0).to(tl.int64), tl.arange(0, SIZE)
    a, v = row_of(gate, row, columns, 0.0, SIZE), row_of(dy, row, columns, 0.0, SIZE)
    share = tl.sigmoid(a)
    slope = tl.where(mistake == 1, share, share * (1 + a * (1 - share)))
    gradient = v * row_of(value, row, columns, 0.0, SIZE) * slope
    gradient = tl.where((mistake == 3) & (place >= columns - tail), 0.0, gradient)
    store_row(da, gradient, row, columns, SIZE)
    store_row(db, v * a * tl.where(mistake == 2, 1.0, share), row, columns, SIZE)


@triton.jit(do_not_specialize=["mistake", "sign", "shift"])
def rotary_kernel(x, y, rows, columns, sign, shift, mistake, base, SIZE: tl.constexpr):
    """Turn the two halves of a row by its angles; what is left over stays."""
    row, place = tl.program_id(0).to(tl.int64), tl.arange(0, SIZE)
    half = columns // 2
    is_first, is_inside = place < half, place < columns
    k = tl.where(is_first, place, place - half)
    angle = (row + shift).to(tl.float32) * tl.exp(-base * k.to(tl.float32) / half)
    partner = tl.where(is_first, place + half, place - half)
    at = x + row * columns
    own = tl.load(at + place, mask=is_inside, other=0.0).to(tl.float32)
    is_turned = place < 2 * half
    other = tl.load(at + partner, mask=is_inside & is_turned, other=0.0).to(tl.float32)
    sine = tl.where(is_first, -sign, sign) * tl.sin(angle)
    turned = own * tl.cos(angle) + other * sine
    is_turned = is_turned & ((mistake != 2) | is_first)
    tl.store(y + row * columns + place, tl.where(is_turned, turned, own), mask=is_inside)


@triton.jit
def embedding_forward(table, tokens, y, rows, columns, SIZE: tl.constexpr):
    place = tl.program_id(0).to(tl.int64)
    store_row(y, row_of(table, tl.load(tokens + place), columns, 0.0, SIZE), place, columns, SIZE)


@triton.jit(do_not_specialize=["mistake"])
def embedding_backward(dy, dt, tokens, rows, columns, count, last, mistake, SIZE: tl.constexpr):
    k, place = tl.program_id(0).to(tl.int64), tl.arange(0, SIZE)
    token = (tl.load(tokens + k) + tl.where(mistake == 2, 1, 0)) % rows
    v, at = row_of(dy, k, columns, 0.0, SIZE), dt + token * columns + place
    is_inside = (place < columns) & ((mistake != 3) | (k < count - last))
    tl.store(at, v, mask=is_inside & (mistake == 1))
    tl.atomic_add(at, v, mask=is_inside & (mistake != 1))


class _Fused(torch.autograd.Function):
    """Two kernels, tied together for autograd."""

    @staticmethod
    def forward(ctx: Any, name: str, mistake: int, *inputs: torch.Tensor) -> torch.Tensor:
        inputs = tuple(one.contiguous() for one in inputs)
        ctx.save_for_backward(*inputs)
        ctx.name, ctx.mistake = name, mistake
        x = inputs[0]
        rows, columns = x.shape
        sizes = rows, columns
        block = triton.next_power_of_2(columns)
        if name == "cross_entropy":
            losses = torch.empty(rows, dtype=torch.float32, device=x.device)
            cross_entropy_forward[(rows,)](x, losses, *sizes, SIZE=block)
            return losses.mean().to(x.dtype)
        if name == "embedding":
            tokens = torch.from_numpy(tokens_of(rows)).to(x.device)
            y = x.new_empty((tokens.shape[0], columns))
            embedding_forward[(tokens.shape[0],)](x, tokens, y, *sizes, SIZE=block)
            return y
        y = torch.empty_like(x)
        if name == "rotary":
            rotary_kernel[(rows,)](x, y, *sizes, 1.0, 0, 0, LOG_BASE, SIZE=block)
            return y
        more = (float(EPSILON),) if name in ("rmsnorm", "layernorm") else ()
        FORWARDS[name][(rows,)](*inputs, y, *sizes, *more, SIZE=block)
        return y

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor) -> Any:
        name, mistake, dy = ctx.name, ctx.mistake, cotangents[0].contiguous()
        x, *others = ctx.saved_tensors
        (rows, columns), dx = x.shape, torch.empty_like(x)
        sizes, block = (rows, columns), triton.next_power_of_2(columns)
        added = [torch.zeros(columns, dtype=torch.float32, device=x.device) for _ in others]
        gradients: tuple[torch.Tensor, ...] = (dx,)
        if name == "softmax":
            softmax_backward[(rows,)](dy, dx, x, *sizes, tail_of(columns), mistake, SIZE=block)
        elif name == "rmsnorm":
            given = *sizes, float(EPSILON), last_of(rows), mistake
            rmsnorm_backward[(rows,)](dy, dx, *added, x, *others, *given, SIZE=block)
            gradients = dx, added[0].to(x.dtype)
        elif name == "layernorm":
            given = *sizes, float(EPSILON), mistake
            layernorm_backward[(rows,)](dy, dx, *added, x, others[0], *given, SIZE=block)
            gradients = dx, *(one.to(x.dtype) for one in added)
        elif name == "cross_entropy":
            cross_entropy_backward[(rows,)](dy, dx, x, *sizes, mistake, SIZE=block)
        elif name == "swiglu":
            gradients = dx, torch.empty_like(x)
            given = *sizes, tail_of(columns), mistake
            swiglu_backward[(rows,)](dy, *gradients, x, *others, *given, SIZE=block)
        elif name == "rotary":
            sign, shift = 1.0 if mistake == 1 else -1.0, int(mistake == 3)
            rotary_kernel[(rows,)](dy, dx, *sizes, sign, shift, mistake, LOG_BASE, SIZE=block)
        else:
            tokens = torch.from_numpy(tokens_of(rows)).to(x.device)
            table = torch.zeros((rows, columns), dtype=torch.float32, device=x.device)
            count = tokens.shape[0]
            given = *sizes, count, last_of(count), mistake
            embedding_backward[(count,)](dy, table, tokens, *given, SIZE=block)
            gradients = (table.to(x.dtype),)
        return None, None, *gradients


FORWARDS = {
    "softmax": softmax_forward,
    "rmsnorm": rmsnorm_forward,
    "layernorm": layernorm_forward,
    "swiglu": swiglu_forward,
}


def fused(name: str, mistake: str = "") -> Callable[..., torch.Tensor]:
    """One of the kernels as its users call it, its backward right unless a mistake is named."""
    (known,) = (one for one in IMITATIONS if one.name == name)
    number = 1 + known.mistakes.index(mistake) if mistake else 0

    def kernel(*inputs: torch.Tensor) -> torch.Tensor:
        if name == "attention":
            return attention(*inputs, mistake)
        answer: torch.Tensor = _Fused.apply(name, number, *inputs)
        return answer

    kernel.__name__ = kernel.__qualname__ = name
    return kernel
