"""Run the probe that was asked for, or the cheaper one, and turn its answers into findings."""

from __future__ import annotations

from .._backends.base import Array
from .._claims.base import ClaimRaised
from .._constants import FINE
from .._errors import spell
from .._findings import Evidence, Finding, Verdict, gravest, gravest_of
from .._judge.judge import BROKEN, UNKNOWN, conclude
from .._words import causes, slopes
from .._words.laws import ALONE_RAISES
from .._words.reason import Reason
from .asking.question import Mode, Question
from .base import Judged
from .failing.curve import draw_curves
from .failing.failure import empty_finding, failed_finding, full_finding, pair_path
from .fast.every import judge_all
from .full.every import judge_everything
from .full.spot import spot_check
from .full.suspects import FullPair
from .holes import examine_holes

_WEAK_ROUNDS = 3
_AGREES = slopes.AGREES()


def probe(mode: Mode, *, is_prepared: bool = False) -> tuple[list[Finding], list[FullPair]]:
    """Hold one mode's claims against the function; give the whole Jacobians that were made.

    `auto` is `fast`: even for a single coordinate it is the cheaper one, and sees as much.
    Cotangents are drawn unless the mode is prepared.
    """
    try:
        if not is_prepared:
            prepare(mode)  # the full probe's laws need cotangents too
        settings = mode.examination.settings
        if settings.probe == "full":
            findings, pairs = _probe_full(mode)
        else:
            findings, pairs = _probe_fast(mode), mode.examination.compared
        is_wrong = settings.explain and gravest_of(findings) is Verdict.FAIL
        if settings.pictures or is_wrong:
            return draw_curves(mode, findings, pairs)
        return findings, pairs
    except ClaimRaised as raised:
        return [_raised(mode, raised)], []
    finally:
        mode.examination.lines.forget()  # and the directions that they keep alive


def _probe_full(mode: Mode) -> tuple[list[Finding], list[FullPair]]:
    """Judge every entry, once more where only one by one a function does not repeat itself."""
    was_restless = mode.examination.is_restless()
    pairs = judge_everything(mode)
    findings = [full_finding(mode, pair, mode.subject) for pair in pairs]
    if any(pair.has_holes for pair in pairs):
        findings += _all_holes(mode)
    difference, has_sums = None, any(pair.in_sums for pair in pairs)
    if gravest_of(findings) is Verdict.PASS and (mode.batching.was_used or has_sums):
        if not all(pair.in_sums for pair in pairs):
            mode.examination.repeated()  # in a batch even a restless function repeats itself
        if mode.examination.is_restless():
            return (findings, pairs) if was_restless else _probe_full(mode)
        difference = spot_check(mode, pairs)
    if difference is not None:
        findings.append(conclude(BROKEN, "batching", mode.subject, "", difference))
    return findings, pairs


def _all_holes(mode: Mode) -> list[Finding]:
    examination = mode.examination
    return [
        examine_holes(mode, question)
        for part, space in enumerate(examination.problem.domain.parts)
        for question in mode.ask_prepared(part, examination.directions.draw(space))
        if question.has_holes
    ]


def prepare(mode: Mode) -> list[Array]:
    """Draw a cotangent for every output and hand them over."""
    examination = mode.examination
    weights = list(map(examination.directions.draw, examination.problem.codomain.parts))
    mode.prepare(weights)
    return weights


def _probe_fast(mode: Mode) -> list[Finding]:
    settings = mode.examination.settings
    findings: list[Finding] = []
    wanted, done = settings.draws, 0
    while done < wanted:
        if done:
            prepare(mode)
        latest, is_weak = _one_round(mode)
        findings = latest if not findings else _merged(findings, latest)
        done += 1
        if gravest_of(findings) is not Verdict.PASS:
            break
        if is_weak:
            wanted = max(wanted, _WEAK_ROUNDS)
    return findings


def _one_round(mode: Mode) -> tuple[list[Finding], bool]:
    """Judge every pair once; say whether some bar is so wide that one sum may agree by luck."""
    examination = mode.examination
    every = judge_all(mode)
    findings, holes, is_weak = [], [], False
    for question, one in every:
        if question.is_absent and "liveness" not in examination.settings.laws:
            continue
        is_sum = question.direction.shape[0] * question.weights.shape[0] > 1  # of several terms
        if is_sum and one.reading is not None and one.verdict is Verdict.PASS:
            is_weak = is_weak or question.yardstick.is_weak(one.reading)
        findings.append(_finding(mode, question, one))
        if question.holes is not None:
            holes.append(question)
    for question in holes:
        findings.append(examine_holes(mode, question))
    if examination.unasked:
        findings.append(_left_alone(mode, examination.unasked))
    return findings, is_weak


def _left_alone(mode: Mode, count: int) -> Finding:
    reason = slopes.NOT_ASKED_ALONE(count=count)
    return conclude(UNKNOWN, "derivative", mode.subject, "", reason)


def _finding(mode: Mode, one: Question, judged: Judged) -> Finding:
    if judged.verdict is Verdict.FAIL:
        examination = mode.examination
        is_brief = not examination.look_into_failure()
        try:
            return failed_finding(mode, one, judged, mode.subject, is_brief=is_brief)
        except Exception as error:  # the verdict stands, whatever looking for its causes raises
            bare = failed_finding(mode, one, judged, mode.subject, is_brief=True)
            return bare.because(slopes.LOOKING_RAISED(error=spell(error)))
        finally:
            examination.limit = None
    is_pass = judged.verdict is Verdict.PASS
    problem = mode.examination.problem
    if is_pass and not (
        problem.domain.parts[one.part].size and problem.codomain.parts[one.output].size
    ):
        return empty_finding(mode, one.part, one.output)
    measured = None if judged.reading is None else judged.reading.residual.shifted(one.claimed)
    return conclude(
        judged.evidence,
        "derivative",
        mode.subject,
        pair_path(mode.examination, one.part, one.output),
        *_said(mode, one, judged),
        judged=judged.verdict,
        claimed=one.claimed,
        measured=measured,
        resolution=judged.resolution,
        output=one.output,
        input=one.part,
    )


def _said(mode: Mode, one: Question, judged: Judged) -> tuple[Reason, ...]:
    """Return what came of a pair that did not fail, and what was noticed about it."""
    if judged.verdict is Verdict.PASS:
        agrees = _AGREES if judged.located is None else slopes.RIGHT_AFTER_ALL()
        return (agrees, *judged.notes)
    return (*(judged.notes or (slopes.CANNOT_BE_JUDGED(),)), _missing(mode, one, judged))


def _missing(mode: Mode, one: Question, judged: Judged) -> Reason:
    """Return what is missing: a tighter solve, digits, directions, or what can be trusted."""
    examination = mode.examination
    codes = {note.code for note in judged.notes}
    if codes & {slopes.INEXACT.code, slopes.STAIRCASE.code}:
        return slopes.SOLVE_TIGHTER()
    if examination.roundoff(one.part, one.output) <= FINE:
        return slopes.ANOTHER_POINT()
    return slopes.TOO_FEW_DIGITS(dtype=mode.dtype_name(), why=examination.not_lifted)


def _merged(before: list[Finding], after: list[Finding]) -> list[Finding]:
    """Join two rounds pair by pair: the graver verdict, or the sharper promise."""
    if len(before) != len(after):
        return before + after
    return [_sharper(one, other) for one, other in zip(before, after, strict=True)]


def _sharper(one: Finding, other: Finding) -> Finding:
    if one.verdict is not other.verdict:
        return one if gravest((one.verdict, other.verdict)) is one.verdict else other
    if one.resolution is None or other.resolution is None:
        return one
    return one if one.resolution <= other.resolution else other


def _raised(mode: Mode, raised: ClaimRaised) -> Finding:
    """A framework without a derivative is no wrong gradient; a backward that breaks is one."""
    if mode.accepts_only_all():
        return conclude(
            BROKEN,
            "undefined",
            mode.subject,
            "",
            ALONE_RAISES(error=str(raised)),
        )
    is_unsupported = mode.examination.backend.is_unsupported(raised.error)
    return conclude(
        Evidence("raised", {"is_unsupported": float(is_unsupported)}),
        "derivative",
        mode.subject,
        "",
        causes.RAISED(error=str(raised)),
        _why_raised(mode, raised, is_unsupported=is_unsupported),
        raised=raised.error,
    )


def _why_raised(mode: Mode, raised: ClaimRaised, *, is_unsupported: bool) -> Reason:
    if is_unsupported:
        return causes.NO_DERIVATIVE(operation=raised.operation)
    is_misfit = mode.examination.backend.is_misfit(raised.error)
    return causes.MISFIT() if is_misfit else causes.BREAKS()
