"""Kernels as they are written for accelerators, and the plain implementations they replace.

A kernel takes low precision, computes in float32 and rounds once at the end, or saves something
rounded on the way; references are composed of plain operators that round after each. `RIGHT` pairs
them; `WRONG` plants one mistake each and says which row must fail.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

EPSILON = 1e-5


# -- references: plain operators, in whatever dtype they are given ---------------------------------


def softmax(x):
    e = (x - x.amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


def layer_norm(x, w, b):
    centred = x - x.mean(-1, keepdim=True)
    return centred / (centred.square().mean(-1, keepdim=True) + EPSILON).sqrt() * w + b


def rms_norm(x, w):
    return x / (x.square().mean(-1, keepdim=True) + EPSILON).sqrt() * w


def cross_entropy(x, target):
    shifted = x - x.amax(-1, keepdim=True)
    losses = shifted.exp().sum(-1).log() - shifted.gather(-1, target[:, None])[:, 0]
    return losses.mean()


def gelu(x):
    return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))


def attention(q, k, v):
    mask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril()
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    return softmax(scores.masked_fill(~mask, -math.inf)) @ v


def column_sums(x):
    return x.sum(0)


# -- kernels: float32 inside, rounded once ---------------------------------------------------------


class FusedSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        p = torch.softmax(x.float(), -1)
        ctx.save_for_backward(p)
        return p.to(x.dtype)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        (p,) = ctx.saved_tensors
        v = grad.float()
        return (p * (v - (p * v).sum(-1, keepdim=True))).to(grad.dtype)


class NoRowSum(FusedSoftmax):
    @staticmethod
    def backward(ctx, grad):
        (p,) = ctx.saved_tensors
        return (p * grad.float()).to(grad.dtype)


class IgnoresStrides(FusedSoftmax):
    @staticmethod
    def backward(ctx, grad):
        first = grad.storage_offset()
        dense = grad.as_strided(grad.shape, (grad.shape[1], 1), first)
        return FusedSoftmax.backward(ctx, dense)


def fused_layer_norm(x, w, b):
    return functional.layer_norm(x.float(), x.shape[-1:], w.float(), b.float(), EPSILON).to(x.dtype)


def fused_rms_norm(x, w):
    y = x.float()
    scale = (y.square().mean(-1, keepdim=True) + EPSILON).rsqrt()
    return (y * scale * w.float()).to(x.dtype)


def epsilon_outside(x, w):
    y = x.float()
    scale = 1 / (y.square().mean(-1, keepdim=True).sqrt() + 0.05)
    return (y * scale * w.float()).to(x.dtype)


def fused_cross_entropy(x, target):
    return functional.cross_entropy(x.float(), target).to(x.dtype)


def sum_for_mean(x, target):
    return functional.cross_entropy(x.float(), target, reduction="sum").to(x.dtype)


def fused_gelu(x):
    return functional.gelu(x.float()).to(x.dtype)


def tanh_gelu(x):
    return functional.gelu(x.float() * 1.02, approximate="tanh").to(x.dtype)


def flash(q, k, v, lag=0, scale=None):
    """Attention that rounds its weights to the dtype before it multiplies, as tensor cores need."""
    mask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril(lag)
    scores = q.float() @ k.float().mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    weights = torch.softmax(scores.masked_fill(~mask, -math.inf), -1)
    return (weights.to(q.dtype).float() @ v.float()).to(q.dtype)


def mask_off_by_one(q, k, v):
    return flash(q, k, v, lag=1)


def scale_forgotten(q, k, v):
    return flash(q, k, v, scale=1.0)


def sums_in_float32(x):
    total = torch.zeros_like(x[0], dtype=torch.float32)
    for block in x.split(16):
        total = total + block.float().sum(0)
    return total.to(x.dtype)


def sums_in_low_precision(x):
    total = torch.zeros_like(x[0])
    for block in x.split(16):
        total = total + block.sum(0)
    return total


def one_entry_off(x):
    """The tenth of a wrong tile: one entry 10 % too large."""
    y = fused_gelu(x)
    off = torch.ones_like(y)
    off[3, 5] = 1.1
    return y * off


def last_column_left_out(x):
    y = fused_gelu(x)
    kept = torch.ones_like(y)
    kept[:, -1] = 0
    return y * kept


# -- what is compared with what --------------------------------------------------------------------


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def rows(seed: int) -> list[Tensor]:
    return [normal(24, 40, seed=seed)]


def weighted(seed: int) -> list[Tensor]:
    return [*rows(seed), 1 + 0.2 * normal(40, seed=seed + 1)]


def weighted_and_shifted(seed: int) -> list[Tensor]:
    return [*weighted(seed), normal(40, seed=seed + 2)]


def labelled(seed: int) -> list[Tensor]:
    return [*rows(seed), torch.arange(24) % 7]


def heads(seed: int) -> list[Tensor]:
    return [normal(2, 32, 16, seed=seed + k) for k in range(3)]


def long(seed: int) -> list[Tensor]:
    return [normal(4096, 8, seed=seed) + 0.5]


@dataclass(frozen=True)
class Pair:
    """A kernel, what it is held against, and inputs for both."""

    kernel: Callable[..., Any]
    reference: Callable[..., Any]
    draw: Callable[[int], list[Tensor]]
    fails: str = ""  # the row in which the mistake must show
    dtypes: tuple[str, ...] = field(default=("bfloat16", "float16", "float32"))

    @property
    def name(self) -> str:
        """The kernel's name."""
        owner = getattr(self.kernel, "__self__", None)
        return owner.__name__ if isinstance(owner, type) else self.kernel.__name__


HALVES = ("bfloat16", "float16")
RIGHT = (
    Pair(FusedSoftmax.apply, softmax, rows),
    Pair(fused_layer_norm, layer_norm, weighted_and_shifted),
    Pair(fused_rms_norm, rms_norm, weighted),
    Pair(fused_cross_entropy, cross_entropy, labelled),
    Pair(fused_gelu, gelu, rows),
    Pair(flash, attention, heads),
    Pair(sums_in_float32, column_sums, long),
    Pair(softmax, softmax, rows),
)
WRONG = (
    Pair(NoRowSum.apply, softmax, rows, "∂out / ∂x"),
    Pair(IgnoresStrides.apply, softmax, rows, "∂out / ∂x"),
    Pair(epsilon_outside, rms_norm, weighted, "out"),
    Pair(sum_for_mean, cross_entropy, labelled, "out"),
    Pair(tanh_gelu, gelu, rows, "out"),
    Pair(mask_off_by_one, attention, heads, "out"),
    Pair(scale_forgotten, attention, heads, "out"),
    Pair(sums_in_low_precision, column_sums, long, "out", HALVES),
    Pair(one_entry_off, gelu, rows, "out"),
    Pair(last_column_left_out, gelu, rows, "out"),
)


def cases(pairs: tuple[Pair, ...]) -> list[tuple[Pair, str]]:
    """Return every pair in every dtype it is meant for."""
    return [(pair, dtype) for pair in pairs for dtype in pair.dtypes]


def spelt(value: object) -> str:
    """Name a case for pytest."""
    return value.name if isinstance(value, Pair) else str(value)
