"""Holes: claims that are NaN or inf, beside a function that is finite.

A slope that measures finite and steady beside a NaN is a wrong claim. A slope that grows without
limit as the step shrinks (√x at 0) is what an infinite claim says.
"""

from __future__ import annotations

import math

import numpy as np

from .._findings import Entry, Finding, Verdict
from .._measure.difference import Reading
from .._measure.ladder import climb
from .failing.failure import pair_path
from .question import Asker, Question

_MOST = 3
_STEADY = 1e-2


def examine_holes(asker: Asker, question: Question) -> Finding:
    """Return the finding about a claim that is not finite somewhere."""
    examination = asker.examination
    assert question.holes is not None
    numbers = examination.backend.to_numpy(question.holes)
    places = np.flatnonzero(~np.isfinite(numbers))
    entries = []
    for place in places[:_MOST].tolist():
        reading = _measure(asker, question, place)
        if reading is not None and _is_steady(reading):
            entries.append(_entry(asker, question, place, float(numbers[place]), reading))
    where = pair_path(examination, question.part, question.output)
    if entries:
        return Finding(
            Verdict.FAIL,
            "derivative",
            asker.subject,
            where,
            "the claim is not finite where the function has a finite slope",
            claimed=entries[0].claimed,
            measured=entries[0].measured,
            cause="a division by zero, 0·inf, or the root or logarithm of zero in the derivative",
            entries=tuple(entries),
            wrong=int(places.size),
            wrong_is_estimate=places.size > _MOST,
            total=numbers.size,
            output=question.output,
            input=question.part,
        )
    is_infinite = not np.isnan(numbers[places]).any()
    return Finding(
        Verdict.PASS if is_infinite else Verdict.INCONCLUSIVE,
        "derivative",
        asker.subject,
        where,
        "infinite where the measured slope grows without limit"
        if is_infinite
        else "the claim is NaN where the slope has no limit",
        claimed=None if is_infinite else math.nan,
        note=f"{places.size} of {numbers.size} entries are not finite",
        total=numbers.size,
        output=question.output,
        input=question.part,
    )


def _is_about_inputs(question: Question) -> bool:
    """Reverse mode has holes at inputs, forward mode at outputs."""
    return question.pulled is not None


def _measure(asker: Asker, question: Question, place: int) -> Reading | None:
    """Measure across one hole, with no claim to subtract."""
    examination, part, output = asker.examination, question.part, question.output
    weights, direction = question.weights, question.direction
    if _is_about_inputs(question):
        direction = asker.unit(part, place)
    else:
        weights = examination.problem.codomain.parts[output].unit(place)
    functional = examination.functional(part, output, weights, lambda _: 0.0, 0.0)
    line = examination.line(part, direction)
    steps = examination.steps(part)
    return climb(line, functional, steps, lambda reading: _is_steady(reading, 1e-6))


def _entry(asker: Asker, question: Question, place: int, claimed: float, reading: Reading) -> Entry:
    domain, codomain = asker.examination.problem.domain, asker.examination.problem.codomain
    if _is_about_inputs(question):
        output = f"⟨v, {codomain.path(question.output)}⟩"
        return Entry(output, domain.label(question.part, place), claimed, reading.residual)
    label = codomain.label(question.output, place)
    return Entry(label, f"⟨u, {domain.path(question.part)}⟩", claimed, reading.residual)


def _is_steady(reading: Reading, share: float = _STEADY) -> bool:
    error = reading.residual.error
    return math.isfinite(error) and (reading.slope == 0 or error <= share * reading.slope)
