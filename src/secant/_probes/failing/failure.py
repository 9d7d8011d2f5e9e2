"""What is said about a pair that failed: the worst entries and the likely cause."""

from __future__ import annotations

from dataclasses import replace

from ..._findings import Entry, Finding, Verdict
from ..._judge.judge import NOTHING, conclude
from ..._verdict.diagnose import diagnose_core
from ..._verdict.evidence import Cause, Comparison
from ..._verdict.places import picture_of_inputs, picture_of_outputs
from ..._words import slopes
from ..._words.places import WRONG_AT
from ..._words.reason import Reason
from ..asking.question import Mode, Question
from ..base import Examination, Judged
from ..full.suspects import FullPair
from .causes import cause_of
from .columns import reader_of
from .core import core_of
from .gather import comparison_of
from .locate import Located, locate, located_in
from .slight import is_off_by_little, slight

_NEARLY = 0.1  # the share by which two counts of wrong entries may differ


def failed_finding(
    mode: Mode, one: Question, judged: Judged, subject: str, *, is_brief: bool = False
) -> Finding:
    """Return the finding about a question that failed, after looking where and why."""
    examination = mode.examination
    if not (examination.settings.explain or judged.located is not None) or is_brief:
        return _unexplained(examination, one, judged, subject)
    located = _located(mode, one, judged)
    pair = located.pair
    bare = replace(
        _unexplained(examination, one, judged, subject),
        entries=located.entries,
        wrong=located.wrong,
        wrong_is_estimate=located.is_estimate,
        total=located.total,
        counted="entries" if pair is not None else "columns",
    )
    if not examination.settings.explain:
        return bare
    comparison = located.comparison if pair is None else comparison_of(examination, pair)
    examination.leave_some_looks()
    worst = located.entries[0].column if located.entries else None
    cause = None if located.is_few else cause_of(mode, one, comparison, worst)
    is_open = cause is None and located.cause is None and located.places
    if is_open and not examination.is_over_budget():
        core = core_of(located.reader or reader_of(mode, one), located.places)
        cause = None if core is None else diagnose_core(core)
    if cause is None and located.cause is not None:
        cause = Cause(located.cause, is_everywhere=False)
    place = located.place if pair is None else _place(pair, comparison)
    known = None if located.is_few else slight(one, judged, comparison, located.entries)
    is_one_number = pair is not None and pair.total == 1  # any other is a constant times it
    if known is not None and (cause is None or is_one_number):
        cause = Cause(known)
    if cause is None:
        return replace(bare, place=place)
    return replace(bare.because(cause.reason), place=None if cause.is_everywhere else place)


def _located(mode: Mode, one: Question, judged: Judged) -> Located:
    """Return where a question is wrong; on stairs that is not asked, since columns stand still."""
    reading = judged.reading
    if reading is not None and reading.is_stairs:
        columns = mode.examination.problem.domain.parts[one.part].size
        return Located((), None, is_estimate=False, total=columns)
    return judged.located or locate(
        mode, one, judged.evidence, is_slight=is_off_by_little(judged.evidence)
    )


def _unexplained(examination: Examination, one: Question, judged: Judged, subject: str) -> Finding:
    """Return the bare finding, for those who only want the verdict."""
    measured = None if judged.reading is None else judged.reading.residual.shifted(one.claimed)
    what = slopes.WRONG_ENTRIES() if judged.reading is None else slopes.WRONG_SLOPE()
    is_dead = one.is_absent
    return conclude(
        judged.evidence,
        "liveness" if is_dead else "derivative",
        subject,
        pair_path(examination, one.part, one.output),
        _dead(examination, one) if is_dead else what,
        claimed=one.claimed,
        measured=measured,
        resolution=judged.resolution,
        output=one.output,
        input=one.part,
    )


def _dead(examination: Examination, one: Question) -> Reason:
    problem = examination.problem
    leaf, output = problem.domain.path(one.part), problem.codomain.path(one.output)
    return slopes.NO_GRADIENT(input=leaf, output=output)


def full_finding(mode: Mode, pair: FullPair, subject: str) -> Finding:
    """Return the finding about a pair that was judged entry by entry."""
    where = pair_path(mode.examination, pair.part, pair.output)
    if not pair.total:
        return empty_finding(mode, pair.part, pair.output)
    verdict = pair.verdict
    if verdict is not Verdict.FAIL:
        agrees = (slopes.ENTRIES_AGREE(),) if verdict is Verdict.PASS else ()
        return conclude(
            pair.evidence,
            "derivative",
            subject,
            where,
            *(*agrees, *pair.reasons) or (slopes.CANNOT_BE_JUDGED(),),
            judged=verdict,
            resolution=pair.resolution,
            total=pair.total,
        )
    located = None if pair.mix is not None else located_in(pair)
    judged = replace(pair.judged(), located=located)
    found = failed_finding(mode, mode.ask_afresh(pair.part, pair.output), judged, subject)
    if located is None:  # asked in mixtures: where it is wrong was looked for along a line
        return found
    worst: Entry | None = pair.entries[0] if pair.entries else None
    return replace(
        found.because(*pair.reasons),
        claimed=None if worst is None else worst.claimed,
        measured=None if worst is None else worst.measured,
    )


def empty_finding(mode: Mode, part: int, output: int) -> Finding:
    """Return the finding about a pair of which one leaf has no coordinates at all."""
    problem = mode.examination.problem
    is_input = not problem.domain.parts[part].size
    path = problem.domain.path(part) if is_input else problem.codomain.path(output)
    return conclude(
        NOTHING,
        "derivative",
        mode.subject,
        pair_path(mode.examination, part, output),
        slopes.NOTHING_TO_CHECK(path=path),
        resolution=0.0,
        total=0,
        output=output,
        input=part,
    )


def pair_path(examination: Examination, part: int, output: int) -> str:
    """Return `∂out[1] / ∂x`."""
    problem = examination.problem
    return f"∂{problem.codomain.path(output)} / ∂{problem.domain.path(part)}"


def _place(pair: FullPair, comparison: Comparison | None) -> Reason | None:
    """Say where the wrong entries lie in the input, or else in the output."""
    if comparison is None or comparison.is_blurred() or comparison.is_coarse():
        return None
    if abs(int(comparison.wrong.sum()) - pair.wrong) > max(1, _NEARLY * pair.wrong):
        return None  # kinks or closer looks made a difference: which entries is not certain
    scene = comparison.scene
    sides = [(scene.input, comparison.wrong_inputs, picture_of_inputs)]
    if not comparison.right_inputs.any():
        sides.append((scene.output, comparison.wrong_outputs, picture_of_outputs))
    for leaf, flags, draw in sides:
        picture = draw(comparison)
        entries = flags.any(axis=-1) if leaf.is_complex else flags
        count = int(entries.sum())
        if picture is not None and count > 1:
            total, where = entries.size, picture.pieces
            return WRONG_AT(count=count, total=total, path=leaf.path, where=where)
    return None
