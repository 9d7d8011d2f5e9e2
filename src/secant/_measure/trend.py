"""Functions that are computed inexactly: what they do on the whole, beside what they do nearby.

A solver that stops at a tolerance, an adaptive step, a table: between two jumps of its value such a
function is smooth and has a slope of its own, the *branch*; over longer steps it follows what it
computes, the *trend*. With D(t) the slope of the rung at t, its spread to the next rung times t is

    round-off               constant, at every step
    truncation              64 times as much at steps 4 times as long
    a kink further away     nothing, and from there on 4 times as much
    values that jump by a   nothing, and from there on about a

so that jumps are seen where it rises at once, far above what truncation explains, and then stays.
The trend is the steadiest of the rungs beyond, which jumps of that size make wrong by about a/t.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from .._constants import EXPLAINED, ONSET, RATIO, SPREADS, STAYS
from .difference import Functional, Reading
from .estimate import Estimate
from .line import Line
from .rungs import Pair, extrapolated, stand_at
from .steps import Range


@dataclass(frozen=True, slots=True)
class Trend:
    """What a function does on the whole."""

    reading: Reading
    jump: float  # by how much ⟨weights, output⟩ jumps
    onset: float  # the step from which jumps are seen


def trend_of(line: Line, functional: Functional, steps: Range, branch: Reading) -> Trend | None:
    """Return the trend beyond the step of a reading, None where no jumps are seen there."""
    stands = []
    step = branch.step
    while step <= steps.longest:
        stand = stand_at(line, functional, step)
        if stand is not None:
            stands.append(stand)
        step *= RATIO
    pairs = [
        extrapolated(line.backend, functional, near, far)
        for near, far in itertools.pairwise(stands)
    ]
    place = _onset(pairs, branch)
    for beyond in (pairs[k:] for k in range(place, len(pairs) - 1)):
        jump, onset = beyond[0].noise, beyond[0].step
        if beyond[1].noise > STAYS * jump:
            continue  # more of what jumps is still to come
        steady = [one for one in beyond if one.noise <= STAYS * jump]
        best = min(steady, key=lambda one: max(one.spread, jump / one.step))
        error = SPREADS * max(best.spread, jump / best.step)
        apart = abs(best.value - branch.residual.value)
        if not apart <= EXPLAINED * jump / onset + error:
            return None
        return Trend(Reading(Estimate(best.value, error), best.slope, best.step), jump, onset)
    return None


def _onset(pairs: Sequence[Pair], branch: Reading) -> int:
    """Return the first rung whose spread is far above what truncation makes of those before."""
    quiet = branch.residual.error * branch.step / SPREADS
    for place, pair in enumerate(pairs):
        quiet = max(quiet, pair.floor * pair.step)
        if pair.noise > ONSET * quiet:
            return place
        quiet = max(quiet, pair.noise)
    return len(pairs)
