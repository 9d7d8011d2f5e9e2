"""Run the probe that was asked for, or the cheaper one, and turn its answers into findings."""

from __future__ import annotations

from dataclasses import replace

from .._backends.base import Array
from .._claims.base import ClaimRaised
from .._constants import FINE
from .._errors import spell
from .._findings import Evidence, Finding, Verdict, gravest
from .._judge.judge import BROKEN, UNKNOWN, conclude
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
        is_wrong = any(finding.verdict is Verdict.FAIL for finding in findings)
        if settings.pictures or (is_wrong and settings.explain):
            return draw_curves(asker, findings, pairs)
        return findings, pairs
    except ClaimRaised as raised:
        return [_raised(asker, raised)], []


def _probe_full(asker: Asker) -> tuple[list[Finding], list[FullPair]]:
    coloured = judge_coloured(asker) if isinstance(asker, ReverseAsker) else None
    pairs = judge_everything(asker) if coloured is None else coloured
    findings = [full_finding(asker, pair, asker.subject) for pair in pairs]
    if any(pair.has_holes for pair in pairs):
        findings += _all_holes(asker)
    difference = None
    if gravest(one.verdict for one in findings) is Verdict.PASS and asker.batching.was_used:
        asker.examination.repeated()  # in a batch even a restless function repeats itself
        if not asker.examination.is_restless():
            difference = spot_check(asker, pairs)
    if difference is not None:
        findings.append(
            conclude(
                BROKEN,
                "batching",
                asker.subject,
                "",
                difference,
                cause="a batching rule disagrees with the function it belongs to",
            )
        )
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
    wanted, done = settings.probes, 0
    while done < wanted:
        if done:
            prepare(asker)
        latest, is_weak = _one_round(asker)
        findings = latest if not findings else _merged(findings, latest)
        done += 1
        if gravest(finding.verdict for finding in findings) is not Verdict.PASS:
            break
        if is_weak:
            wanted = max(wanted, _WEAK_ROUNDS)
    return findings


def _one_round(asker: Asker) -> tuple[list[Finding], bool]:
    """Judge every pair once; say whether some bar is so wide that one sum may agree by luck."""
    examination = asker.examination
    every = judge_all(asker)
    judged = [
        pair for pair in every if "liveness" in examination.settings.laws or not pair[0].is_absent
    ]
    is_weak = any(
        one.reading is not None
        and one.verdict is Verdict.PASS
        and question.yardstick.is_weak(one.reading)
        for question, one in judged
    )
    findings = [_finding(asker, question, one) for question, one in judged]
    findings += [examine_holes(asker, question) for question, _ in judged if question.has_holes]
    if examination.unasked:
        findings.append(_left_alone(asker, examination.unasked))
    return findings, is_weak


def _left_alone(asker: Asker, count: int) -> Finding:
    leaves = "one more leaf was" if count == 1 else f"{count} more leaves were"
    return conclude(
        UNKNOWN,
        "derivative",
        asker.subject,
        "",
        f"{leaves} not asked alone: moved together they disagree, and others have failed",
    )


def _finding(asker: Asker, one: Question, judged: Judged) -> Finding:
    if judged.verdict is Verdict.FAIL:
        examination = asker.examination
        is_brief = not examination.look_into_failure()
        try:
            return failed_finding(asker, one, judged, asker.subject, is_brief=is_brief)
        except Exception as error:  # the verdict stands, whatever looking for its causes raises
            bare = failed_finding(asker, one, judged, asker.subject, is_brief=True)
            return replace(bare, note=f"looking for the cause raised {spell(error)}")
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
        _agrees(judged) if is_pass else judged.note or "cannot be judged",
        judged=judged.verdict,
        claimed=one.claimed,
        measured=measured,
        resolution=judged.resolution,
        note=judged.note if is_pass else None,
        advice=None if is_pass else _advice(asker, one),
        output=one.output,
        input=one.part,
    )


def _agrees(judged: Judged) -> str:
    is_excused = judged.located is not None
    return "right after all, entry by entry" if is_excused else "agrees with the measurement"


def _advice(asker: Asker, one: Question) -> str:
    """Return what is missing: digits, directions, or a function that can be trusted."""
    examination = asker.examination
    if examination.roundoff(one.part, one.output) <= FINE:
        return 'try another point, or `step`; `probe="full"` asks each entry by itself'
    few = f"{asker.dtype_name()} has too few digits here"
    trusted = "hold it against a trusted function with secant.compare"
    if not examination.not_lifted:
        return f"{few}: try float64 inputs, or {trusted}"
    return f"{few}, and {examination.not_lifted}: {trusted}"


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
            f"{raised}, when one output is pulled alone; with zeros for the others it does not",
            cause="an output's cotangent that is absent is not treated as zero",
            advice="treat a missing grad_output as zeros for each output separately",
        )
    is_unsupported = asker.examination.backend.is_unsupported(raised.error)
    return conclude(
        Evidence("raised", {"is_unsupported": float(is_unsupported)}),
        "derivative",
        asker.subject,
        "",
        str(raised),
        cause=_why_raised(raised, is_unsupported=is_unsupported),
        raised=raised.error,
    )


def _why_raised(raised: ClaimRaised, *, is_unsupported: bool) -> str:
    text = str(raised)
    if is_unsupported and raised.operation:
        return f"the framework has no derivative here: {raised.operation}"
    if is_unsupported:
        return "the framework has no derivative here"
    if "invalid gradient" in text or "shape" in text or "number of gradients" in text:
        return "the backward returns gradients that do not fit the inputs, in number or in shape"
    return "the backward itself breaks on a cotangent of the output's own shape and dtype"
