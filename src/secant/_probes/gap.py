"""How far a claim is from the claim that the same function makes in higher precision.

Entry by entry, with g the wide claim, it may differ from it by

    τ (|g| + rms g)/2 + the claim's own noise,      τ = 256 ε, at most 1/25.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .._backends.base import Array
from .._constants import FINE, HALF, LEAST_ENTRY, MEANINGFUL, MOST_APART, OWN_ROUNDINGS, RESIDUE
from .._measure.noise import residue
from .._problem.versions import Version
from .question import Asker
from .rounding import own_noises


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
        size = backend.norm(asker.asked(part, output, *asked))
        is_nothing, left = _cancels(upper, part, output, size, truth, roundoff)
        free = free + left
        if noise is not None:
            free = free + noise + backend.norm(noise) / truth.shape[0] ** 0.5
        strictly = max(min(OWN_ROUNDINGS * roundoff, MOST_APART), forgiven) / 2
        loosely = max(HALF, roundoff**0.5, forgiven)
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
            lax.allowed / LEAST_ENTRY,
            is_nothing or lax.allowed / LEAST_ENTRY <= MEANINGFUL * backend.norm(truth),
        )
        promise = max(worst.promise, found.promise)
        is_telling = worst.is_telling and (found.is_telling or examination.forgives)
        worst = replace(
            found if found.share > worst.share else worst, promise=promise, is_telling=is_telling
        )
    return worst


def _cancels(
    upper: Asker, part: int, output: int, size: float, truth: Array, roundoff: float
) -> tuple[bool, float]:
    """Say whether a gradient is zero but for rounding, and what that may leave in fewer digits.

    The wide claim tells: it is then no more than its own rounding. One that is exactly zero has no
    terms that could cancel.
    """
    examination = upper.examination
    own = examination.roundoff(part, output)
    left = RESIDUE * residue(examination.problem, part, output, size)
    largest = examination.backend.largest(truth)
    if own > FINE or own >= roundoff or largest > left:  # few digits do not tell
        return False, 0.0
    return True, left * roundoff / own if largest else 0.0
