"""Columns looked at by themselves: is what is claimed about this coordinate right?

What is not clear at first sight, by the two evaluations that measure a column (`measured.py`), or
bends as at a kink, is asked again along a line, with kinks excused.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ..._backends.base import Array
from ..._constants import CLEARLY, KAPPA, VISIBLE
from ..._errors import FunctionRaised
from ..._findings import Entry, Verdict
from ..._measure.difference import Reading, quick
from ..._measure.ladder import climb
from ..asking.question import Mode, Question
from ..base import Examination
from ..closer.look import look_closer
from ..full.suspects import entry_at
from .halving import wrong_output
from .measured import SHARP, MeasuredColumns

_PATIENCE = 2  # columns that are unclear at first sight and are asked along a line
_SEEN = 3.0  # limits that a slope must exceed for an error in it to show
_CLEAR = 10.0  # limits that a residual exceeds, or a slope, where one look is enough


class ColumnLook(NamedTuple):
    """One column at first sight, contracted with the failed question's cotangent."""

    residual: float
    limit: float  # what it may be
    slope: float  # the size of its terms
    is_bent: bool = False  # as at a kink

    @property
    def is_wrong(self) -> bool:
        """Say whether it is wrong without a closer look."""
        return self.residual > _CLEAR * self.limit

    @property
    def is_right(self) -> bool:
        """Say whether it is right, and an error would show."""
        is_seen = _CLEAR * self.limit <= self.slope or self.slope == 0  # nothing moves
        return self.residual <= self.limit and is_seen


def read(examination: Examination, one: Question, sought: float = 0.0) -> Reading | None:
    """Measure a question, closer where the first look is not comfortable; None where that fails.

    A bar is narrow enough that is little beside what is sought, or shows that something is off.
    """

    def is_enough(reading: Reading) -> bool:
        is_narrow = reading.residual.error <= SHARP * abs(sought)
        is_narrow = is_narrow or (sought > 0 and stands_out(reading))
        return is_narrow or one.yardstick.is_comfortable(reading) or examination.is_over_budget()

    first = glance(examination, one)
    if first is not None and is_enough(first):
        return first
    functional = examination.with_jitter(one.functional)
    line = examination.line(one.part, one.direction)
    return climb(line, functional, examination.steps(one.part), is_enough)


def glance(examination: Examination, one: Question) -> Reading | None:
    """Measure a question at one step, whatever the bar; None where that leaves the domain."""
    line = examination.line(one.part, one.direction)
    readings = quick(line, [one.functional], examination.step(one.part))
    return None if readings is None else readings[0]


def stands_out(reading: Reading) -> bool:
    """Say whether a residual is none of its bar's making."""
    return abs(reading.residual.value) > 2 * KAPPA * reading.residual.error


def reader_of(mode: Mode, failed: Question) -> ColumnReader:
    """Return the reader of a failed question's columns, the same one where it is asked again."""
    return mode.examination.readers.of((id(mode), id(failed)), lambda: ColumnReader(mode, failed))


class ColumnReader:
    """Reads columns of the Jacobian that a failed question is about."""

    def __init__(self, mode: Mode, failed: Question) -> None:
        self.mode, self.failed = mode, failed
        self.examination = mode.examination
        self.measured = MeasuredColumns(mode.examination, failed)
        self.rows: list[int] = []  # outputs that were found to be wrong along the failed direction

    def seen_along(
        self, one: Question, sought: float, without: Sequence[int]
    ) -> tuple[float, float] | None:
        """Return what a question along all columns is off by, and what it may be; None if unclear.

        Two evaluations tell, none where it is the failed one's direction without known columns.
        """
        backend = self.examination.backend
        seen = self.measured.along if without else self.measured.across(one, sought)
        if seen is None or not self.measured.is_plain:
            return None
        slope, bars = backend.dot(seen.values, one.weights), [0.0]
        bars[0] = backend.norm_of_product(seen.bars, one.weights)
        for place in without:
            column = self.measured.known.get(place)
            if column is None:
                return None
            pace = self._number(self.failed.direction, place)
            slope -= pace * backend.dot(column.values, one.weights)
            bars.append(pace * backend.norm_of_product(column.bars, one.weights))
        bar = math.hypot(*bars)
        limit = one.yardstick.tolerance.limit(bar, one.yardstick.terms)
        return (slope - one.claimed, limit) if bar <= SHARP * abs(sought) else None

    def sight(self, place: int) -> ColumnLook:
        """Hold one column against the claim, with the failed question's cotangent."""
        backend, failed = self.examination.backend, self.failed
        seen = self.measured.column(place)
        if seen is None:
            return ColumnLook(math.inf, math.inf, 0.0)
        claimed = self._claimed(place)
        slope = max(backend.norm_of_product(seen.values, failed.weights), abs(claimed))
        tolerance = failed.yardstick.tolerance  # where the user forgives, entries are asked next
        if not self.examination.forgives:
            tolerance = self.examination.tolerance(failed.part, failed.output)
        bar = backend.norm_of_product(seen.bars * (seen.values != 0), failed.weights)
        # what has not moved adds no noise, but one output may have been too coarse to move
        still = backend.absolute(seen.bars * failed.weights) * (seen.values == 0)
        bar = math.hypot(bar, backend.largest(still))
        limit = tolerance.limit(bar, slope)
        residual = abs(claimed - backend.dot(seen.values, failed.weights))
        if not math.isfinite(residual + limit):
            return ColumnLook(math.inf, math.inf, slope)
        bend = backend.norm_of_product(seen.bends, failed.weights)
        return ColumnLook(residual, limit, slope, bend > max(VISIBLE * slope, CLEARLY * bar))

    def _claimed(self, place: int) -> float:
        """Return what is claimed about one coordinate; reverse mode knows it already."""
        failed = self.failed
        if failed.pulled is None:
            return self.mode.ask_along(failed, self.examination.unit(failed.part, place)).claimed
        return 0.0 if failed.gradient is None else self._number(failed.gradient, place)

    def are_wrong(self, places: Sequence[int]) -> list[bool | None]:
        """Say of each coordinate whether its column is wrong; None where that cannot be told."""
        examination = self.examination
        answers: list[bool | None] = []
        patience = 0
        for place in places:
            answer: bool | None = None
            if not examination.is_over_budget():
                sight = self.sight(place)
                if sight.is_right:
                    answer = False
                elif sight.is_wrong and not sight.is_bent:
                    answer = self.is_beyond(place)
                elif sight.is_wrong or patience < _PATIENCE:
                    answer = self.is_wrong(place)
                    patience += not sight.is_wrong
                    if not answer and _SEEN * sight.limit > sight.slope:
                        answer = None  # too weak to show whether it is right
            answers.append(answer)
        return answers

    def is_wrong(self, place: int) -> bool | None:
        """Look at one coordinate along a line, kinks excused; None where that cannot be told."""
        examination = self.examination
        one = self.mode.ask_along(self.failed, self.examination.unit(self.failed.part, place))
        line = examination.line(one.part, one.direction)
        readings = quick(line, [one.functional], examination.step(one.part))
        if readings is not None and one.yardstick.is_fine(readings[0]):
            return False
        try:
            closer = look_closer(examination, one.part, line, one.functional, one.yardstick)
        except FunctionRaised:
            return None
        if closer.verdict is not Verdict.FAIL:
            return None if closer.verdict is Verdict.INCONCLUSIVE else False
        return self.is_beyond(place)

    def is_beyond(self, place: int) -> bool:
        """Say whether a column that is off holds an entry that is off by more than is forgiven."""
        entry = self.worst(place) if self.examination.forgives else None
        return entry is None or self.is_wrong_entry(entry)

    def is_wrong_entry(self, entry: Entry) -> bool:
        """Say whether an entry is off by more than is forgiven to it."""
        tolerance = self.examination.tolerance(self.failed.part, self.failed.output)
        apart, size = abs(entry.claimed - entry.measured.value), abs(entry.measured.value)
        return apart > tolerance.limit(entry.measured.error, size)

    def worst(self, place: int) -> Entry | None:
        """Find the wrong output of a wrong column by halving the cotangent, O(log m) pulls."""
        seen, failed = self.measured.column(place), self.failed
        if seen is None:
            return None
        unit, backend = self.examination.unit(failed.part, place), self.examination.backend
        residual = self.mode.claimed_of(failed, failed.weights, unit)
        residual -= backend.dot(failed.weights, seen.values)
        for row in self.rows:  # one that is most of it is no worse than what halving finds
            entry = self.entry(row, place)
            weight = self._number(failed.weights, row)
            if entry and 2 * abs(weight * (entry.claimed - entry.measured.value)) > abs(residual):
                return entry
        return self.entry(wrong_output(self.mode, failed, unit, seen.values, residual), place)

    def entry(self, row: int, place: int) -> Entry | None:
        """Return one entry, as claimed and as seen in its column."""
        seen, failed = self.measured.column(place), self.failed
        if seen is None:
            return None
        unit = self.examination.unit(failed.part, place)
        cotangent = self.examination.problem.codomain.parts[failed.output].unit(row)
        claimed = self.mode.claimed_of(failed, cotangent, unit)
        numbers = claimed, self._number(seen.values, row), self._number(seen.bars, row)
        return entry_at(self.examination, (failed.output, failed.part), (row, place), *numbers)

    def _number(self, vector: Array, place: int) -> float:
        backend = self.examination.backend
        return float(backend.to_numpy(backend.select(vector, [place]))[0])
