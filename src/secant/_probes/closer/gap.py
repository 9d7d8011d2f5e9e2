"""How far a claim is from the claim that the same function makes in higher precision.

Entry by entry, with g the wide claim, it may differ from it by

    τ (|g| + rms g)/2 + the claim's own noise,      τ = 256 ε, at most 1/20,

so that a tenth of the size is promised of an entry, however few there are.

Where that noise is wide, the mean over twelve neighbouring points promises more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..._backends.base import Array, Backend
from ..._constants import FINE, HALF, LEAST_WEIGHT, MEANINGFUL, OWN_ROUNDINGS, RESIDUE
from ..._measure.noise import residue
from ..._problem.leaves import widened
from ..._problem.versions import Version
from ..asking.question import Mode
from .rounding import Claims, Nearby, Pair, mean_gaps, own_noises


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
    apart: frozenset[Pair] = frozenset()  # pairs of which the two claim otherwise


def gap_between(mode: Mode, upper: Mode, weights: Sequence[Array], version: Version) -> Gap:
    """Compare the claims; ask for the claim's own noise only where they are apart."""
    examination = mode.examination
    directions = mode.directions()

    def claims(nearby: Nearby | None = None) -> Claims:
        values, outputs = (None, None) if nearby is None else nearby
        low = mode.answers(weights, directions, values, outputs)
        if values is not None:
            values = [_wide_leaf(examination.backend, one, version.dtype) for one in values]
        with version.context():
            wide = upper.answers(weights, directions, values)
        both = {pair: _both(low[pair], truth) for pair, truth in wide.items()}
        return {pair: claimed for pair, claimed in both.items() if claimed is not None}

    def gap_of(pair: Pair, noise: Array | None = None, mean: Array | None = None) -> Gap:
        asked = weights[pair[1]] if mode.pulls else directions[pair[0]]
        claim, truth = here[pair]
        both = (claim if mean is None else truth + mean), truth
        return _gap(mode, upper, pair, both, asked, version.used, noise)

    here = claims()
    found = {pair: gap_of(pair) for pair in here}
    doubtful = [pair for pair, gap in found.items() if gap.share > 1.0]
    if doubtful:

        def doubted(nearby: Nearby | None) -> Claims:
            there = here if nearby is None else claims(nearby)
            return {pair: there[pair] for pair in doubtful}

        for pair, noise in own_noises(mode, doubted).items():
            luck = examination.backend.norm(noise) / noise.shape[0] ** 0.5
            found[pair] = gap_of(pair, noise + luck)
        doubtful = [
            pair for pair in doubtful if found[pair].share <= 1.0 and not found[pair].is_telling
        ]
        if doubtful and not examination.forgives:
            for pair, (mean, noise) in mean_gaps(mode, doubted).items():
                averaged = gap_of(pair, noise, mean)
                if averaged.share <= 1.0:
                    found[pair] = averaged
    apart = frozenset(pair for pair, gap in found.items() if gap.share > 1.0)
    return replace(_worst(list(found.values()), forgives=examination.forgives), apart=apart)


def _both(claim: Array | None, truth: Array | None) -> tuple[Array, Array] | None:
    """Return two claims, zeros for one that is none; None where there is nothing to compare."""
    reference = claim if truth is None else truth
    if reference is None or not reference.shape[0]:
        return None
    if claim is None:
        return reference * 0, reference
    return claim, claim * 0 if truth is None else truth


def _wide_leaf(backend: Backend, value: Array, dtype: str) -> Array:
    return backend.leaf(widened(backend, backend.detached(value), dtype))


def _worst(gaps: Sequence[Gap], *, forgives: bool) -> Gap:
    """Return the widest gap, with the coarsest promise of all."""
    if not gaps:
        return Gap(0, 0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return replace(
        max(gaps, key=lambda gap: gap.share),
        promise=max(gap.promise for gap in gaps),
        is_telling=forgives or all(gap.is_telling for gap in gaps),
    )


def _gap(
    mode: Mode,
    upper: Mode,
    pair: Pair,
    both: tuple[Array, Array],
    asked: Array,
    inside: float,
    noise: Array | None,
) -> Gap:
    """Hold a claim against that of another version, for what both were asked."""
    backend, examination = mode.examination.backend, mode.examination
    size = backend.norm(asked)
    claim, truth = both
    roundoff = max(examination.roundoff(*pair), inside)
    norm, largest = backend.norm(truth), backend.largest(truth)
    typical = norm / truth.shape[0] ** 0.5
    forgiven = examination.settings.rtol or 0.0
    is_nothing, left = _cancels(upper, *pair, size, largest, roundoff)
    free = examination.tolerance(*pair).atol + left
    if noise is not None:
        free = free + noise
    strictly = max(min(OWN_ROUNDINGS * roundoff, MEANINGFUL * LEAST_WEIGHT**0.5), forgiven) / 2
    loosely = max(HALF, roundoff**0.5, forgiven)
    held = backend.excess(truth, claim, strictly, strictly * typical + free)
    share = held.ratio
    if not math.isfinite(held.distance) and not backend.is_finite(claim):
        share = math.inf
    lax = held
    if share > 1.0:
        lax = backend.excess(truth, claim, loosely, loosely * typical + free)
    # one of u and v is drawn: of a single number it is known how large
    least, whole = (size, size) if asked.shape[0] == 1 else (LEAST_WEIGHT**0.5, 1.0)
    promise = lax.allowed / least
    return Gap(
        *pair,
        share,
        lax.ratio,
        held.distance,
        held.distance / largest / roundoff if largest else 0.0,
        promise,
        is_nothing or promise <= MEANINGFUL * norm / whole,
    )


def _cancels(
    upper: Mode, part: int, output: int, size: float, largest: float, roundoff: float
) -> tuple[bool, float]:
    """Say whether a gradient is zero but for rounding, and what that may leave in fewer digits.

    The wide claim tells: it is then no more than its own rounding. One that is exactly zero has no
    terms that could cancel.
    """
    examination = upper.examination
    own = examination.roundoff(part, output)
    if own > FINE or own >= roundoff:  # few digits do not tell
        return False, 0.0
    left = RESIDUE * residue(examination.problem, part, output, size)
    if largest > left:
        return False, 0.0
    return True, left * roundoff / own if largest else 0.0
