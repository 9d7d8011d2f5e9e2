"""Bisection: a wrong claim along a masked direction is wrong somewhere under the mask.

The residual along u restricted to a set of coordinates is the sum of what each contributes, so
halving the set finds one of them in O(log n) questions, and asking for ever larger slabs finds
where the wrong ones begin. Which outputs are wrong takes no evaluation: what was measured along u
once is held against what is claimed of parts of the cotangent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..._backends.base import Array
from ..._findings import Verdict
from ..._spaces.base import Space
from ..._verdict.picture import Flags
from ..._verdict.regions import along
from ..asking.question import Mode, Question
from ..base import Examination
from ..closer.look import look_closer
from .columns import ColumnReader, read
from .halving import by_blocks, halve, only_place, within, wrong_output

_CLEAR = 10.0  # limits by which a residual is wrong without a closer look
_SLIGHT = 1e-2  # of what is looked for: noise that no bar has seen may be as large
_BLOCKS = 16  # a power of two, so that their shares are exact
_ROUNDS = 2  # times that nothing more must be found, with fresh directions, before it is believed

EVERYTHING = np.ones(1, dtype=bool)
Mask = Array  # flags that broadcast to the leaf's shape, or a vector of ones and zeros


class SearchEnds(Exception):
    """No further question can be asked or answered; what has been found so far stands."""


@dataclass(slots=True)
class MaskedQuestion:
    """A failed question, asked again with some coordinates of its direction masked."""

    mode: Mode
    question: Question
    residual: float = 0.0  # the size of what is looked for

    @property
    def examination(self) -> Examination:
        """The problem under examination."""
        return self.mode.examination

    def shine(self, direction: Array) -> tuple[float, float]:
        """Return the residual along a direction, and what it may be."""
        return self._answer(self.mode.ask_along(self.question, direction))

    def is_right(self, mask: Mask) -> bool:
        """Say whether nothing under the mask is seen to be wrong."""
        return self._is_right(self._under(self.question, mask))

    def is_right_afresh(self, mask: Mask) -> bool:
        """Say the same with directions that nothing has been asked along before."""
        return self._is_right(self._under(self.fresh(), mask))

    def is_live(self, mask: Mask) -> bool:
        """Say whether anything at all is claimed under a mask."""
        return self._under(self.question, mask).yardstick.terms > 0

    def is_clear(self, residual: float, limit: float) -> bool:
        """Say whether a residual is wrong without a closer look."""
        is_slight = abs(residual) < _SLIGHT * abs(self.residual)
        return abs(residual) > _CLEAR * limit and not is_slight

    def fresh(self) -> Question:
        """Ask about the same leaves along fresh directions."""
        return self.mode.ask_afresh(self.question.part, self.question.output)

    def _under(self, one: Question, mask: Mask) -> Question:
        space = self.examination.problem.domain.parts[one.part]
        return self.mode.ask_along(one, masked(one.direction, mask, space))

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

    def _answer(self, one: Question) -> tuple[float, float]:
        if self.examination.is_over_budget():
            raise SearchEnds
        reading = read(self.examination, one, self.residual)
        if reading is None:
            raise SearchEnds
        limit = one.yardstick.tolerance.limit(reading.residual.error, one.yardstick.terms)
        return reading.residual.value, limit


def masked(vector: Array, mask: Mask, space: Space) -> Array:
    """Return a vector with zeros outside a mask, which may broadcast to the leaf's shape."""
    if mask is EVERYTHING:
        return vector
    if not isinstance(mask, np.ndarray) or mask.dtype != bool:
        return vector * mask
    numbers = space.backend.vector(mask.reshape(-1).astype(float), space.reference)
    whole = vector.reshape((*space.shape, 2) if mask.ndim > len(space.shape) else space.shape)
    return (whole * numbers.reshape(mask.shape)).reshape(-1)


def what_is_left(light: MaskedQuestion, hidden: list[int], reader: ColumnReader) -> float | None:
    """Return the residual beside what was found, None where nothing more is wrong.

    Contributions may cancel in one sum: nothing more is wrong only if fresh directions agree. The
    light's question becomes the one that shows it. Slopes that are known are asked for no more.
    """
    sought = light.residual
    for attempt in range(_ROUNDS + 1):
        one = light.fresh() if attempt else light.question
        light.question = light.mode.ask_along(one, without(light, one.direction, hidden))
        seen = None
        if attempt or one is reader.failed:
            seen = reader.seen_along(light.question, sought, [] if attempt else hidden)
        residual, limit = light.shine(light.question.direction) if seen is None else seen
        if abs(residual) > limit:
            is_certain = light.is_clear(residual, limit)
            return residual if is_certain or not light.is_right(EVERYTHING) else None
    return None


def without(light: MaskedQuestion, vector: Array, places: list[int]) -> Array:
    for place in places:
        vector = light.examination.backend.rows_with(vector, [place], 0.0)[0]
    return vector


def find_in(
    light: MaskedQuestion, residual: float, reader: ColumnReader | None, least: float = 0.0
) -> int:
    """Return a coordinate that contributes to the residual of the light's question.

    With a reader of that question its output is found first, by pulls alone; the coordinate is then
    one of those that are claimed to move it, if any is. Without, the whole direction is searched.
    Sums below the least that matters are not searched any further.
    """
    light.residual, one = residual, light.question
    backend = light.examination.backend
    along = None if reader is None else reader.measured.along
    is_moving = (one.direction != 0) * 1.0  # what was found is hidden
    is_told = False
    if along is not None:
        space = light.examination.problem.codomain
        assert reader is not None
        if not reader.rows:
            reader.rows.append(wrong_output(light.mode, one, one.direction, along.values))
        row = reader.rows[-1]
        one = light.mode.ask(one.part, one.output, space.parts[one.output].unit(row), one.direction)
        residual = float(backend.to_numpy(backend.select(along.values, [row]))[0]) - one.claimed
        if one.gradient is not None:
            is_claimed = (one.gradient != 0) * is_moving
            is_told = bool(backend.largest(is_claimed))
            if is_told:  # else what moves it is what the claim leaves out
                is_moving = is_claimed

    def weight_of(low: int, high: int) -> float:
        return backend.total(is_moving[low:high])

    row_light = MaskedQuestion(light.mode, one, residual)

    def residual_along(part: Array, sought: float = residual) -> float:
        slopes = None if reader is None else reader.measured.slopes(part, one.weights, sought)
        if slopes is None:
            return row_light.shine(part)[0]
        return backend.dot(slopes, one.weights) - light.mode.ask_along(one, part).claimed

    def residual_of(low: int, high: int) -> float:
        return residual_along(within(backend, one.direction, low, high))

    size, most = int(one.direction.shape[0]), _BLOCKS**2
    if not is_told or weight_of(0, size) > most:
        domain = light.examination.problem.domain.parts[one.part]

        def residual_by_blocks(low: int, high: int, width: int) -> float:
            part = by_blocks(backend, domain, one.direction, (low, high), width) / _BLOCKS
            return residual_along(part, residual / _BLOCKS) * _BLOCKS

        place = only_place(size, residual, residual_by_blocks, _BLOCKS) if size > most else None
        if place is not None and 2 * abs(residual_of(place, place + 1)) > abs(residual):
            return place
    return halve(size, residual, residual_of, weight_of, least)


def bounds_of(shape: tuple[int, ...], is_right: Callable[[Flags], bool]) -> list[tuple[int, int]]:
    """Return the smallest box that holds all that is wrong, as [low, high) along each dimension."""
    return [
        (_first(shape, axis, is_right), shape[axis] - _first(shape, axis, is_right, back=True))
        for axis in range(len(shape))
    ]


def _first(
    shape: tuple[int, ...], axis: int, is_right: Callable[[Flags], bool], *, back: bool = False
) -> int:
    """Return how many indices from one end on hold nothing wrong, by doubling, then halving."""
    size = shape[axis]

    def is_slab_right(count: int) -> bool:
        index = np.arange(size)
        return is_right(along(index >= size - count if back else index < count, axis, len(shape)))

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
