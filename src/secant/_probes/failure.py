"""What is said about a pair that failed: the worst entries and the likely cause."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import numpy as np

from .._errors import FunctionRaised
from .._findings import Entry, Finding, Verdict
from .._measure.difference import Reading, quick
from .._verdict.diagnose import Evidence, diagnose, diagnose_matrix
from .base import Examination, Judged
from .escalate import look_closer
from .locate import locate
from .question import Asker, Question
from .suspects import FullPair

_PROBES = 3


def failed_finding(asker: Asker, one: Question, judged: Judged, subject: str) -> Finding:
    """Return the finding about a question that failed, after looking where and why."""
    where = pair_path(asker.examination, one.part, one.output)
    examination = asker.examination
    if not (examination.settings.explain or examination.forgives):
        return _unexplained(one, judged, subject, where)
    located = locate(asker, one)
    if located.excuse is not None:
        return Finding(
            Verdict.PASS,
            "derivative",
            subject,
            where,
            "right after all, entry by entry",
            resolution=judged.resolution,
            note=located.excuse,
        )
    pair = located.pair
    if examination.forgives and pair is not None and pair.verdict is Verdict.INCONCLUSIVE:
        return replace(
            full_finding(asker, pair, subject), claimed=one.claimed, resolution=judged.resolution
        )
    if not examination.settings.explain:
        return replace(_unexplained(one, judged, subject, where), entries=located.entries)
    cause = _cause(asker, one, located.pair)
    return replace(
        _unexplained(one, judged, subject, where),
        cause=cause,
        entries=located.entries,
        wrong=located.wrong,
        wrong_is_estimate=located.is_estimate,
        total=located.total,
        counted="entries" if located.pair is not None else "columns",
    )


def _unexplained(one: Question, judged: Judged, subject: str, where: str) -> Finding:
    """Return the bare finding, for those who only want the verdict."""
    measured = None if judged.reading is None else judged.reading.residual.shifted(one.claimed)
    kind, message = _LIVENESS if one.is_absent else _MISMATCH
    return Finding(
        Verdict.FAIL,
        kind,
        subject,
        where,
        message,
        claimed=one.claimed,
        measured=measured,
        resolution=judged.resolution,
        output=one.output,
        input=one.part,
    )


def _tall_finding(asker: Asker, pair: FullPair, subject: str) -> Finding:
    """Return the finding about a pair that was asked in mixtures: now find out where."""
    one = asker.ask_afresh(pair.part, pair.output)
    judged = Judged(Verdict.FAIL, None, pair.resolution)
    return failed_finding(asker, one, judged, subject)


_MISMATCH = ("derivative", "the claimed slope is not the measured one")
_LIVENESS = ("liveness", "the input moves the output but gets no gradient")


def full_finding(asker: Asker, pair: FullPair, subject: str) -> Finding:
    """Return the finding about a pair that was judged entry by entry."""
    where = pair_path(asker.examination, pair.part, pair.output)
    note = "; ".join(dict.fromkeys(pair.notes)) or None
    if pair.verdict is not Verdict.FAIL:
        is_pass = pair.verdict is Verdict.PASS
        message = "every entry agrees" if is_pass else note or "cannot be judged"
        return Finding(
            pair.verdict,
            "derivative",
            subject,
            where,
            message,
            resolution=pair.resolution,
            note=note,
            total=pair.total,
        )
    if pair.mix is not None:
        return _tall_finding(asker, pair, subject)
    worst: Entry | None = pair.entries[0] if pair.entries else None
    one = asker.ask_afresh(pair.part, pair.output)
    is_dead = one.is_absent
    return Finding(
        Verdict.FAIL,
        "liveness" if is_dead else "derivative",
        subject,
        where,
        "entries of the claimed Jacobian are not the measured ones",
        claimed=None if worst is None else worst.claimed,
        measured=None if worst is None else worst.measured,
        resolution=pair.resolution,
        cause=_cause(asker, one, pair),
        note=note,
        entries=tuple(pair.entries),
        wrong=pair.wrong,
        total=pair.total,
        output=pair.output,
        input=pair.part,
    )


def pair_path(examination: Examination, part: int, output: int) -> str:
    """Return `∂out[1] / ∂x`."""
    problem = examination.problem
    return f"∂{problem.codomain.path(output)} / ∂{problem.domain.path(part)}"


def _cause(asker: Asker, one: Question, pair: FullPair | None) -> str | None:
    evidence = [_evidence(asker, asker.ask_afresh(one.part, one.output)) for _ in range(_PROBES)]
    cause = None
    if all(item is not None for item in evidence):
        problem = asker.examination.problem
        outputs, inputs = (
            problem.codomain.parts[one.output].size,
            problem.domain.parts[one.part].size,
        )
        cause = diagnose([item for item in evidence if item is not None], outputs / inputs)
    if cause is None and pair is not None and pair.measured is not None and pair.error is not None:
        cause = diagnose_matrix(pair.claimed, pair.measured, pair.error)
        if pair.entries and all(_is_lost_imaginary(entry) for entry in pair.entries):
            cause = "the imaginary part of the gradient is lost: claimed = 0 for every .imag"
    return cause


def _is_lost_imaginary(entry: Entry) -> bool:
    return entry.input.endswith(".imag") and entry.claimed == 0


def _evidence(asker: Asker, one: Question) -> Evidence | None:
    """Read one more question for the diagnosis, all entries moving one way if need be."""
    examination, backend = asker.examination, asker.examination.backend
    reading = _read(examination, one)
    if reading is None:
        one = asker.ask_along(one, backend.absolute(one.direction))
        reading = _read(examination, one)
    if reading is None:
        return None
    measured = reading.residual.shifted(one.claimed)
    if one.gradient is None:
        return Evidence(one.claimed, measured)
    space = examination.problem.domain.parts[one.part]
    gradient, direction = (
        space.shaped(backend.to_numpy(vector)) for vector in (one.gradient, one.direction)
    )
    return Evidence(one.claimed, measured, gradient, direction, _conjugated(asker, one))


def _read(examination: Examination, one: Question) -> Reading | None:
    line = examination.line(one.part, one.direction)
    readings = quick(line, [one.functional], examination.step(one.part))
    reading = None if readings is None else readings[0]
    if reading is None or not one.yardstick.is_comfortable(reading):
        with contextlib.suppress(FunctionRaised):
            return look_closer(examination, one.part, line, one.functional, one.yardstick).reading
    return reading


def _conjugated(asker: Asker, one: Question) -> np.ndarray | None:
    """Return conj(pull(conj v)) where input and output are complex."""
    examination = asker.examination
    space = examination.problem.domain.parts[one.part]
    codomain = examination.problem.codomain.parts[one.output]
    mirror = codomain.conjugated(one.weights)
    if mirror is None:
        return None
    gradient = asker.ask(one.part, one.output, mirror, one.direction).gradient
    if gradient is None:
        return None
    mirrored: np.ndarray = np.conj(space.shaped(examination.backend.to_numpy(gradient)))
    return mirrored
