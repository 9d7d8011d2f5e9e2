"""Look closer where claim and measurement disagree or the bar is too wide.

A ladder of steps, then one-sided slopes, then a second, independent probe that must fail too:
a claim that is wrong is wrong on every line, a measurement that is wrong is wrong on one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

from ..._errors import FunctionRaised, OutputChanged
from ..._findings import Evidence, Verdict
from ..._judge.judge import UNKNOWN, doubted, held, judge
from ..._judge.yardstick import Yardstick
from ..._measure.average import average
from ..._measure.difference import Functional, Reading
from ..._measure.ladder import climb
from ..._measure.line import Line
from ..._measure.rungs import stand_at
from ..._measure.steps import Range
from ..._measure.trend import Trend, is_below_rounding, trend_of
from ..._measure.zeros import nearer_to_zero
from ..._verdict.kinks import Corner, Shape, corner_at, is_staircase, nearest_corner
from ..._words import slopes
from ..._words.reason import Reason
from ..base import Examination, Judged
from .scatter import with_scatter


def look_closer(
    examination: Examination,
    part: int,
    line: Line,
    functional: Functional,
    yardstick: Yardstick,
    shift: float = 1.0,
    steps: Range | None = None,
    *,
    is_averaged: bool = False,
    is_smooth: bool = False,
) -> Judged:
    """Walk the ladder along one line and judge by its steadiest rung, or by many around it.

    Kinks and jumps at the point may excuse a claim, unless none was seen there along another line.
    """
    functional = examination.with_jitter(functional)
    steps = examination.steps(part) if steps is None else steps
    shortest = steps.shortest

    def is_enough(reading: Reading) -> bool:
        if yardstick.is_comfortable(reading) or examination.is_over_budget():
            return True
        return _moves_nearby(line, functional, yardstick, reading, shortest)

    if shift != 1.0:
        steps = replace(steps, first=steps.first * shift)
    reading = climb(line, functional, steps, is_enough)
    if reading is None:
        return _unread(examination, part, line, functional, shortest)
    if is_averaged and yardstick.wants_more(reading) and not examination.is_over_budget():
        mean = average(line, functional, reading.step)
        if mean is not None and mean.residual.error < reading.residual.error:
            reading = mean
    if judge(held(yardstick, reading)) is not Verdict.PASS:
        reading = nearer_to_zero(line, functional, steps, reading)
    yardstick = _sized(yardstick, line, functional, steps, reading)
    evidence = held(yardstick, reading)
    if judge(evidence) is Verdict.FAIL:
        reading = with_scatter(examination, functional, reading)
        evidence = held(yardstick, reading)
    if reading.is_stairs:
        closer = Judged(doubted(evidence, is_another=False), reading, None, _STAIRS)
        if closer.verdict is not Verdict.FAIL or not yardstick.claims_stillness:
            return closer
    closer = Judged(evidence, reading, None)
    if closer.verdict is Verdict.PASS:
        return closer
    may_round = is_below_rounding(functional, 0.0, reading.step)
    if closer.verdict is Verdict.FAIL and (may_round or yardstick.is_slight(reading)):
        trend = trend_of(line, functional, steps, reading)
        if trend is not None:
            both = closer.evidence, held(yardstick, trend.reading)
            far = Judged(Evidence("trend", {}, both), trend.reading, None, _inexact(trend))
            if far.verdict is not Verdict.FAIL:
                return far
    if is_smooth and closer.verdict is Verdict.FAIL:
        return closer
    return _around_corners(line, functional, yardstick, steps, reading)


def _moves_nearby(
    line: Line, functional: Functional, yardstick: Yardstick, reading: Reading, shortest: float
) -> bool:
    """Say whether what is claimed to stand still clearly moves, and not in jumps."""
    if not (yardstick.claims_stillness and yardstick.stands_out(reading)):
        return False
    return not is_staircase(line, functional, reading.step, shortest, claims_stillness=True)


def _sized(
    yardstick: Yardstick, line: Line, functional: Functional, steps: Range, reading: Reading
) -> Yardstick:
    """Return what a claim of zero is held against: outputs of 0 do not tell F/X.

    How they move across the leaf does; across zeros, if they were looked at from nearer as well.
    """
    if yardstick.size or not reading.slope or not yardstick.claims_nothing:
        return yardstick
    if steps.is_zero and reading.step >= steps.shortest:
        return yardstick
    far = stand_at(line, functional, steps.longest)
    return yardstick if far is None else replace(yardstick, size=line.backend.norm(far.slopes))


def _inexact(trend: Trend) -> tuple[Reason]:
    error = trend.reading.residual.error
    return (slopes.INEXACT(jump=trend.jump, distance=trend.onset, error=error),)


def _around_corners(
    line: Line, functional: Functional, yardstick: Yardstick, steps: Range, reading: Reading
) -> Judged:
    """Let kinks excuse a claim, and jumps and stairs forbid a verdict, before any blame."""
    evidence = held(yardstick, reading)
    verdict = judge(evidence)
    corner = corner_at(line, functional, reading.step)
    if verdict is Verdict.INCONCLUSIVE and steps.first < reading.step:
        nearby = corner_at(line, functional, steps.first)  # a jump shows at short steps
        corner = nearby if nearby.shape is Shape.JUMP else corner
    if verdict is Verdict.FAIL and corner.excuses(reading):
        nearest = nearest_corner(line, functional, steps.nearest, corner)
        closest = None
        if nearest.is_kink:
            if nearest.step <= (functional.reach or nearest.step):
                return _at_corner(evidence, reading, corner, is_between=True)
        else:  # a bend further away than the shortest steps: they speak for the point
            closest = climb(line, functional, nearest.steps(steps), lambda _: False)
        if closest is None or not closest.slope:  # where nothing moves, nothing speaks
            return Judged(doubted(evidence), None, nearest, (slopes.BENDS_WITHIN_STEPS(),))
        corner, reading, evidence = nearest, closest, held(yardstick, closest)
        verdict = judge(evidence)
        if verdict is Verdict.PASS:
            return Judged(evidence, reading, None)
    elif verdict is Verdict.FAIL and (
        hidden := _beside_curvature(evidence, line, functional, steps, reading, corner)
    ):
        return hidden
    if (
        verdict is Verdict.FAIL
        and reading.slope
        and is_staircase(
            line,
            functional,
            reading.step,
            steps.shortest,
            claims_stillness=yardstick.claims_stillness,
        )
    ):
        corner = Corner(Shape.STAIRS, 0.0)
    if corner.shape in (Shape.JUMP, Shape.STAIRS):
        return _at_corner(evidence, reading, corner)
    notes = () if verdict is Verdict.FAIL else (_too_wide(reading, yardstick),)
    return Judged(evidence, reading, corner, notes)


def _beside_curvature(
    evidence: Evidence,
    line: Line,
    functional: Functional,
    steps: Range,
    reading: Reading,
    corner: Corner,
) -> Judged | None:
    """Return what a kink says that curvature hides at the step of a reading; None for no kink.

    Curvature is mostly gone where a kink of the residual's size would still stand out from noise.
    Where the function still bends by more than it moves, nothing is known of the point.
    """
    if corner.shape is not Shape.SMOOTH or not corner.has_room_for(reading):
        return None
    suspected = replace(corner, gap=abs(reading.residual.value))
    nearest = nearest_corner(line, functional, steps.nearest, suspected)
    if nearest.excuses(reading) and nearest.step <= (functional.reach or nearest.step):
        return _at_corner(evidence, reading, nearest, is_between=True)
    if nearest is suspected or not (nearest.bends and nearest.has_room_for(reading)):
        return None
    return Judged(doubted(evidence), None, nearest, (slopes.BENDS_WITHIN_STEPS(),))


def _at_corner(
    line: Evidence, reading: Reading, corner: Corner, *, is_between: bool = False
) -> Judged:
    facts = {
        "is_kink": float(corner.shape is Shape.KINK),
        "is_between": float(is_between),
        "is_jump": float(corner.shape in (Shape.JUMP, Shape.STAIRS)),
    }
    notes = (_CORNERS[corner.shape](),)
    return Judged(Evidence("corner", facts, (line,)), reading, corner, notes)


_STAIRS = (slopes.STAIRCASE(),)
_CORNERS = {
    Shape.KINK: slopes.KINK,
    Shape.JUMP: slopes.JUMP,
    Shape.STAIRS: slopes.STAIRCASE,
}


def _unread(
    examination: Examination, part: int, line: Line, functional: Functional, shortest: float
) -> Judged:
    """Return why no step could be read, or raise what the function did wherever it was moved."""
    if line.raised is not None:
        _raise_for(examination, part, line)
    has_values = line.is_defined(functional.output, shortest)
    why = slopes.JUMPS_AT_POINT if has_values else slopes.NO_STEP
    return Judged(UNKNOWN, None, None, (why(),))


def _raise_for(examination: Examination, part: int, line: Line) -> NoReturn:
    """Say that the function raises wherever the leaf is moved, with its own exception chained."""
    path = examination.problem.domain.path(part)
    assert line.raised is not None
    if isinstance(line.raised.__cause__, OutputChanged):
        raise line.raised.__cause__
    raise FunctionRaised(
        f"{line.raised}, when {path} was moved by {line.raised_at:.1g} along a random direction "
        f"(seed {examination.settings.seed}), and at every shorter step"
    ) from line.raised.__cause__


def _too_wide(reading: Reading, yardstick: Yardstick) -> Reason:
    size = max(yardstick.terms, reading.slope)
    share = reading.residual.error / size if 0 < size < float("inf") else float("inf")
    return slopes.BAR_TOO_WIDE(share=share, step=reading.step)
