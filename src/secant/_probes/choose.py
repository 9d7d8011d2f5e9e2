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
from .base import Judged
from .coloured import judge_coloured
from .failing.curve import draw_curves
from .failing.failure import empty_finding, failed_finding, full_finding, pair_path
from .fast import judge_all
from .full import judge_everything
from .holes import examine_holes
from .question import Asker, Question
from .reverse import ReverseAsker
from .spot import spot_check
from .suspects import FullPair

_WEAK_ROUNDS = 3


def probe(asker: Asker, *, is_prepared: bool = False) -> tuple[list[Finding], list[FullPair]]:
    """Hold one mode's claims against the function; give the whole Jacobians that were made.

    `auto` is `fast`: even for a single coordinate it is the cheaper one, and sees as much.
    Cotangents are drawn unless the asker is prepared.
    """
    try:
        if not is_prepared:
            prepare(asker)  # the full probe's laws need cotangents too
        settings = asker.examination.settings
        if settings.probe == "full":
            findings, pairs = _probe_full(asker)
        else:
            findings, pairs = _probe_fast(asker), asker.examination.compared
        is_wrong = settings.explain and gravest_of(findings) is Verdict.FAIL
        if settings.pictures or is_wrong:
            return draw_curves(asker, findings, pairs)
        return findings, pairs
    except ClaimRaised as raised:
        return [_raised(asker, raised)], []


def _probe_full(asker: Asker) -> tuple[list[Finding], list[FullPair]]:
    every = range(len(asker.examination.problem.domain.parts))
    coloured = judge_coloured(asker, every) if isinstance(asker, ReverseAsker) else None
    pairs = judge_everything(asker) if coloured is None else coloured
    findings = [full_finding(asker, pair, asker.subject) for pair in pairs]
    if any(pair.has_holes for pair in pairs):
        findings += _all_holes(asker)
    difference = None
    if gravest_of(findings) is Verdict.PASS and asker.batching.was_used:
        asker.examination.repeated()  # in a batch even a restless function repeats itself
        if not asker.examination.is_restless():
            difference = spot_check(asker, pairs)
    if difference is not None:
        findings.append(conclude(BROKEN, "batching", asker.subject, "", difference))
    return findings, pairs


def _all_holes(asker: Asker) -> list[Finding]:
    examination = asker.examination
    return [
        examine_holes(asker, question)
        for part, space in enumerate(examination.problem.domain.parts)
        for question in asker.ask_prepared(part, examination.directions.draw(space))
        if question.has_holes
    ]


def prepare(asker: Asker) -> list[Array]:
    """Draw a cotangent for every output and hand them over."""
    examination = asker.examination
    draw = examination.directions.draw
    weights = [draw(space) for space in examination.problem.codomain.parts]
    asker.prepare(weights)
    return weights


def _probe_fast(asker: Asker) -> list[Finding]:
    settings = asker.examination.settings
    findings: list[Finding] = []
    wanted, done = settings.draws, 0
    while done < wanted:
        if done:
            prepare(asker)
        latest, is_weak = _one_round(asker)
        findings = latest if not findings else _merged(findings, latest)
        done += 1
        if gravest_of(findings) is not Verdict.PASS:
            break
        if is_weak:
            wanted = max(wanted, _WEAK_ROUNDS)
    return findings


def _one_round(asker: Asker) -> tuple[list[Finding], bool]:
    """Judge every pair once; say whether some bar is so wide that one sum may agree by luck."""
    examination = asker.examination
    every = judge_all(asker)
    findings, holes, is_weak = [], [], False
    for question, one in every:
        if question.is_absent and "liveness" not in examination.settings.laws:
            continue
        if one.reading is not None and one.verdict is Verdict.PASS:
            is_weak = is_weak or question.yardstick.is_weak(one.reading)
        findings.append(_finding(asker, question, one))
        if question.holes is not None:
            holes.append(question)
    findings += [examine_holes(asker, question) for question in holes]
    if examination.unasked:
        findings.append(_left_alone(asker, examination.unasked))
    return findings, is_weak


def _left_alone(asker: Asker, count: int) -> Finding:
    reason = slopes.NOT_ASKED_ALONE(count=count)
    return conclude(UNKNOWN, "derivative", asker.subject, "", reason)


def _finding(asker: Asker, one: Question, judged: Judged) -> Finding:
    if judged.verdict is Verdict.FAIL:
        examination = asker.examination
        is_brief = not examination.look_into_failure()
        try:
            return failed_finding(asker, one, judged, asker.subject, is_brief=is_brief)
        except Exception as error:  # the verdict stands, whatever looking for its causes raises
            bare = failed_finding(asker, one, judged, asker.subject, is_brief=True)
            return bare.because(slopes.LOOKING_RAISED(error=spell(error)))
        finally:
            examination.limit = None
    is_pass = judged.verdict is Verdict.PASS
    problem = asker.examination.problem
    if is_pass and not (
        problem.domain.parts[one.part].size and problem.codomain.parts[one.output].size
    ):
        return empty_finding(asker, one.part, one.output)
    measured = None if judged.reading is None else judged.reading.residual.shifted(one.claimed)
    return conclude(
        judged.evidence,
        "derivative",
        asker.subject,
        pair_path(asker.examination, one.part, one.output),
        *_said(asker, one, judged),
        judged=judged.verdict,
        claimed=one.claimed,
        measured=measured,
        resolution=judged.resolution,
        output=one.output,
        input=one.part,
    )


def _said(asker: Asker, one: Question, judged: Judged) -> tuple[Reason, ...]:
    """Return what came of a pair that did not fail, and what was noticed about it."""
    if judged.verdict is Verdict.PASS:
        agrees = slopes.AGREES if judged.located is None else slopes.RIGHT_AFTER_ALL
        return (agrees(), *judged.notes)
    return (*(judged.notes or (slopes.CANNOT_BE_JUDGED(),)), _missing(asker, one))


def _missing(asker: Asker, one: Question) -> Reason:
    """Return what is missing: digits, directions, or a function that can be trusted."""
    examination = asker.examination
    if examination.roundoff(one.part, one.output) <= FINE:
        return slopes.ANOTHER_POINT()
    return slopes.TOO_FEW_DIGITS(dtype=asker.dtype_name(), why=examination.not_lifted)


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


def _raised(asker: Asker, raised: ClaimRaised) -> Finding:
    """A framework without a derivative is no wrong gradient; a backward that breaks is one."""
    if asker.accepts_only_all():
        return conclude(
            BROKEN,
            "undefined",
            asker.subject,
            "",
            ALONE_RAISES(error=str(raised)),
        )
    is_unsupported = asker.examination.backend.is_unsupported(raised.error)
    return conclude(
        Evidence("raised", {"is_unsupported": float(is_unsupported)}),
        "derivative",
        asker.subject,
        "",
        causes.RAISED(error=str(raised)),
        _why_raised(asker, raised, is_unsupported=is_unsupported),
        raised=raised.error,
    )


def _why_raised(asker: Asker, raised: ClaimRaised, *, is_unsupported: bool) -> Reason:
    if is_unsupported:
        return causes.NO_DERIVATIVE(operation=raised.operation)
    is_misfit = asker.examination.backend.is_misfit(raised.error)
    return causes.MISFIT() if is_misfit else causes.BREAKS()
