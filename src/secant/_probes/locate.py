"""Where a claim is wrong: the worst entries, their indices and their count, after a failure only.

A small pair of leaves is compared whole. A large one is sampled: if some of a few random columns
are wrong, errors are many and their share is estimated; if none is, errors are few and each is
found by bisection, O(log n) questions along masked directions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .._findings import Entry, Verdict
from .._measure.difference import quick
from .._measure.estimate import Estimate
from .escalate import look_closer
from .full import compare_pair
from .jacobian import Batching, measured_columns
from .question import Asker, Question
from .suspects import FullPair

_WHOLE_COLUMNS = 512
_WHOLE_ENTRIES = 1 << 18
_SAMPLE = 16
_MOST_FOUND = 5


@dataclass(frozen=True, slots=True)
class Located:
    """The wrong entries of one pair of leaves."""

    entries: tuple[Entry, ...]
    wrong: int | None
    is_estimate: bool
    total: int  # entries where the pair was compared whole, else columns
    excuse: str | None  # why the claim is right after all: kinks, or entries within tolerance
    pair: FullPair | None  # the whole Jacobian, where it was small


def locate(asker: Asker, failed: Question) -> Located:
    """Find the entries that make a question fail."""
    examination = asker.examination
    columns = examination.problem.domain.parts[failed.part].size
    total = columns * examination.problem.codomain.parts[failed.output].size
    if columns <= _WHOLE_COLUMNS and total <= _WHOLE_ENTRIES:
        return _compare_whole(asker, failed, total)
    sample = examination.directions.positions(columns, _SAMPLE)
    wrong = [place for place in sample if _is_column_wrong(asker, failed, place)]
    if wrong:
        count = max(1, round(columns * len(wrong) / len(sample)))
        entries = _entries(asker, failed, wrong[:_MOST_FOUND])
        return Located(entries, count, True, columns, None, None)
    found, is_complete = _bisect_all(asker, failed)
    entries = _entries(asker, failed, found)
    excuse = None
    if not found and (is_complete or examination.forgives):
        excuse = _FORGIVEN if examination.forgives else _KINKS
    return Located(entries, len(found) if is_complete else None, False, columns, excuse, None)


_KINKS = "the point lies on a kink, the claim between the one-sided slopes"
_FORGIVEN = "the claim is not exact, but no entry that was found is off by more than is forgiven"


def _compare_whole(asker: Asker, failed: Question, total: int) -> Located:
    pair = compare_pair(asker, failed.part, failed.output)
    excuse = None
    if pair.verdict is Verdict.PASS and (pair.notes or asker.examination.forgives):
        excuse = _KINKS if pair.notes else _FORGIVEN
    return Located(tuple(pair.entries), pair.wrong or None, False, total, excuse, pair)


def _is_column_wrong(asker: Asker, failed: Question, place: int) -> bool:
    """Look at one coordinate by itself, kinks excused."""
    examination = asker.examination
    one = asker.ask_along(failed, asker.unit(failed.part, place))
    line = examination.line(one.part, one.direction)
    readings = quick(line, [one.functional], examination.step(one.part))
    if readings is not None and one.yardstick.is_fine(readings[0]):
        return False
    closer = look_closer(examination, one.part, line, one.functional, one.yardstick)
    if closer.verdict is not Verdict.FAIL:
        return False
    return not examination.forgives or _is_beyond(asker, one, place)


def _is_beyond(asker: Asker, one: Question, place: int) -> bool:
    """Say whether the worst entry of a column is off by more than is forgiven to an entry."""
    entry = _worst_of_column(asker, one, place)
    tolerance = asker.examination.tolerance(one.part, one.output)
    apart = abs(entry.claimed - entry.measured.value)
    return apart > tolerance.limit(entry.measured.error, abs(entry.measured.value))


def _bisect_all(asker: Asker, failed: Question) -> tuple[list[int], bool]:
    """Find wrong coordinates one after the other, each hidden once found."""
    mask = np.ones(asker.examination.problem.domain.parts[failed.part].size)
    found: list[int] = []
    for _ in range(2 * _MOST_FOUND):
        if asker.examination.is_over_budget():
            return found, False
        residual, limit = _masked(asker, failed, mask)
        if abs(residual) <= limit:
            return found, True
        place = _bisect(asker, failed, mask, residual)
        mask[place] = 0.0
        if _is_column_wrong(asker, failed, place):
            found.append(place)
        if len(found) >= _MOST_FOUND:
            return found, False
    return found, False


def _bisect(asker: Asker, failed: Question, mask: np.ndarray, residual: float) -> int:
    """Follow the larger residual down to one coordinate; the other half's is the difference."""

    def residual_of(half: np.ndarray) -> float:
        return _masked(asker, failed, half)[0]

    return halve(mask, residual, residual_of)


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


def _masked(asker: Asker, failed: Question, mask: np.ndarray) -> tuple[float, float]:
    """Return the residual along the failed direction restricted to a mask, and what it may be."""
    examination = asker.examination
    space = examination.problem.domain.parts[failed.part]
    hidden = failed.direction * examination.backend.vector(mask, space.reference)
    one = asker.ask_along(failed, hidden)
    line = examination.line(one.part, one.direction)
    readings = quick(line, [one.functional], examination.step(one.part))
    reading = None if readings is None else readings[0]
    if reading is None or not one.yardstick.is_comfortable(reading):
        reading = look_closer(examination, one.part, line, one.functional, one.yardstick).reading
    if reading is None:
        return 0.0, 0.0
    limit = one.yardstick.tolerance.limit(reading.residual.error, one.yardstick.terms)
    return reading.residual.value, limit


def _entries(asker: Asker, failed: Question, places: list[int]) -> tuple[Entry, ...]:
    entries = [_worst_of_column(asker, failed, place) for place in places]
    return tuple(sorted(entries, key=lambda one: -abs(one.claimed - one.measured.value)))


def _worst_of_column(asker: Asker, failed: Question, place: int) -> Entry:
    """Find the wrong output of a wrong column by halving the cotangent, O(log m) questions."""
    part, output = failed.part, failed.output
    problem, backend = asker.examination.problem, asker.examination.backend
    (column,) = measured_columns(asker.examination, part, Batching(False, False), [place])
    measured, error = column.measured[output][0], column.error[output][0]
    weights = backend.to_numpy(failed.weights)
    unit = asker.unit(part, place)

    def claimed(vector: np.ndarray) -> float:
        reference = problem.codomain.parts[output].reference
        return asker.ask(part, output, backend.vector(vector, reference), unit).claimed

    def residual_of(half: np.ndarray) -> float:
        return claimed(half) - float(half @ measured)

    row = halve(weights, residual_of(weights), residual_of)
    alone = np.zeros_like(weights)
    alone[row] = 1.0
    return Entry(
        problem.codomain.label(output, row),
        problem.domain.label(part, place),
        claimed(alone),
        Estimate(float(measured[row]), float(error[row])),
    )
