"""Everyday kernels that compute in float32 out of sight, which nothing was tuned on.

Each is an `Imitation`, as those of `device.imitations` are: norms of groups, rows and columns,
softmax in logarithms, an activation, sums along rows, dropout with a mask, means of segments.
"""

from __future__ import annotations

import numpy as np

from device.imitations import EPSILON, Array, Imitation, _one, _softmax

NO_MEAN_TERM = "mean term missing"
MEAN_OF_ROW = "mean of the row, not of the group"
FIRST_SCALE = "scale of the first group for all"
WRONG_AXIS = "sum along the other axis"
MEAN_FOR_SUM = "mean for the sum"
NO_CUBE = "factor of the cube dropped"
NO_INNER_SLOPE = "inner slope dropped"
NOT_REVERSED = "not reversed"
NO_OWN = "own entry left out"
NO_CARRY = "sum so far lost between blocks"
SCALED_TWICE = "scaled twice"
SHIFTED_MASK = "mask off by one"
UNMASKED_BIAS = "bias without the mask"
NO_PROJECTION = "projection missing"
RAW_PROJECTION = "projected on what is not normalised"
NO_GAIN = "gain missing"
NOT_DIVIDED = "not divided by the count"
OTHER_COUNT = "divided by another's count"
SHIFTED_SEGMENTS = "segments off by one"

GROUPS, BLOCK = 3, 64
ROOT, CUBE = np.float32(np.sqrt(2 / np.pi)), np.float32(0.044715)
KEPT = np.float32(0.75)


def _groups(x: Array) -> Array:
    return x.reshape(x.shape[0], GROUPS, -1)


def _grouped(x: Array) -> tuple[Array, Array]:
    centred = _groups(x) - _groups(x).mean(-1, keepdims=True)
    inverse = 1 / np.sqrt((centred * centred).mean(-1, keepdims=True) + EPSILON)
    return centred * inverse, inverse


def _groupnorm(x: Array, weight: Array, bias: Array) -> Array:
    return _grouped(x)[0].reshape(x.shape) * weight + bias


def _groupnorm_backward(
    mistake: str,
    dy: Array,
    x: Array,
    weight: Array,
    bias: Array,
) -> tuple[Array, ...]:
    normal, inverse = _grouped(x)
    weighted = _groups(dy * weight)
    mean = weighted.mean((-1, -2) if mistake == MEAN_OF_ROW else -1, keepdims=True)
    mean = 0 if mistake == NO_MEAN_TERM else mean
    inverse = inverse[:, :1] if mistake == FIRST_SCALE else inverse
    dx = inverse * (weighted - mean - normal * (weighted * normal).mean(-1, keepdims=True))
    return dx.reshape(x.shape), (dy * normal.reshape(x.shape)).sum(0), dy.sum(0)


def _log_softmax(x: Array) -> Array:
    below = x - x.max(-1, keepdims=True)
    return below - np.log(np.exp(below).sum(-1, keepdims=True))


def _log_softmax_backward(mistake: str, dy: Array, x: Array) -> tuple[Array, ...]:
    total = dy.sum(0 if mistake == WRONG_AXIS else -1, keepdims=True)
    total = total / np.float32(dy.shape[-1] if mistake == MEAN_FOR_SUM else 1)
    return (dy - _softmax(x) * total,)


def _gelu(x: Array) -> Array:
    return np.float32(0.5) * x * (1 + np.tanh(ROOT * (x + CUBE * x**3)))


def _gelu_backward(mistake: str, dy: Array, x: Array) -> tuple[Array, ...]:
    bent = np.tanh(ROOT * (x + CUBE * x**3))
    inner = ROOT * (1 + (1 if mistake == NO_CUBE else 3) * CUBE * x * x)
    inner = np.float32(1) if mistake == NO_INNER_SLOPE else inner
    return (dy * np.float32(0.5) * (1 + bent + x * (1 - bent * bent) * inner),)


def _summed(x: Array) -> Array:
    return np.cumsum(x, -1, dtype=np.float32)


def _summed_backward(mistake: str, dy: Array, x: Array) -> tuple[Array, ...]:
    if mistake == NOT_REVERSED:
        return (_summed(dy),)
    width = BLOCK if mistake == NO_CARRY else x.shape[1]
    starts = range(0, x.shape[1], width)
    blocks = [_summed(dy[:, k : k + width][:, ::-1])[:, ::-1] for k in starts]
    return (np.concatenate(blocks, -1) - (dy if mistake == NO_OWN else 0),)


def _mask(shape: tuple[int, ...]) -> Array:
    return np.random.default_rng(5).random(shape) < KEPT


def _dropped(x: Array, bias: Array) -> Array:
    return (x + bias) * _mask(x.shape) / KEPT


def _dropped_backward(mistake: str, dy: Array, x: Array, bias: Array) -> tuple[Array, ...]:
    mask = np.roll(_mask(x.shape), int(mistake == SHIFTED_MASK), -1)
    dx = dy * mask / (KEPT * KEPT if mistake == SCALED_TWICE else KEPT)
    return dx, (dy if mistake == UNMASKED_BIAS else dx).sum(0)


def _unit_rows(x: Array) -> Array:
    return x / np.sqrt((x * x).sum(-1, keepdims=True) + EPSILON)


def _unit_rows_backward(mistake: str, dy: Array, x: Array) -> tuple[Array, ...]:
    unit = x if mistake == RAW_PROJECTION else _unit_rows(x)
    along = 0 if mistake == NO_PROJECTION else (dy * unit).sum(-1, keepdims=True)
    return ((dy - unit * along) / np.sqrt((x * x).sum(-1, keepdims=True) + EPSILON),)


def _weighed(x: Array, gain: Array) -> Array:
    return x * (gain / np.sqrt((x * x).sum(0)))


def _weighed_backward(mistake: str, dy: Array, x: Array, gain: Array) -> tuple[Array, ...]:
    norm = np.sqrt((x * x).sum(0))
    along = (dy * x / norm).sum(0)
    dx = dy - x / norm * (0 if mistake == NO_PROJECTION else along)
    return dx * (1 if mistake == NO_GAIN else gain) / norm, along


def _segments(rows: int) -> tuple[Array, Array]:
    """The segment of each row, and how many rows each segment has."""
    segments = (np.arange(rows) ** 2 // 5) % max(rows // 4, 1)
    return segments, np.bincount(segments).clip(1).astype(np.float32)[:, None]


def _segment_means(x: Array) -> Array:
    segments, counts = _segments(x.shape[0])
    sums = np.zeros((len(counts), x.shape[1]), np.float32)
    np.add.at(sums, segments, x)
    return sums / counts


def _segment_means_backward(mistake: str, dy: Array, x: Array) -> tuple[Array, ...]:
    segments, counts = _segments(x.shape[0])
    counts = np.roll(counts, 1, 0) if mistake == OTHER_COUNT else counts
    shares = dy if mistake == NOT_DIVIDED else dy / counts
    return (shares[(segments + (mistake == SHIFTED_SEGMENTS)) % len(counts)],)


def _with_row(rows: int, columns: int) -> tuple[tuple[int, ...], ...]:
    return ((rows, columns), (columns,))


EVERYDAY = (
    Imitation(
        "group norm",
        (NO_MEAN_TERM, MEAN_OF_ROW, FIRST_SCALE),
        lambda rows, columns: ((rows, columns), (columns,), (columns,)),
        _groupnorm,
        _groupnorm_backward,
    ),
    Imitation("log-softmax", (WRONG_AXIS, MEAN_FOR_SUM), _one, _log_softmax, _log_softmax_backward),
    Imitation("gelu", (NO_CUBE, NO_INNER_SLOPE), _one, _gelu, _gelu_backward),
    Imitation("cumulative sum", (NOT_REVERSED, NO_OWN, NO_CARRY), _one, _summed, _summed_backward),
    Imitation(
        "bias and dropout",
        (SCALED_TWICE, SHIFTED_MASK, UNMASKED_BIAS),
        _with_row,
        _dropped,
        _dropped_backward,
    ),
    Imitation("unit rows", (NO_PROJECTION, RAW_PROJECTION), _one, _unit_rows, _unit_rows_backward),
    Imitation("weight norm", (NO_PROJECTION, NO_GAIN), _with_row, _weighed, _weighed_backward),
    Imitation(
        "segment means",
        (NOT_DIVIDED, OTHER_COUNT, SHIFTED_SEGMENTS),
        _one,
        _segment_means,
        _segment_means_backward,
    ),
)
