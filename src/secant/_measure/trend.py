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

import math
from dataclasses import dataclass

from .difference import SPREADS, Functional, Reading
from .estimate import Estimate
from .ladder import extrapolated, stand_at
from .line import Line
from .steps import Range

_FACTOR = 4.0
_ONSET = 2.0**10  # times what the spread was before: truncation makes it 64 times as much
_STAYS = 8.0  # times what it was at first, that jumps may add up to further away
_EXPLAINED = 16.0  # jumps of a at distances of t change the slope by a few a/t


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
        step *= _FACTOR
    pairs = [
        extrapolated(line.backend, functional, near, far)
        for near, far in zip(stands, stands[1:], strict=False)
    ]
    quiet = max(branch.residual.error * branch.step / SPREADS, 0.0)
    for place, pair in enumerate(pairs):
        beyond = pairs[place:]
        quiet = max(quiet, pair.floor * pair.step)
        if pair.noise <= _ONSET * quiet:
            quiet = max(quiet, pair.noise)
            continue
        jump = pair.noise
        steady = [one for one in beyond if one.noise <= _STAYS * jump]
        if len(steady) < 2:
            return None
        best = min(steady, key=lambda one: max(one.spread, jump / one.step))
        error = SPREADS * max(best.spread, jump / best.step)
        reading = Reading(Estimate(best.value, error), best.slope, best.step)
        apart = abs(best.value - branch.residual.value)
        if apart > _EXPLAINED * jump / pair.step + error or not math.isfinite(error):
            return None
        return Trend(reading, jump, pair.step)
    return None
