"""Leaves that move at once: pairs that a sum over all leaves settles, and those that stand still.

With h_i the step of leaf i, the raw residual of output j is Σᵢ hᵢ rᵢⱼ; a single wrong entry in any
leaf shows in it undiminished. If it vanishes within a bar that is narrow even beside one leaf's own
gradient, that pair is right. Large gradients widen the bars of small ones, so leaves that are not
settled are moved once more, without those that are.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence

from ..._backends.base import Array
from ..._findings import Verdict
from ..._judge.judge import held, verdict_of
from ..._measure.difference import Reading, quick
from ..asking.question import Question
from ..base import Examination, Judged
from .openings import another_step, first_step, joined
from .silent import Pair, still_readings

Questions = Mapping[int, Sequence[Question]]
_HAS_HOLES = operator.attrgetter("has_holes")


def settle_together(
    examination: Examination, questions: Questions, directions: Mapping[int, Array]
) -> dict[Pair, Judged]:
    """Return the pairs of leaves that are right, as far as moving many leaves at once can tell."""
    settled: dict[Pair, Judged] = {}
    pending = questions
    while len(pending) > 1:
        settled |= _moved_at_once(examination, pending, directions)
        again = {part: own for part, own in pending.items() if not _are_settled(own, settled)}
        if len(again) == len(pending):
            break
        pending = again
    left: list[Question] = []
    for own in questions.values():
        left += unsettled(own, settled)
    for one, reading in still_readings(examination, left, directions):
        still = within(one, reading)
        if still.verdict is Verdict.PASS:
            settled[one.part, one.output] = still
    return settled


def _moved_at_once(
    examination: Examination, questions: Questions, directions: Mapping[int, Array]
) -> dict[Pair, Judged]:
    moved: dict[int, Array] = {}
    paces: dict[int, float] = {}
    reach, outputs = 0.0, 0
    for part, own in questions.items():
        if directions[part].shape[0] and not any(map(_HAS_HOLES, own)):
            moved[part] = directions[part]
            paces[part] = first_step(examination, part, own)
            reach = max(reach, examination.steps(part).reach / paces[part])
            outputs = len(own)
    if len(moved) < 2:
        return {}
    line = examination.joint_line(moved, paces)
    sums = [joined([questions[part][k] for part in moved], reach) for k in range(outputs)]
    readings = quick(line, sums, 1.0)
    if readings is None:
        return {}
    own_readings = _own(questions, paces, readings)
    factor = another_step(examination, own_readings)
    if factor is not None and (again := quick(line, sums, factor)):
        own_readings = _own(questions, paces, again)
    settled = {}
    for one, reading in own_readings:
        if one.yardstick.is_fine_for(reading):
            settled[one.part, one.output] = within(one, reading, is_fine=True)
    return settled


def _own(
    questions: Questions, paces: Mapping[int, float], readings: Sequence[Reading]
) -> list[tuple[Question, Reading]]:
    """Return a reading of all leaves in units of each of them."""
    own = []
    for part, pace in paces.items():
        for one, reading in zip(questions[part], readings, strict=True):
            own.append((one, reading.over(pace)))
    return own


def _are_settled(questions: Sequence[Question], settled: Mapping[Pair, Judged]) -> bool:
    """Say whether nothing is left but what is claimed not to move."""
    return all(one.yardstick.claims_nothing for one in unsettled(questions, settled))


def unsettled(questions: Sequence[Question], settled: Mapping[Pair, Judged]) -> list[Question]:
    """Return the questions about pairs of leaves that are not settled."""
    if not settled:
        return list(questions)
    return [one for one in questions if (one.part, one.output) not in settled]


def within(one: Question, reading: Reading, *, is_fine: bool = False) -> Judged:
    """Return a question as its reading settles it."""
    yardstick = one.yardstick
    promise = yardstick.resolution(reading)
    judged = Judged(held(yardstick, reading), reading, resolution=promise)
    # as it would find, by way of facts
    vars(judged)["verdict"] = verdict_of(yardstick, reading, is_fine=is_fine)
    return judged
