"""A question looked at along its line: beyond borders of the domain, and beside kinks."""

from __future__ import annotations

import contextlib
from dataclasses import replace

from ..._errors import FunctionRaised, OutputChanged
from ..._findings import Evidence, Verdict
from ..._judge.judge import judge
from ..._verdict.kinks import jumps_at_point
from ..asking.question import Mode, Question
from ..base import Examination, Judged
from ..closer.look import look_closer
from ..full.pair import compare_pair

_FEW_COLUMNS = 512
_FEW_ENTRIES = 1 << 16


def is_small(one: Question) -> bool:
    """Say whether asking every entry costs little more than has been spent on their sum."""
    columns, rows = int(one.direction.shape[0]), int(one.weights.shape[0])
    return columns <= _FEW_COLUMNS and columns * rows <= _FEW_ENTRIES


def look(mode: Mode, one: Question, *, is_smooth: bool = False) -> Judged:
    """Look closer along the question's line, and beside a kink if there is one.

    A function without a kink or a jump along another line is not looked at for them once more.
    Many borders of domains are one-sided: where the line leaves on both sides, all entries are
    made to move the same way.
    """
    examination = mode.examination
    closer = None
    with contextlib.suppress(FunctionRaised, OutputChanged):
        closer = _along(examination, one, is_smooth=is_smooth)
    if closer is None or (closer.reading is None and not is_isolated(examination, one)):
        same_way = examination.backend.absolute(one.direction)
        closer = _along(examination, mode.ask_along(one, same_way))
    is_excused = closer.verdict is Verdict.PASS and closer.corner is not None
    return _beside_kink(mode, one, closer) if is_excused else closer


def is_isolated(examination: Examination, one: Question) -> bool:
    """Say whether the function jumps at the very point: another direction would see the same.

    And entries by themselves would mislead.
    """
    line = examination.line(one.part, one.direction)
    return jumps_at_point(line, one.functional, examination.steps(one.part).shortest)


def _along(examination: Examination, one: Question, *, is_smooth: bool = False) -> Judged:
    line, yardstick = examination.line(one.part, one.direction), one.yardstick
    return look_closer(
        examination,
        one.part,
        line,
        one.functional,
        yardstick,
        is_averaged=True,
        is_smooth=is_smooth,
    )


def _beside_kink(mode: Mode, one: Question, closer: Judged) -> Judged:
    """Let no kink excuse what lies beside it: outputs without one must agree by themselves.

    A small leaf is asked coordinate by coordinate, and whether inputs that tie fit together.
    """
    examination = mode.examination
    assert closer.corner is not None
    smooth, beside, pair = closer.corner.smooth, None, None
    if smooth is not None and examination.backend.largest(smooth) > 0:
        rest = mode.ask(one.part, one.output, one.weights * smooth, one.direction)
        beside = _along(examination, rest)
    is_unclear = beside is not None and beside.verdict is Verdict.INCONCLUSIVE
    if not is_unclear and is_small(one):
        pair = compare_pair(mode, one.part, one.output)
    facts = {"has_smooth": float(beside is not None), "has_entries": float(pair is not None)}
    parts = [closer.evidence, *(each.evidence for each in (beside, pair) if each is not None)]
    evidence = Evidence("beside", facts, tuple(parts))
    if judge(evidence) is closer.verdict:
        return replace(closer, evidence=evidence)
    if pair is None or is_unclear:
        return replace(beside or closer, evidence=evidence)
    return replace(closer, evidence=evidence, notes=pair.reasons)
