"""How much of a claim is rounding: the same question asked at points a few round-offs away.

A claim is itself computed, and its rounding may be far above the dtype's where large terms cancel.
The exact derivative hardly changes between neighbouring numbers, nor between neighbouring
cotangents; what does change is the claim's own noise, and how sensitive it is to the rounding of
what it is given. With σ the noise of one claim, the
largest of a few differences is about 2 σ, and twice that covers 99.9 %.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..._backends.base import Array
from ..._claims.base import ClaimRaised
from ..._constants import COARSEST, COVERAGE, SLIGHT
from ..._errors import SecantError
from ..._findings import Evidence, Verdict
from ..._judge.judge import held
from ..._measure.average import COUNT, OF_A_MEAN
from ..._measure.estimate import Estimate
from ..._words import slopes
from ..asking.question import Mode, Question
from ..base import Examination, Judged

_SHIFTS = 3

Pair = tuple[int, int]  # a leaf and an output
Claims = dict[Pair, tuple[Array, Array]]  # the claim, and that of another version


class Nearby(NamedTuple):
    """Values of the leaves beside the point, and what the function has answered there."""

    values: Sequence[Array]
    outputs: Sequence[Array]  # with the record of the call, through which the claim is asked


def own_noise(mode: Mode, question: Question, suspected: float) -> float:
    """Return what rounding may have done to a claimed slope.

    Asked no further once it is seen to be far less than the residual that it is suspected of.
    """
    largest, asked = 0.0, 0
    size = question.yardstick.size  # what is little beside F/X may be the same by luck
    enough = 1 if suspected > SLIGHT * size > 0 else _SHIFTS
    for values, outputs in _nearby(mode, question.part, _SHIFTS):
        try:
            claim = mode.claimed_at(_nudged(mode, question), values, outputs)
        except (ClaimRaised, SecantError):
            continue
        if math.isfinite(claim):
            apart = abs(claim - question.claimed)
            largest, asked = max(largest, apart), asked + (apart > 0)  # none at all is luck
            if largest < SLIGHT * suspected and asked >= enough:
                break
    return COVERAGE * largest


def beyond_rounding(mode: Mode, one: Question, closer: Judged) -> Judged:
    """Blame no claim for what its own rounding may amount to."""
    assert closer.reading is not None
    if closer.is_at_kink:  # a claim beside one-sided slopes is wrong on both sides
        return closer
    residual = closer.reading.residual
    widened = Estimate(residual.value, residual.error + own_noise(mode, one, abs(residual.value)))
    reading = replace(closer.reading, residual=widened)
    parts = closer.evidence, held(one.yardstick, reading)
    notes = (slopes.OWN_ROUNDING(),)
    looser = Judged(Evidence("again", {}, parts), reading, closer.corner, notes)
    return closer if looser.verdict is Verdict.FAIL else looser


def _nudged(mode: Mode, question: Question) -> Question:
    """Return the same question, its cotangent and direction a few round-offs away.

    Sums that cancel whatever the point is leave a rounding that depends on these alone.
    """
    examination = mode.examination
    problem, roundoff = examination.problem, examination.roundoff(question.part, question.output)
    spaces = problem.codomain.parts[question.output], problem.domain.parts[question.part]
    weights, direction = (
        vector * (1.0 + COVERAGE * roundoff * examination.directions.draw(space))
        for vector, space in zip((question.weights, question.direction), spaces, strict=True)
    )
    return replace(question, weights=weights, direction=direction)


def own_noises(mode: Mode, claims: Callable[[Nearby | None], Claims]) -> dict[Pair, Array]:
    """Return what rounding may have done to claimed vectors, entry by entry.

    `claims` says what is claimed, and what is in higher precision, at the point or beside it.
    What a claim's gap to the wide one does between neighbours is its noise; and a claim that is
    computed stably is the exact one at a point within a rounding, which the wide claim tells.
    """
    backend = mode.examination.backend
    here = claims(None)
    widest: dict[Pair, Array] = {}
    for nearby in _nearby(mode, None, 2 * _SHIFTS):
        try:
            there = claims(nearby)
        except (ClaimRaised, SecantError):
            continue
        for pair, (claim, truth) in here.items():
            other, beside = there[pair]
            noise = COVERAGE * backend.absolute((claim - truth) - (other - beside))
            noise = backend.larger(noise, backend.absolute(truth - beside) / COVERAGE)
            noise = backend.where_finite(noise)
            before = widest.get(pair)
            widest[pair] = noise if before is None else backend.larger(before, noise)
    return widest


def mean_gaps(
    mode: Mode, claims: Callable[[Nearby | None], Claims]
) -> dict[Pair, tuple[Array, Array]]:
    """Return how far claims are from those in higher precision on average, and the mean's noise.

    Rounding averages out over neighbours, as a mistake does not.
    """
    gaps: dict[Pair, list[Array]] = {}
    for nearby in _nearby(mode, None, COUNT):
        try:
            there = claims(nearby)
        except (ClaimRaised, SecantError):
            continue
        for pair, (claim, truth) in there.items():
            gaps.setdefault(pair, []).append(claim - truth)
    means = {}
    for pair, each in gaps.items():
        if len(each) == COUNT:
            mean = sum(each) / COUNT
            variance = sum((one - mean) ** 2 for one in each) / (COUNT - 1)
            means[pair] = mean, OF_A_MEAN * variance**0.5
    return means


def _nearby(mode: Mode, part: int | None, count: int) -> Iterator[Nearby]:
    """Yield calls beside the point, all leaves moved, then one of them; no jump between.

    What cancels in a leaf's claim may be made of the others alone.
    """
    examination = mode.examination
    problem, backend = examination.problem, examination.backend
    for only in [None] * count + ([] if part is None else [part] * count):
        if examination.is_over_budget():
            return
        values = _shifted(examination, only)
        try:
            outputs = problem.outputs(values)
            vectors = problem.codomain.coordinates(outputs)
        except SecantError:
            continue
        if all(
            backend.distance(one, 1.0, base) <= COVERAGE * COARSEST * backend.norm(base)
            for one, base in zip(vectors, examination.trace.vectors, strict=True)
        ):
            yield Nearby(values, outputs)


def _shifted(examination: Examination, only: int | None) -> list[Array]:
    """Return values of all leaves, all or one a few of their own round-offs from the point."""
    backend, values = examination.backend, []
    for part, space in enumerate(examination.problem.domain.parts):
        point = examination.point(part)
        if only in (None, part):
            direction = examination.directions.draw(space) * backend.absolute(point)
            point = point + space.moved(point, direction, COVERAGE * space.roundoff)
        values.append(backend.leaf(space.value(point + 0)))
    return values
