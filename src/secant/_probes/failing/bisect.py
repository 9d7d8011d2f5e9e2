"""Bisection: a wrong claim along a masked direction is wrong somewhere under the mask.

The residual along u restricted to a set of coordinates is the sum of what each contributes, so
halving the set finds one of them in O(log n) questions, and asking for ever larger slabs finds
where the wrong ones begin.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..._backends.base import Array
from ..._errors import FunctionRaised
from ..._findings import Verdict
from ..._measure.difference import Reading, quick
from ..base import Examination
from ..escalate import look_closer
from ..question import Asker, Question

_SHARE = 0.05  # of the residual looked for: a bar that narrow is narrow enough to follow it
_CLEAR = 10.0  # limits by which a residual is wrong without a closer look
_SLIGHT = 1e-2  # of what is looked for: noise that no bar has seen may be as large
_ROUNDS = 2  # times that nothing more must be found, with fresh directions, before it is believed


class SearchEnds(Exception):
    """No further question can be asked or answered; what has been found so far stands."""


@dataclass(slots=True)
class Searchlight:
    """A failed question, asked again with some coordinates of its direction masked."""

    asker: Asker
    question: Question
    residual: float = 0.0  # the size of what is looked for

    @property
    def examination(self) -> Examination:
        """The problem under examination."""
        return self.asker.examination

    def shine(self, mask: np.ndarray) -> tuple[float, float]:
        """Return the residual along the direction restricted to a mask, and what it may be."""
        return self._answer(self.asker.ask_along(self.question, self._direction(mask)))

    def is_right(self, mask: np.ndarray) -> bool:
        """Say whether nothing under the mask is seen to be wrong."""
        return self._is_right(self.asker.ask_along(self.question, self._direction(mask)))

    def is_right_afresh(self, mask: np.ndarray) -> bool:
        """Say the same with directions that nothing has been asked along before."""
        return Searchlight(self.asker, self._fresh(), self.residual).is_right(mask)

    def is_live(self, mask: np.ndarray) -> bool:
        """Say whether anything at all is claimed under a mask."""
        return self.asker.ask_along(self.question, self._direction(mask)).yardstick.terms > 0

    def is_right_for_outputs(self, mask: np.ndarray) -> bool:
        """Say whether nothing is wrong about the outputs under a mask."""
        one, backend = self.question, self.examination.backend
        reference = self.examination.problem.codomain.parts[one.output].reference
        weights = one.weights * backend.vector(mask.reshape(-1).astype(float), reference)
        return self._is_right(self.asker.ask(one.part, one.output, weights, one.direction))

    def is_clear(self, residual: float, limit: float) -> bool:
        """Say whether a residual is wrong without a closer look."""
        is_slight = abs(residual) < _SLIGHT * abs(self.residual)
        return abs(residual) > _CLEAR * limit and not is_slight

    def _is_right(self, one: Question) -> bool:
        """Judge one question; what is slight beside what is looked for, by a closer look."""
        residual, limit = self._answer(one)
        if abs(residual) <= limit:
            return True
        if self.is_clear(residual, limit):
            return False
        line = self.examination.line(one.part, one.direction)
        closer = look_closer(self.examination, one.part, line, one.functional, one.yardstick)
        return closer.verdict is not Verdict.FAIL

    def refreshed(self, mask: np.ndarray) -> tuple[float, float]:
        """Take fresh directions; return the residual under the mask along them."""
        self.question = self._fresh()
        return self.shine(mask)

    def _fresh(self) -> Question:
        return self.asker.ask_afresh(self.question.part, self.question.output)

    def _direction(self, mask: np.ndarray) -> Array:
        part = self.question.part
        space = self.examination.problem.domain.parts[part]
        numbers = mask.reshape(-1).astype(float)
        return self.question.direction * self.examination.backend.vector(numbers, space.reference)

    def _answer(self, one: Question) -> tuple[float, float]:
        try:
            reading = self._read(one)
        except FunctionRaised as error:
            raise SearchEnds from error
        if reading is None:
            raise SearchEnds
        limit = one.yardstick.tolerance.limit(reading.residual.error, one.yardstick.terms)
        return reading.residual.value, limit

    def _read(self, one: Question) -> Reading | None:
        """Measure, closer only where the bar is too wide for what is looked for."""
        if self.examination.is_over_budget():
            raise SearchEnds
        line = self.examination.line(one.part, one.direction)
        readings = quick(line, [one.functional], self.examination.step(one.part))
        reading = None if readings is None else readings[0]
        is_enough = reading is not None and (
            reading.residual.error <= _SHARE * abs(self.residual)
            or one.yardstick.is_comfortable(reading)
        )
        if is_enough:
            return reading
        return look_closer(self.examination, one.part, line, one.functional, one.yardstick).reading


def halve(mask: np.ndarray, residual: float, residual_of: Callable[[np.ndarray], float]) -> int:
    """Return the place whose share of a sum is the largest, by asking for halves of it."""
    low, high = 0, mask.size
    while high - low > 1:
        middle = (low + high) // 2
        half = np.zeros_like(mask)
        half[low:middle] = mask[low:middle]
        left = residual_of(half)
        if abs(left) >= abs(residual - left):
            high, residual = middle, left
        else:
            low, residual = middle, residual - left
    return low


def what_is_left(light: Searchlight, mask: np.ndarray) -> float | None:
    """Return the residual under a mask, None where nothing more is wrong.

    Contributions may cancel in one sum: nothing more is wrong only if fresh directions agree.
    """
    residual, limit = light.shine(mask)
    for _ in range(_ROUNDS):
        if abs(residual) > limit:
            break
        residual, limit = light.refreshed(mask)
    if abs(residual) <= limit:
        return None
    is_certain = light.is_clear(residual, limit)
    return residual if is_certain or not light.is_right(mask) else None


def find_in(light: Searchlight, mask: np.ndarray, residual: float) -> int:
    """Return the coordinate under the mask that contributes most to a residual, or nearly so."""
    light.residual = residual
    return halve(mask, residual, lambda half: light.shine(half)[0])


def bounds_of(
    shape: tuple[int, ...], is_right: Callable[[np.ndarray], bool]
) -> list[tuple[int, int]]:
    """Return the smallest box that holds all that is wrong, as [low, high) along each dimension."""
    return [
        (_first(shape, axis, is_right), shape[axis] - _first(shape, axis, is_right, back=True))
        for axis in range(len(shape))
    ]


def _first(
    shape: tuple[int, ...],
    axis: int,
    is_right: Callable[[np.ndarray], bool],
    *,
    back: bool = False,
) -> int:
    """Return how many indices from one end on hold nothing wrong, by doubling, then halving."""
    size = shape[axis]

    def is_slab_right(count: int) -> bool:
        index = np.arange(size)
        flags = index >= size - count if back else index < count
        along = [1] * len(shape)
        along[axis] = size
        return is_right(np.broadcast_to(flags.reshape(along), shape))

    low, step = 0, 1
    while low + step < size and is_slab_right(low + step):
        low, step = low + step, 2 * step
    high = min(low + step, size)  # the slab of so many is wrong, or is everything
    while high - low > 1:
        middle = (low + high) // 2
        if is_slab_right(middle):
            low = middle
        else:
            high = middle
    return low
