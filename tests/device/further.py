"""More kernels that compute in float32 out of sight, which nothing was tuned on.

Each is an `Imitation`, as those of `device.imitations` are: windowed attention with slopes, a fused
addition and norm with two outputs in one, a loss that leaves rows out, a product with weights of
eight bits, a causal convolution, a recurrence along rows, and a choice of the largest.
"""

from __future__ import annotations

import numpy as np

from device.imitations import EPSILON, Array, Imitation, _heads, _one, _sigmoid, _softmax

WINDOW_OFF_BY_ONE = "window off by one in the backward"
NO_SLOPES = "slopes forgotten when the weights are recomputed"
NO_DELTA = "rowsum(dO ∘ O) forgotten"
NO_NORM_TERM = "term through the norm missing"
NO_RESIDUAL = "gradient of the sum itself lost"
HALF_RESIDUAL = "half of it for the second summand"
NO_SMOOTHING = "labels not smoothed in the backward"
IGNORED_COUNT = "rows that are ignored get a gradient"
ONE_HOT_TWICE = "one-hot subtracted twice"
NO_SCALE = "scale forgotten"
NOT_TRANSPOSED = "weights not transposed"
NO_ZERO_POINT = "zero point forgotten in the gradient of the scale"
NOT_FLIPPED = "kernel not flipped"
NO_OLDEST_TAP = "oldest tap left out"
SHIFTED_TAPS = "taps off by one in the weight's gradient"
SHIFTED_DECAY = "decay off by one"
NO_CARRY = "state lost between blocks"
SHIFTED_STATE = "state off by one"
ALL_CHOSEN = "softmax of all in the backward"
NO_ROW_SUM = "row sum forgotten"
DOUBLED = "twice the gradient"

WINDOW, SLOPE = 16, np.float32(0.1)
SMOOTHING = np.float32(0.1)
ZERO_POINT, UNIT = np.float32(5), np.float32(1 / 64)
TAPS, BLOCK, CHOICES = 4, 64, 16


def _window(q: Array, k: Array, lag: int = 0, *, has_slopes: bool = True) -> Array:
    length, size = q.shape[-2:]
    far = np.arange(length)[:, None] - np.arange(length)[None, :]
    scores = q @ k.swapaxes(-1, -2) / np.float32(np.sqrt(size))
    scores = scores - SLOPE * far.astype(np.float32) * has_slopes
    weights = _softmax(np.where((far >= 0) & (far < WINDOW), scores, np.float32(-1e30)))
    return np.where((far >= 0) & (far < WINDOW - lag), weights, np.float32(0))


def _windowed(q: Array, k: Array, v: Array) -> Array:
    return _window(q, k) @ v


def _windowed_backward(mistake: str, dy: Array, q: Array, k: Array, v: Array) -> tuple[Array, ...]:
    lag = int(mistake == WINDOW_OFF_BY_ONE)
    weights = _window(q, k, lag, has_slopes=mistake != NO_SLOPES)
    delta = (dy * (_window(q, k) @ v)).sum(-1, keepdims=True)
    sums = weights * (dy @ v.swapaxes(-1, -2) - (0 if mistake == NO_DELTA else delta))
    sums = sums * np.float32(1 / np.sqrt(q.shape[-1]))
    return sums @ k, sums.swapaxes(-1, -2) @ q, weights.swapaxes(-1, -2) @ dy


def _inverse(x: Array) -> Array:
    inverse: Array = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON)
    return inverse


def _added(x: Array, residual: Array, weight: Array) -> Array:
    total = x + residual
    return np.stack([total, total * _inverse(total) * weight])


def _added_backward(
    mistake: str, dy: Array, x: Array, residual: Array, weight: Array
) -> tuple[Array, ...]:
    inverse = _inverse(x + residual)
    normal, weighted = (x + residual) * inverse, dy[1] * weight
    through = 0 if mistake == NO_NORM_TERM else (weighted * normal).mean(-1, keepdims=True)
    total = inverse * (weighted - normal * through) + (0 if mistake == NO_RESIDUAL else dy[0])
    second = total * np.float32(0.5 if mistake == HALF_RESIDUAL else 1)
    return total, second, (dy[1] * normal).sum(0)


def _labels(rows: int, columns: int) -> tuple[Array, Array]:
    """The target of each row, and which rows count."""
    return (7 * np.arange(rows) + 3) % columns, np.arange(rows) % 5 != 2


def _losses(x: Array) -> Array:
    targets, counts = _labels(*x.shape)
    logs = x - x.max(-1, keepdims=True)
    logs = logs - np.log(np.exp(logs).sum(-1, keepdims=True))
    own = logs[np.arange(x.shape[0]), targets]
    losses: Array = -(1 - SMOOTHING) * own - SMOOTHING * logs.mean(-1)
    return losses * counts


def _losses_backward(mistake: str, dy: Array, x: Array) -> tuple[Array, ...]:
    targets, counts = _labels(*x.shape)
    smoothing = np.float32(0) if mistake == NO_SMOOTHING else SMOOTHING
    gradient = _softmax(x) - smoothing / x.shape[1]
    times = 2 if mistake == ONE_HOT_TWICE else 1
    gradient[np.arange(x.shape[0]), targets] -= times * (1 - smoothing)
    return (gradient * (dy * (counts | (mistake == IGNORED_COUNT)))[:, None],)


def _bytes(columns: int) -> Array:
    return np.random.default_rng(1).integers(-127, 128, (columns, columns)).astype(np.float32)


def _quantised(x: Array, scale: Array) -> Array:
    return (x @ (_bytes(x.shape[1]) - ZERO_POINT)) * (scale * UNIT)


def _quantised_backward(mistake: str, dy: Array, x: Array, scale: Array) -> tuple[Array, ...]:
    weights = _bytes(x.shape[1]) - ZERO_POINT
    scaled = dy * UNIT * (1 if mistake == NO_SCALE else scale)
    seen = weights + ZERO_POINT * (mistake == NO_ZERO_POINT)
    dx = scaled @ (weights if mistake == NOT_TRANSPOSED else weights.T)
    return dx, (dy * UNIT * (x @ seen)).sum(0)


def _convolved(x: Array, weight: Array) -> Array:
    early = np.pad(x, ((0, 0), (TAPS - 1, 0)))
    answer: Array = sum(weight[:, k : k + 1] * early[:, k : k + x.shape[1]] for k in range(TAPS))  # type: ignore[assignment]
    return answer


def _convolved_backward(mistake: str, dy: Array, x: Array, weight: Array) -> tuple[Array, ...]:
    size, early = x.shape[1], np.pad(x, ((0, 0), (TAPS - 1, 0)))
    late = np.pad(dy, ((0, 0), (0, TAPS - 1)))
    taps = weight if mistake == NOT_FLIPPED else weight[:, ::-1]
    kept = range(TAPS - (mistake == NO_OLDEST_TAP))
    dx = sum(taps[:, k : k + 1] * late[:, k : k + size] for k in kept)
    early = np.roll(early, int(mistake == SHIFTED_TAPS), 1)
    dw = np.stack([(dy * early[:, k : k + size]).sum(1) for k in range(TAPS)], 1)
    return np.asarray(dx), dw


def _recurred(decay: Array, x: Array) -> Array:
    kept, state, states = _sigmoid(decay), np.zeros(x.shape[0], np.float32), np.zeros_like(x)
    for time in range(x.shape[1]):
        state = kept[:, time] * state + x[:, time]
        states[:, time] = state
    return states


def _recurred_backward(mistake: str, dy: Array, decay: Array, x: Array) -> tuple[Array, ...]:
    kept, states = _sigmoid(decay), _recurred(decay, x)
    next_kept = kept if mistake == SHIFTED_DECAY else np.pad(kept, ((0, 0), (0, 1)))[:, 1:]
    state, dx = np.zeros(x.shape[0], np.float32), np.zeros_like(x)
    for time in reversed(range(x.shape[1])):
        is_lost = mistake == NO_CARRY and (time + 1) % BLOCK == 0
        state = dy[:, time] + (0 if is_lost else next_kept[:, time] * state)
        dx[:, time] = state
    before = states if mistake == SHIFTED_STATE else np.pad(states, ((0, 0), (1, 0)))[:, :-1]
    return dx * before * kept * (1 - kept), dx


def _two_largest(x: Array) -> Array:
    flags = np.zeros(x.shape, bool)
    np.put_along_axis(flags, np.argsort(-x, -1, kind="stable")[:, :2], values=True, axis=-1)
    return flags


def _chosen(x: Array) -> Array:
    """Softmax of the two largest of each row."""
    return _softmax(np.where(_two_largest(x), x, np.float32(-1e30)))


def _chosen_backward(mistake: str, dy: Array, x: Array) -> tuple[Array, ...]:
    y = _softmax(x) if mistake == ALL_CHOSEN else _chosen(x)
    total = 0 if mistake == NO_ROW_SUM else (y * dy).sum(-1, keepdims=True)
    return (_two_largest(x) * y * (dy - total) * np.float32(2 if mistake == DOUBLED else 1),)


def _both(rows: int, columns: int) -> tuple[tuple[int, ...], ...]:
    return ((rows, columns),) * 2


FURTHER = (
    Imitation(
        "windowed attention",
        (WINDOW_OFF_BY_ONE, NO_SLOPES, NO_DELTA),
        _heads,
        _windowed,
        _windowed_backward,
    ),
    Imitation(
        "addition and norm",
        (NO_NORM_TERM, NO_RESIDUAL, HALF_RESIDUAL),
        lambda rows, columns: ((rows, columns), (rows, columns), (columns,)),
        _added,
        _added_backward,
    ),
    Imitation(
        "smoothed losses",
        (NO_SMOOTHING, IGNORED_COUNT, ONE_HOT_TWICE),
        _one,
        _losses,
        _losses_backward,
    ),
    Imitation(
        "quantised product",
        (NO_SCALE, NOT_TRANSPOSED, NO_ZERO_POINT),
        lambda rows, columns: ((rows, columns), (columns,)),
        _quantised,
        _quantised_backward,
    ),
    Imitation(
        "causal convolution",
        (NOT_FLIPPED, NO_OLDEST_TAP, SHIFTED_TAPS),
        lambda rows, columns: ((rows, columns), (rows, TAPS)),
        _convolved,
        _convolved_backward,
    ),
    Imitation(
        "recurrence",
        (SHIFTED_DECAY, NO_CARRY, SHIFTED_STATE),
        _both,
        _recurred,
        _recurred_backward,
    ),
)
TWO_LARGEST = Imitation(  # jumps where two change places
    "two largest",
    (ALL_CHOSEN, NO_ROW_SUM, DOUBLED),
    lambda rows, columns: ((rows * columns // CHOICES, CHOICES),),
    _chosen,
    _chosen_backward,
)
