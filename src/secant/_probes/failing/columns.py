"""Columns looked at by themselves: is what is claimed about this coordinate right?

A column is measured whole, four evaluations, and held against the claim with the failed question's
cotangent. Outputs that do not move at all add no noise, so that one entry in a million is seen as
sharply as one in ten. What is not clear at first sight, and the first few that look wrong, are
asked again along a line, with kinks excused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..._constants import KAPPA
from ..._errors import FunctionRaised
from ..._findings import Entry, Verdict
from ..._measure.difference import quick
from ..._measure.estimate import Estimate
from ..escalate import look_closer
from ..jacobian import Batching, Columns, measured_columns
from ..question import Asker, Question
from .bisect import halve
from .long_columns import LONG, first_sight, worst_of_long_column

_ASKED_TWICE = 1  # column that looks wrong at first sight and is asked along a line as well
_PATIENCE = 2  # columns that are unclear at first sight and are asked along a line
_SEEN = 3.0  # limits that a slope must exceed for an error in it to show
_CLEAR = 10.0  # limits that a residual exceeds, or a slope, where one look is enough


def wrong_columns(asker: Asker, failed: Question, places: Sequence[int]) -> list[bool | None]:
    """Say of each coordinate whether its column is wrong; None where that cannot be told."""
    examination = asker.examination
    if examination.forgives:
        return [is_column_wrong(asker, failed, place) for place in places]
    answer: dict[int, bool | None] = {}
    doubted = patience = 0
    for chosen, (residual, limit, slope) in _first_sights(asker, failed, places):
        for k, place in enumerate(chosen):
            if examination.is_over_budget():
                break
            is_right = residual[k] <= limit[k] and _CLEAR * limit[k] <= slope[k]
            is_right |= slope[k] == 0  # nothing is claimed, and nothing moves
            is_wrong = residual[k] > _CLEAR * limit[k]
            if is_right or (is_wrong and doubted >= _ASKED_TWICE):
                answer[place] = bool(is_wrong)
            elif is_wrong or patience < _PATIENCE:
                answer[place] = is_column_wrong(asker, failed, place)
                doubted += bool(answer[place] and is_wrong)
                patience += not is_wrong
                if not answer[place] and _SEEN * limit[k] > slope[k]:
                    answer[place] = None  # too weak to show whether it is right
    return [answer.get(place) for place in places]


def looks_wrong(asker: Asker, failed: Question, place: int) -> bool:
    """Say whether a column that cannot be judged along a line is clearly wrong at first sight."""
    unbatched = Batching(forward=False, backward=False)
    chunks = measured_columns(asker.examination, failed.part, unbatched, [place])
    return any(
        bool(residual[0] > _CLEAR * limit[0])
        for residual, limit, _ in (_first_sight(asker, failed, chunk) for chunk in chunks)
    )


def _first_sights(
    asker: Asker, failed: Question, places: Sequence[int]
) -> Iterator[tuple[Sequence[int], tuple[Sequence[float], ...]]]:
    """Yield |residual|, what it may be, and the size of the slopes of some columns at a time."""
    if failed.weights.shape[0] > LONG:
        for place in places:
            residual, limit, slope = first_sight(asker, failed, place)
            yield [place], ([residual], [limit], [slope])
        return
    examination = asker.examination
    for chunk in measured_columns(examination, failed.part, asker.batching, list(places)):
        yield chunk.places, tuple(each.tolist() for each in _first_sight(asker, failed, chunk))


def _first_sight(
    asker: Asker, failed: Question, chunk: Columns
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return |residual|, what it may be, and the size of the slopes, one of each a column."""
    examination, output = asker.examination, failed.output
    weights = examination.backend.to_numpy(failed.weights)[None, :]
    measured, error = chunk.measured[output], chunk.error[output]
    has_moved = (chunk.right[output] != 0) | (chunk.left[output] != 0)
    slopes = measured * weights
    with np.errstate(invalid="ignore"):
        bar = np.linalg.norm(np.where(has_moved, error * weights, 0.0), axis=1)
    claimed = np.array([_claimed(asker, failed, place) for place in chunk.places])
    size = np.maximum(np.linalg.norm(slopes, axis=1), np.abs(claimed))
    tolerance = examination.tolerance(failed.part, output)
    limit = KAPPA * bar + tolerance.rtol * size + tolerance.atol
    residual = np.abs(claimed - slopes.sum(axis=1))
    unclear = ~np.isfinite(residual + limit)
    return np.where(unclear, np.inf, residual), np.where(unclear, np.inf, limit), size


def _claimed(asker: Asker, failed: Question, place: int) -> float:
    """Return what is claimed about one coordinate; reverse mode knows it already."""
    backend = asker.examination.backend
    if failed.pulled is not None:
        if failed.gradient is None:
            return 0.0
        return float(backend.to_numpy(backend.select(failed.gradient, [place]))[0])
    return asker.ask_along(failed, asker.unit(failed.part, place)).claimed


def is_column_wrong(asker: Asker, failed: Question, place: int) -> bool | None:
    """Look at one coordinate along a line, kinks excused; None where that cannot be told."""
    examination = asker.examination
    one = asker.ask_along(failed, asker.unit(failed.part, place))
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
    return not examination.forgives or _is_beyond(asker, one, place)


def _is_beyond(asker: Asker, one: Question, place: int) -> bool:
    """Say whether the worst entry of a column is off by more than is forgiven to an entry."""
    entry = worst_of_column(asker, one, place)
    tolerance = asker.examination.tolerance(one.part, one.output)
    apart = abs(entry.claimed - entry.measured.value)
    return apart > tolerance.limit(entry.measured.error, abs(entry.measured.value))


def worst_of_column(asker: Asker, failed: Question, place: int) -> Entry:
    """Find the wrong output of a wrong column by halving the cotangent, O(log m) questions."""
    part, output = failed.part, failed.output
    if failed.weights.shape[0] > LONG:
        found = worst_of_long_column(asker, failed, place)
        if found is not None:
            return found
    problem, backend = asker.examination.problem, asker.examination.backend
    (column,) = measured_columns(asker.examination, part, Batching(False, False), [place])
    measured, error = column.measured[output][0], column.error[output][0]
    weights = backend.to_numpy(failed.weights)
    unit = asker.unit(part, place)

    def claimed(vector: np.ndarray) -> float:
        reference = problem.codomain.parts[output].reference
        return asker.ask(part, output, backend.vector(vector, reference), unit).claimed

    def residual_of(half: np.ndarray) -> float:
        return claimed(half) - float((half * measured).sum())

    row = halve(weights, residual_of(weights), residual_of)
    alone = np.zeros_like(weights)
    alone[row] = 1.0
    return Entry(
        problem.codomain.label(output, row),
        problem.domain.label(part, place),
        claimed(alone),
        Estimate(float(measured[row]), float(error[row])),
        row,
        place,
    )
