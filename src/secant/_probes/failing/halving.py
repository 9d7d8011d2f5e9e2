"""Halving: which part of a sum a residual comes from, in O(log n) questions.

Where one place alone makes the residual, its block is read off one more sum: of the same terms,
each times the number of its block, which is then the ratio of the two.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..._backends.base import Array, Backend
from ..._spaces.base import Space
from ..asking.question import Mode, Question

BLOCKS = 128
_CLOSE = 0.125  # to a whole number; what noise has made seldom is, and is looked at once more


def wrong_output(
    mode: Mode, failed: Question, direction: Array, slopes: Array, residual: float | None = None
) -> int:
    """Return the output whose slope along a direction is wrong most, or nearly so.

    Parts of the cotangent are pulled and held against what was measured once.
    """
    size = int(failed.weights.shape[0])
    outputs = _Outputs(mode, failed, direction, slopes)
    whole = outputs.residual_of(0, size) if residual is None else residual
    only = outputs.only_one(whole)
    return halve(size, whole, outputs.residual_of) if only is None else only


def only_wrong_output(mode: Mode, failed: Question, slopes: Array, residual: float) -> int | None:
    """Return the output that alone makes the residual along the failed direction, None for none."""
    return _Outputs(mode, failed, failed.direction, slopes).only_one(residual)


class _Outputs:
    """What is off about parts of a cotangent, given what was measured along a direction."""

    def __init__(self, mode: Mode, failed: Question, direction: Array, slopes: Array) -> None:
        self._mode, self._failed, self._direction, self._slopes = mode, failed, direction, slopes

    def residual_of(self, low: int, high: int) -> float:
        """Return by how much the outputs in [low, high) are off."""
        backend, weights = self._mode.examination.backend, self._failed.weights
        claimed = self._claimed(within(backend, weights, low, high))
        return claimed - backend.dot(weights[low:high], self._slopes[low:high])

    def only_one(self, residual: float) -> int | None:
        """Return the output that alone makes a residual, None where there is none."""
        size = int(self._failed.weights.shape[0])
        place = only_place(size, residual, self._by_blocks, BLOCKS) if size > BLOCKS else None
        if place is None or 2 * abs(self.residual_of(place, place + 1)) <= abs(residual):
            return None
        return place

    def _by_blocks(self, low: int, high: int, width: int) -> float:
        backend = self._mode.examination.backend
        space = self._mode.examination.problem.codomain.parts[self._failed.output]
        numbered = by_blocks(backend, space, self._failed.weights, (low, high), width)
        return self._claimed(numbered) - backend.dot(numbered, self._slopes)

    def _claimed(self, weights: Array) -> float:
        return self._mode.claimed_of(self._failed, weights, self._direction)


def only_place(
    size: int, residual: float, residual_by_blocks: Callable[[int, int, int], float], count: int
) -> int | None:
    """Return the place that makes all of a residual, None where that is no single one.

    A window is asked about in so many blocks, each times its number.
    """
    low, high = 0, size
    while high - low > 1:
        width = -(-(high - low) // count)
        ratio = residual_by_blocks(low, high, width) / residual if residual else math.nan
        if not (math.isfinite(ratio) and abs(ratio - round(ratio)) < _CLOSE):
            return None
        low = low + (round(ratio) - 1) * width
        high = min(low + width, high)
        if not 0 <= low < high:
            return None
    return low


def by_blocks(
    backend: Backend, space: Space, vector: Array, window: tuple[int, int], width: int
) -> Array:
    """Return a vector with each block of a window times its number, from 1 on; zeros elsewhere."""
    low, high = window
    inside = vector[low:high]
    count = (high - low) // width
    numbers = backend.vector(np.arange(1.0, count + 1), space.reference)
    blocks = (inside[: count * width].reshape(count, width) * numbers[:, None]).reshape(-1)
    whole = backend.put(vector * 0, slice(low, low + count * width), blocks)
    if low + count * width < high:
        whole = backend.put(
            whole, slice(low + count * width, high), inside[count * width :] * (count + 1.0)
        )
    return space.coordinates(space.assemble(whole))


def within(backend: Backend, vector: Array, low: int, high: int) -> Array:
    """Return a vector with zeros outside [low, high)."""
    inside = slice(low, high)
    return backend.put(vector * 0, inside, vector[inside])


def halve(
    size: int,
    residual: float,
    residual_of: Callable[[int, int], float],
    weight_of: Callable[[int, int], float] | None = None,
    least: float = 0.0,
) -> int:
    """Return the place whose share of a sum is the largest, by asking for halves of it.

    Halves without any weight are not asked about. Of a sum that is less than the least that matters
    no place is better than another.
    """
    low, high = 0, size
    while high - low > 1 and abs(residual) >= least:
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
