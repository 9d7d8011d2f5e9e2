"""How far a claim is from the claim that the same function makes in higher precision.

Entry by entry, with g the wide claim, it may differ from it by

    τ (|g| + rms g)/2 + the claim's own noise,      τ = 256 ε, at most 1/25.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .._backends.base import Array
from .._measure.noise import residue
from .._problem.versions import Version
from .._verdict.compare import MEANINGFUL
from .question import Asker
from .rounding import own_noises

_ROUNDINGS = 256.0
_MOST = 0.04
_LEAST = 2.0**-8
_RESIDUE = 64.0  # roundings that a gradient which cancels may consist of
_LEAST_WEIGHT = 0.5  # of v or u: a wrong entry of the Jacobian shows in the vector as half of it


@dataclass(frozen=True, slots=True)
class Gap:
    """How far the claim is from the claim in float64, where it is furthest."""

    part: int
    output: int
    share: float  # of what is allowed, at the worst entry
    loosely: float  # of what is let pass where nothing else can tell
    distance: float  # the largest, of any entry
    roundings: float  # the same in roundings of the largest entry
    promise: float  # the smallest wrong entry of the Jacobian that could not hide
    is_telling: bool = True  # the promise is worth something beside the gradient's size


def gap_between(
    asker: Asker,
    upper: Asker,
    weights: Sequence[Array],
    version: Version,
) -> Gap:
    """Compare the claims; ask for the claim's own noise only where they are apart."""
    examination = asker.examination
    directions = [examination.directions.draw(space) for space in examination.problem.domain.parts]
    low = asker.answers(weights, directions)
    with version.context():
        wide = upper.answers(weights, directions)
    asked = weights, directions
    worst = _widest(asker, upper, asked, low, wide, {}, version.used)
    if worst.share > 1.0:
        noises = own_noises(asker, weights, directions)
        worst = _widest(asker, upper, asked, low, wide, noises, version.used)
    return worst


def _widest(
    asker: Asker,
    upper: Asker,
    asked: tuple[Sequence[Array], Sequence[Array]],
    low: dict[tuple[int, int], Array | None],
    wide: dict[tuple[int, int], Array | None],
    noises: dict[tuple[int, int], Array],
    inside: float,
) -> Gap:
    backend, examination = asker.examination.backend, asker.examination
    worst = Gap(0, 0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for (part, output), truth in wide.items():
        claim, noise = low[part, output], noises.get((part, output))
        reference = truth if truth is not None else claim
        if reference is None or not reference.shape[0]:
            continue
        truth = reference * 0 if truth is None else truth
        claim = reference * 0 if claim is None else claim
        roundoff = max(examination.roundoff(part, output), inside)
        typical = backend.norm(truth) / truth.shape[0] ** 0.5
        forgiven = examination.settings.rtol or 0.0
        free = examination.tolerance(part, output).atol
        is_nothing, left = _cancels(asker, upper, part, output, asked, truth)
        free = free + left
        if noise is not None:
            free = free + noise + backend.norm(noise) / truth.shape[0] ** 0.5
        strictly = max(min(_ROUNDINGS * roundoff, _MOST), forgiven) / 2
        loosely = max(_LEAST, roundoff**0.5, forgiven)
        held = backend.excess(truth, claim, strictly, strictly * typical + free)
        share, largest = held.ratio, backend.largest(truth)
        if not math.isfinite(held.distance) and not backend.is_finite(claim):
            share = math.inf
        lax = held
        if share > 1.0:
            lax = backend.excess(truth, claim, loosely, loosely * typical + free)
        found = Gap(
            part,
            output,
            share,
            lax.ratio,
            held.distance,
            held.distance / (roundoff * largest) if largest else 0.0,
            lax.allowed / _LEAST_WEIGHT,
            is_nothing or lax.allowed / _LEAST_WEIGHT <= MEANINGFUL * backend.norm(truth),
        )
        promise = max(worst.promise, found.promise)
        is_telling = worst.is_telling and (found.is_telling or examination.forgives)
        worst = replace(
            found if found.share > worst.share else worst, promise=promise, is_telling=is_telling
        )
    return worst


def _cancels(
    asker: Asker,
    upper: Asker,
    part: int,
    output: int,
    asked: tuple[Sequence[Array], Sequence[Array]],
    truth: Array,
) -> tuple[bool, float]:
    """Say whether a gradient is zero but for rounding, and what that may leave in fewer digits.

    The wide claim tells: it is then no more than its own rounding. One that is exactly zero has no
    terms that could cancel.
    """
    if upper.examination.roundoff(part, output) >= asker.examination.roundoff(part, output):
        return False, 0.0  # what is left has as many digits
    largest = asker.examination.backend.largest(truth)
    size = asker.examination.backend.norm(asker.asked(part, output, *asked))
    if largest > _RESIDUE * residue(upper.examination.problem, part, output, size):
        return False, 0.0
    return True, _RESIDUE * residue(asker.examination.problem, part, output, size) * (largest > 0)
