"""Halving: which part of a sum a residual comes from, in O(log n) questions."""

from __future__ import annotations

from collections.abc import Callable

from ..._backends.base import Array, Backend
from ..question import Mode, Question


def wrong_output(
    mode: Mode, failed: Question, direction: Array, slopes: Array, residual: float | None = None
) -> int:
    """Return the output whose slope along a direction is wrong most, or nearly so.

    Halves of the cotangent are pulled and held against what was measured once.
    """
    backend, weights = mode.examination.backend, failed.weights

    def residual_of(low: int, high: int) -> float:
        half = within(backend, weights, low, high)
        claimed = mode.claimed_of(failed, half, direction)
        return claimed - backend.dot(weights[low:high], slopes[low:high])

    size = int(weights.shape[0])
    return halve(size, residual_of(0, size) if residual is None else residual, residual_of)


def within(backend: Backend, vector: Array, low: int, high: int) -> Array:
    """Return a vector with zeros outside [low, high)."""
    inside = slice(low, high)
    return backend.put(vector * 0, inside, vector[inside])


def halve(
    size: int,
    residual: float,
    residual_of: Callable[[int, int], float],
    weight_of: Callable[[int, int], float] | None = None,
) -> int:
    """Return the place whose share of a sum is the largest, by asking for halves of it.

    Halves without any weight are not asked about.
    """
    low, high = 0, size
    while high - low > 1:
        middle = (low + high) // 2
        if weight_of is not None and not weight_of(low, middle):
            low = middle
            continue
        if weight_of is not None and not weight_of(middle, high):
            high = middle
            continue
        left = residual_of(low, middle)
        if abs(left) >= abs(residual - left):
            high, residual = middle, left
        else:
            low, residual = middle, residual - left
    return low
