"""Where a measurement opens: the first step, a longer one where noise rules, leaves together."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..._backends.base import Array
from ..._measure.difference import Functional, Reading
from ..asking.question import Question
from ..base import Examination

_CROSSINGS = 256  # so many times fewer kinks than entries are worth a shorter step
_QUIET = 2.0**-6  # the share of a comfortable bar that noise may take
_NOISY = 8.0  # times the modelled noise, up to which a bar is made by noise


def first_step(examination: Examination, part: int, questions: Sequence[Question]) -> float:
    """Return the step to begin with: shorter for long leaves, which meet kinks somewhere.

    A direction of n entries, each with about one kink per unit of length, crosses 4 n h of them.
    The step may be as short as keeps the modelled noise far below a comfortable bar.
    """
    steps = examination.steps(part)
    entries = max(examination.problem.domain.parts[part].size, 1)
    wanted = steps.scale / (_CROSSINGS * entries)
    if examination.settings.step is not None or steps.first <= wanted:
        return steps.first
    quiet = [
        one.functional.floor(1.0, 0.0) / (_QUIET * one.yardstick.tolerance.comfortable * size)
        for one in questions
        if (size := one.yardstick.size)
    ]
    shortest = max([wanted, steps.shortest, *quiet])
    return min(steps.first, 2.0 ** math.ceil(math.log2(shortest)))


def another_step(
    examination: Examination, read: Sequence[tuple[Question, Reading]]
) -> float | None:
    """Return by what a step must be multiplied for bars that are too wide to be comfortable.

    It is longer where they are made by noise, shorter where by truncation. None where they are
    comfortable, or no such step is in the range.
    """
    for one, reading in read:
        yardstick = one.yardstick
        width = yardstick.tolerance.comfortable * min(reading.slope, yardstick.terms)
        if examination.only_glances or not reading.residual.error <= width:
            return _lengthening(examination, read) or _shortening(examination, read)
    return None  # no bar is narrower than its noise, or wider than is comfortable


def _lengthening(
    examination: Examination, read: Sequence[tuple[Question, Reading]]
) -> float | None:
    """Return by how much longer a step must be for the modelled noise to be comfortable.

    At a glance nothing counts but what is forgiven. None where noise is comfortable already, where
    it is not noise that makes bars wide, or beyond the range.
    """
    wanted, longest = 1.0, math.inf
    for one, reading in read:
        noise = one.functional.floor(reading.step, reading.slope)
        if not reading.slope or reading.residual.error > _NOISY * noise:
            return None
        tolerance = one.yardstick.tolerance
        width = tolerance.comfortable * reading.slope
        if examination.only_glances:
            width = min(width, tolerance.atol)
        wanted = max(wanted, 2 * noise / width)
        longest = min(longest, examination.steps(one.part).longest / reading.step)
    if wanted <= 2 or not math.isfinite(wanted):
        return None
    longer: float = 2.0 ** math.ceil(math.log2(wanted))
    return longer if longer <= longest else None


def _shortening(examination: Examination, read: Sequence[tuple[Question, Reading]]) -> float | None:
    """Return how much shorter a step must be for bars to be comfortable, if truncation makes them.

    It falls with the square of the step. None where they are comfortable, where the residual is
    beyond its bar anyway, where noise would take its place, or below the range.
    """
    wanted = 1.0
    for one, reading in read:
        error, yardstick = reading.residual.error, one.yardstick
        width = yardstick.tolerance.comfortable * min(reading.slope, yardstick.terms)
        comfortable = max(width, yardstick.tolerance.atol)
        if error <= wanted * comfortable:
            continue
        if one.is_aligned and yardstick.is_beyond_blame(reading, one.claimed):
            continue
        if not comfortable or abs(reading.residual.value) > yardstick.limit(reading):
            return None
        wanted = error / comfortable
    if wanted <= 1.0:
        return None
    share = 2.0 ** -math.ceil(math.log2(wanted) / 2) if math.isfinite(wanted) else 0.0
    for one, reading in read:
        step, slope, yardstick = reading.step * share, reading.slope, one.yardstick
        quiet = yardstick.tolerance.comfortable * min(slope, yardstick.terms)
        is_too_short = step < examination.steps(one.part).shortest
        if is_too_short or one.functional.floor(step, slope) > quiet:
            return None
    return share


def joined(questions: list[Question], reach: float) -> Functional:
    """Return the functional that subtracts the claims of all leaves."""
    functionals = [one.functional for one in questions]
    first = functionals[0]

    linear: list[tuple[float, Array] | None] = []
    for one in functionals:
        linear += one.linear or (None,)
    return Functional(
        first.output,
        first.weights,
        linear,
        first.base,
        reach,
        max(one.roundoff for one in functionals),
        first.largest,
        first.values,
    )
