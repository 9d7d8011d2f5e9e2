"""Kernels that compute in float32 out of sight, imitated on the processor: right, or wrong.

A compiled kernel is given bfloat16, or float64, computes in float32 whatever it got, and stores in
the dtype it was given: no framework sees the casts. These do the same in NumPy. An `Imitation`
gives inputs of about the size asked for and the function, whose backward is right unless a mistake
is named. `benchmarks/accelerator.py` has the same mistakes in Triton.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

Array = np.ndarray[Any, Any]

SIZES = ((16, 33), (256, 384))  # rows and columns: a block's remainder, and a block
DTYPES = (torch.float32, torch.bfloat16, torch.float16)

NO_ROW_SUM = "row sum forgotten"
HALF_A_SUM = "half a row sum"
NO_TAIL = "last columns left out"
NO_NORM_TERM = "term through the norm missing"
UNWEIGHTED_SUM = "row sum without the weight"
NO_LAST_ROWS = "weight's gradient without the last rows"
NO_MEAN_TERM = "mean of the gradient not subtracted"
NO_VARIANCE_TERM = "variance term missing"
RAW_WEIGHT = "weight's gradient from x not normalised"
NO_MEAN = "not divided by the number of rows"
NO_ONE_HOT = "one-hot not subtracted"
SHIFTED_TARGETS = "targets off by one"
NO_PRODUCT_RULE = "term of the product rule missing"
NO_SIGMOID = "sigmoid missing in the other factor"
SAME_ROTATION = "rotated forwards in the backward"
HALF_ROTATED = "second half not rotated"
SHIFTED_POSITIONS = "positions off by one"
NO_SCALE = "scale forgotten in dQ"
MASK_OFF_BY_ONE = "causal mask off by one in the backward"
NO_DELTA = "rowsum(dO ∘ O) forgotten"
OVERWRITTEN = "rows that occur twice overwritten, not added"
SHIFTED_ROWS = "rows off by one"
NO_LAST_TOKENS = "last tokens left out"


@dataclass(frozen=True)
class Imitation:
    """One kernel, and the mistakes that can be planted in its backward."""

    name: str
    mistakes: tuple[str, ...]
    shapes: Callable[[int, int], tuple[tuple[int, ...], ...]]
    forward: Callable[..., Array]
    backward: Callable[..., tuple[Array, ...]]  # mistake, cotangent, inputs

    def draw(
        self, rows: int, columns: int, dtype: torch.dtype, seed: int = 0
    ) -> tuple[torch.Tensor, ...]:
        """Inputs that are the same on every machine; a weight is a vector about 1."""
        generator = torch.Generator().manual_seed(seed)
        drawn = [torch.randn(shape, generator=generator) for shape in self.shapes(rows, columns)]
        return tuple(
            (1 + one / 4 if one.ndim == 1 and place == 1 else one).to(dtype).requires_grad_()
            for place, one in enumerate(drawn)
        )

    def function(self, mistake: str = "") -> Callable[..., torch.Tensor]:
        """The kernel as its users call it."""
        if mistake and mistake not in self.mistakes:
            raise ValueError(f"expected one of {', '.join(self.mistakes)}; got {mistake!r}")

        def kernel(*inputs: torch.Tensor) -> torch.Tensor:
            answer: torch.Tensor = _OutOfSight.apply(self, mistake, *inputs)
            return answer

        kernel.__name__ = kernel.__qualname__ = self.name
        return kernel


def tail_of(columns: int) -> int:
    """Columns that a masked last block leaves out: a tenth of a gradient's size, or more."""
    return max(16, columns // 32)


def last_of(rows: int) -> int:
    """Rows that are left out of a sum over them."""
    return max(4, rows // 64)


class _OutOfSight(torch.autograd.Function):
    """From the dtype given to float32, NumPy, and back."""

    @staticmethod
    def forward(ctx: Any, kernel: Imitation, mistake: str, *inputs: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(*inputs)
        ctx.kernel, ctx.mistake = kernel, mistake
        answer = np.asarray(kernel.forward(*map(_single, inputs)))
        return _stored(answer, inputs[0].dtype)

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor) -> Any:
        inputs = ctx.saved_tensors
        given = _single(cotangents[0]), *map(_single, inputs)
        gradients = ctx.kernel.backward(ctx.mistake, *given)
        return (
            None,
            None,
            *(_stored(one, x.dtype) for one, x in zip(gradients, inputs, strict=True)),
        )


def _single(tensor: torch.Tensor) -> Array:
    """Read a tensor's memory as a kernel does: no operator of the framework's casts it."""
    tensor = tensor.detach().contiguous()
    if tensor.dtype is torch.bfloat16:  # the upper half of a float32
        bits = tensor.view(torch.int16).numpy().view(np.uint16).astype(np.uint32) << 16
        return bits.view(np.float32)
    return tensor.numpy().astype(np.float32)


def _stored(numbers: Array, dtype: torch.dtype) -> torch.Tensor:
    """Write numbers of float32 into memory of a dtype, rounded to nearest even."""
    if dtype is torch.bfloat16:
        bits = np.asarray(numbers, np.float32, order="C").view(np.uint32)
        upper = np.asarray(((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16))
        return torch.from_numpy(upper.view(np.int16)).view(torch.bfloat16)
    width = {torch.float64: np.float64, torch.float32: np.float32, torch.float16: np.float16}
    return torch.from_numpy(numbers.astype(np.float32).astype(width[dtype]))


def _softmax(x: Array) -> Array:
    y = np.exp(x - x.max(-1, keepdims=True))
    return y / y.sum(-1, keepdims=True)


def _softmax_backward(mistake: str, dy: Array, x: Array) -> tuple[Array, ...]:
    y = _softmax(x)
    summed = y.shape[-1] // 2 if mistake == HALF_A_SUM else y.shape[-1]
    total = (y * dy)[..., :summed].sum(-1, keepdims=True)
    dx = y * (dy - (0 if mistake == NO_ROW_SUM else total))
    return (_without_tail(dx) if mistake == NO_TAIL else dx,)


def _without_tail(gradient: Array) -> Array:
    gradient = gradient.copy()
    gradient[..., -tail_of(gradient.shape[-1]) :] = 0
    return gradient


EPSILON = np.float32(1e-6)


def _rms(x: Array) -> Array:
    inverse: Array = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON)
    return inverse


def _rmsnorm(x: Array, weight: Array) -> Array:
    return x * _rms(x) * weight


def _rmsnorm_backward(mistake: str, dy: Array, x: Array, weight: Array) -> tuple[Array, ...]:
    inverse = _rms(x)
    normal = x * inverse
    weighted = dy * weight
    summed = dy if mistake == UNWEIGHTED_SUM else weighted
    through = 0 if mistake == NO_NORM_TERM else (summed * normal).mean(-1, keepdims=True)
    rows = slice(None, -last_of(x.shape[0])) if mistake == NO_LAST_ROWS else slice(None)
    return inverse * (weighted - normal * through), (dy * normal)[rows].sum(0)


def _normalised(x: Array) -> tuple[Array, Array]:
    centred = x - x.mean(-1, keepdims=True)
    inverse = 1 / np.sqrt((centred * centred).mean(-1, keepdims=True) + EPSILON)
    return centred * inverse, inverse


def _layernorm(x: Array, weight: Array, bias: Array) -> Array:
    return _normalised(x)[0] * weight + bias


def _layernorm_backward(
    mistake: str,
    dy: Array,
    x: Array,
    weight: Array,
    bias: Array,
) -> tuple[Array, ...]:
    normal, inverse = _normalised(x)
    weighted = dy * weight
    mean = 0 if mistake == NO_MEAN_TERM else weighted.mean(-1, keepdims=True)
    variance = 0 if mistake == NO_VARIANCE_TERM else (weighted * normal).mean(-1, keepdims=True)
    times = x if mistake == RAW_WEIGHT else normal
    return inverse * (weighted - mean - normal * variance), (dy * times).sum(0), dy.sum(0)


def _targets(rows: int, columns: int) -> Array:
    return (7 * np.arange(rows) + 3) % columns


def _cross_entropy(x: Array) -> Array:
    rows, columns = x.shape
    most = x.max(-1, keepdims=True)
    logs = most[:, 0] + np.log(np.exp(x - most).sum(-1))
    losses: Array = logs - x[np.arange(rows), _targets(rows, columns)]
    return losses.mean(dtype=np.float32)


def _cross_entropy_backward(mistake: str, dy: Array, x: Array) -> tuple[Array, ...]:
    rows, columns = x.shape
    gradient = _softmax(x)
    targets = _targets(rows, columns) + (mistake == SHIFTED_TARGETS)
    gradient[np.arange(rows), targets % columns] -= mistake != NO_ONE_HOT
    return (gradient * dy / np.float32(1 if mistake == NO_MEAN else rows),)


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _swiglu(gate: Array, value: Array) -> Array:
    return gate * _sigmoid(gate) * value


def _swiglu_backward(mistake: str, dy: Array, gate: Array, value: Array) -> tuple[Array, ...]:
    share = _sigmoid(gate)
    slope = share if mistake == NO_PRODUCT_RULE else share * (1 + gate * (1 - share))
    other = dy * gate * (1 if mistake == NO_SIGMOID else share)
    first = dy * value * slope
    return _without_tail(first) if mistake == NO_TAIL else first, other


def _rotated(x: Array, sign: float, shift: int = 0) -> Array:
    rows, columns = x.shape
    half = columns // 2
    rates = np.float32(10_000.0) ** (-np.arange(half, dtype=np.float32) / half)
    angles = (np.arange(rows, dtype=np.float32)[:, None] + shift) * rates
    cosine, sine = np.cos(angles), sign * np.sin(angles)
    one, two = x[:, :half], x[:, half : 2 * half]
    parts = [one * cosine - two * sine, two * cosine + one * sine, x[:, 2 * half :]]
    return np.concatenate(parts, -1)


def _rotary(x: Array) -> Array:
    return _rotated(x, 1.0)


def _rotary_backward(mistake: str, dy: Array, x: Array) -> tuple[Array, ...]:
    if mistake == SAME_ROTATION:
        return (_rotated(dy, 1.0),)
    dx = _rotated(dy, -1.0, int(mistake == SHIFTED_POSITIONS))
    if mistake == HALF_ROTATED:
        half = x.shape[-1] // 2
        dx[:, half:] = dy[:, half:]
    return (dx,)


def _attention_parts(q: Array, k: Array, lag: int = 0) -> Array:
    length, size = q.shape[-2:]
    scores = q @ k.swapaxes(-1, -2) / np.float32(np.sqrt(size))
    is_seen = np.tril(np.ones((length, length), bool))
    weights = _softmax(np.where(is_seen, scores, np.float32(-1e30)))
    return np.where(np.tril(is_seen, -lag), weights, np.float32(0))


def _attention(q: Array, k: Array, v: Array) -> Array:
    return _attention_parts(q, k) @ v


def _attention_backward(mistake: str, dy: Array, q: Array, k: Array, v: Array) -> tuple[Array, ...]:
    weights = _attention_parts(q, k, int(mistake == MASK_OFF_BY_ONE))
    delta = (dy * (_attention_parts(q, k) @ v)).sum(-1, keepdims=True)
    sums = weights * (dy @ v.swapaxes(-1, -2) - (0 if mistake == NO_DELTA else delta))
    scale = np.float32(1 / np.sqrt(q.shape[-1]))
    return (
        sums @ k * (1 if mistake == NO_SCALE else scale),
        sums.swapaxes(-1, -2) @ q * scale,
        weights.swapaxes(-1, -2) @ dy,
    )


def tokens_of(rows: int) -> Array:
    """Every row of the table at least once in three, some of them often."""
    return (np.arange(2 * rows) ** 2 // 3) % rows


def _embedding(table: Array) -> Array:
    return table[tokens_of(table.shape[0])]


def _embedding_backward(mistake: str, dy: Array, table: Array) -> tuple[Array, ...]:
    tokens = tokens_of(table.shape[0])
    gradient = np.zeros_like(table)
    if mistake == OVERWRITTEN:
        gradient[tokens] = dy
        return (gradient,)
    kept = slice(None, -last_of(tokens.size)) if mistake == NO_LAST_TOKENS else slice(None)
    shifted = (tokens + (mistake == SHIFTED_ROWS)) % table.shape[0]
    np.add.at(gradient, shifted[kept], dy[kept])
    return (gradient,)


def _one(rows: int, columns: int) -> tuple[tuple[int, ...], ...]:
    return ((rows, columns),)


def _heads(rows: int, columns: int) -> tuple[tuple[int, ...], ...]:
    size = 32 if columns >= 128 else 8
    return ((max(rows * columns // (64 * size), 1), 64 if columns >= 128 else 20, size),) * 3


IMITATIONS = (
    Imitation("softmax", (NO_ROW_SUM, HALF_A_SUM, NO_TAIL), _one, _softmax, _softmax_backward),
    Imitation(
        "rmsnorm",
        (NO_NORM_TERM, UNWEIGHTED_SUM, NO_LAST_ROWS),
        lambda rows, columns: ((rows, columns), (columns,)),
        _rmsnorm,
        _rmsnorm_backward,
    ),
    Imitation(
        "layernorm",
        (NO_MEAN_TERM, NO_VARIANCE_TERM, RAW_WEIGHT),
        lambda rows, columns: ((rows, columns), (columns,), (columns,)),
        _layernorm,
        _layernorm_backward,
    ),
    Imitation(
        "cross_entropy",
        (NO_MEAN, NO_ONE_HOT, SHIFTED_TARGETS),
        _one,
        _cross_entropy,
        _cross_entropy_backward,
    ),
    Imitation(
        "swiglu",
        (NO_PRODUCT_RULE, NO_SIGMOID, NO_TAIL),
        lambda rows, columns: ((rows, columns),) * 2,
        _swiglu,
        _swiglu_backward,
    ),
    Imitation(
        "rotary",
        (SAME_ROTATION, HALF_ROTATED, SHIFTED_POSITIONS),
        _one,
        _rotary,
        _rotary_backward,
    ),
    Imitation(
        "attention",
        (NO_SCALE, MASK_OFF_BY_ONE, NO_DELTA),
        _heads,
        _attention,
        _attention_backward,
    ),
    Imitation(
        "embedding",
        (OVERWRITTEN, SHIFTED_ROWS, NO_LAST_TOKENS),
        _one,
        _embedding,
        _embedding_backward,
    ),
)
