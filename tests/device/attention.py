"""Causal attention in Triton, tile by tile, with three mistakes to plant in its backward.

The forward keeps a running maximum and sum (online softmax) and saves the logarithm of the sums;
the backward recomputes the weights from them. Takes float16, bfloat16 or float32 of shape (heads,
length, dimension), multiplies tiles in that dtype and accumulates in float32. Needs Triton when
imported: `device.kernels` is the door that does not.
"""

from __future__ import annotations

import math
from typing import Any

import torch
import triton
import triton.language as tl

from device.kernels import ACCEPTED, MASK_OFF_BY_ONE, NO_DELTA, NO_SCALE

TILE = 32


@triton.jit
def load_tile(array, first, length, SIZE: tl.constexpr, TILE: tl.constexpr):
    """Rows first, first + 1, … of one head, zero beyond its length."""
    rows = first + tl.arange(0, TILE)
    at = array + rows[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
    return tl.load(at, mask=rows[:, None] < length, other=0.0)


@triton.jit
def store_tile(array, tile, first, length, SIZE: tl.constexpr, TILE: tl.constexpr):
    """The inverse of `load_tile`, rounding to the array's dtype."""
    rows = first + tl.arange(0, TILE)
    at = array + rows[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
    tl.store(at, tile, mask=rows[:, None] < length)


@triton.jit
def is_seen(query, key, length, LAG: tl.constexpr, TILE: tl.constexpr):
    """Which keys of a tile each query of a tile attends to: those up to LAG before itself."""
    rows = query + tl.arange(0, TILE)[:, None]
    columns = key + tl.arange(0, TILE)[None, :]
    return (columns + LAG <= rows) & (rows < length)


@triton.jit
def forward_kernel(
    queries, keys, values, outputs, log_sums, length, scale,
    SIZE: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """One tile of queries a program, over all tiles of keys up to its own."""
    head = tl.program_id(1).to(tl.int64) * length
    first = tl.program_id(0) * TILE
    q = load_tile(queries + head * SIZE, first, length, SIZE, TILE)
    most = tl.full((TILE,), -1.0e30, tl.float32)
    total = tl.zeros((TILE,), tl.float32)
    summed = tl.zeros((TILE, SIZE), tl.float32)
    for key in range(0, first + TILE, TILE):
        k = load_tile(keys + head * SIZE, key, length, SIZE, TILE)
        v = load_tile(values + head * SIZE, key, length, SIZE, TILE)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        s = tl.where(is_seen(first, key, length, 0, TILE), s, -1.0e30)
        higher = tl.maximum(most, tl.max(s, axis=1))
        p = tl.exp(s - higher[:, None])
        shrink = tl.exp(most - higher)
        total = total * shrink + tl.sum(p, axis=1)
        summed = summed * shrink[:, None] + tl.dot(p.to(v.dtype), v, input_precision="ieee")
        most = higher
    store_tile(outputs + head * SIZE, summed / total[:, None], first, length, SIZE, TILE)
    rows = first + tl.arange(0, TILE)
    tl.store(log_sums + head + rows, most + tl.log(total), mask=rows < length)


@triton.jit
def slopes(
    q, k, v, do, log_sums, deltas, query, key, length, scale,
    LAG: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """The weights P of one tile, recomputed, and dS = P ∘ (dO Vᵀ − delta)."""
    rows = query + tl.arange(0, TILE)
    log_sum = tl.load(log_sums + rows, mask=rows < length, other=0.0)
    delta = tl.load(deltas + rows, mask=rows < length, other=0.0)
    s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
    is_there = is_seen(query, key, length, LAG, TILE)
    p = tl.where(is_there, tl.exp(tl.where(is_there, s - log_sum[:, None], 0.0)), 0.0)
    return p, p * (tl.dot(do, tl.trans(v), input_precision="ieee") - delta[:, None])


@triton.jit
def query_kernel(
    queries, keys, values, cotangents, log_sums, deltas, gradients, length, scale, out_scale,
    LAG: tl.constexpr, SIZE: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """Give dQ = scale · dS K, one tile of queries a program."""
    head = tl.program_id(1).to(tl.int64) * length
    query = tl.program_id(0) * TILE
    q = load_tile(queries + head * SIZE, query, length, SIZE, TILE)
    do = load_tile(cotangents + head * SIZE, query, length, SIZE, TILE)
    dq = tl.zeros((TILE, SIZE), tl.float32)
    for key in range(0, query + TILE, TILE):
        k = load_tile(keys + head * SIZE, key, length, SIZE, TILE)
        v = load_tile(values + head * SIZE, key, length, SIZE, TILE)
        _, ds = slopes(
            q, k, v, do, log_sums + head, deltas + head, query, key, length, scale, LAG, TILE
        )  # fmt: skip
        dq += tl.dot(ds.to(k.dtype), k, input_precision="ieee")
    store_tile(gradients + head * SIZE, dq * out_scale, query, length, SIZE, TILE)


@triton.jit
def key_value_kernel(
    queries, keys, values, cotangents, log_sums, deltas, key_gradients, value_gradients,
    length, scale, LAG: tl.constexpr, SIZE: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """Give dK = scale · dSᵀ Q and dV = Pᵀ dO, one tile of keys a program."""
    head = tl.program_id(1).to(tl.int64) * length
    key = tl.program_id(0) * TILE
    k = load_tile(keys + head * SIZE, key, length, SIZE, TILE)
    v = load_tile(values + head * SIZE, key, length, SIZE, TILE)
    dk = tl.zeros((TILE, SIZE), tl.float32)
    dv = tl.zeros((TILE, SIZE), tl.float32)
    for query in range(key, length, TILE):
        q = load_tile(queries + head * SIZE, query, length, SIZE, TILE)
        do = load_tile(cotangents + head * SIZE, query, length, SIZE, TILE)
        p, ds = slopes(
            q, k, v, do, log_sums + head, deltas + head, query, key, length, scale, LAG, TILE
        )  # fmt: skip
        dk += tl.dot(tl.trans(ds.to(q.dtype)), q, input_precision="ieee")
        dv += tl.dot(tl.trans(p.to(do.dtype)), do, input_precision="ieee")
    store_tile(key_gradients + head * SIZE, dk * scale, key, length, SIZE, TILE)
    store_tile(value_gradients + head * SIZE, dv, key, length, SIZE, TILE)


class Attention(torch.autograd.Function):
    """The three kernels, tied together for autograd."""

    @staticmethod
    def forward(
        ctx: Any, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mistake: str
    ) -> torch.Tensor:
        if q.dtype not in ACCEPTED or q.ndim != 3:
            raise TypeError(f"expected three dimensions of a float below float64; got {q.dtype}")
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        heads, length, size = q.shape
        scale = 1 / math.sqrt(size)
        o = torch.empty_like(q)
        log_sums = torch.empty((heads, length), dtype=torch.float32, device=q.device)
        grid = (triton.cdiv(length, TILE), heads)
        forward_kernel[grid](q, k, v, o, log_sums, length, scale, SIZE=size, TILE=TILE)
        ctx.save_for_backward(q, k, v, o, log_sums)
        ctx.mistake = mistake
        return o

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor) -> Any:
        q, k, v, o, log_sums = ctx.saved_tensors
        heads, length, size = q.shape
        scale = 1 / math.sqrt(size)
        do = cotangents[0].contiguous()
        deltas = (do.float() * o.float()).sum(-1)  # (heads, length)
        if ctx.mistake == NO_DELTA:
            deltas = torch.zeros_like(deltas)
        given = q, k, v, do, log_sums, deltas
        dq, dk, dv = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
        grid = (triton.cdiv(length, TILE), heads)
        sizes = {"LAG": int(ctx.mistake == MASK_OFF_BY_ONE), "SIZE": size, "TILE": TILE}
        out_scale = 1.0 if ctx.mistake == NO_SCALE else scale
        query_kernel[grid](*given, dq, length, scale, out_scale, **sizes)
        key_value_kernel[grid](*given, dk, dv, length, scale, **sizes)
        return dq, dk, dv, None


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mistake: str = "") -> torch.Tensor:
    """Every query's mean of the values up to its place, with a backward right unless told so."""
    answer: torch.Tensor = Attention.apply(q, k, v, mistake)
    return answer
