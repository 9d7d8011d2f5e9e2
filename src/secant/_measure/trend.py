"""Functions that are computed inexactly: what they do on the whole, beside what they do nearby.

A solver that stops at a tolerance, an adaptive step, a table: between two jumps of its value such a
function is smooth and has a slope of its own, the *branch*; over longer steps it follows what it
computes, the *trend*. An error that grows by a until it jumps back, at a distance of t, has a slope
of a/t at most, which is how far apart the two are.

A jump is looked for where the next rung is not what a smooth function makes of those before,

    D(t) = D + c t² + d t⁴,

and found by halving: between two points that come ever closer, what a jump adds stays, and what
anything else adds does not, or as much is added once more next to them. Nothing is called a jump
that was not found. Values that jump by more than a per cent are no matter of a tolerance, unless by
no more, and no further away, than rounding makes them: between two roundings of its cosine
(a cos a − sin a)/a² moves smoothly near 0, with a slope that means nothing.

What repeats itself nearby has changed the slopes further away: where those at a long step are the
branch's, extrapolated, jumps are looked for beyond it alone.

How near a jump is does not matter, since the point may lie anywhere between two: the bar of so
short a step is wide, and longer ones speak. They are asked until they differ by more than jumps
make of them. Further away a solver may not even end.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from .._constants import CLEARLY, COVERAGE, RATIO, ROUNDS_INSIDE, SLIGHT, SPREADS
from .difference import Functional, Reading
from .estimate import Estimate
from .line import Line
from .rungs import ContractedRung, Pair, extrapolated, stand_at
from .steps import Range

_TRIES = 5  # to find how far away what the branch is off by would show
_FITTED = 3  # rungs that a smooth function is known from
_HALVINGS = 9
_LAST = 3  # halvings by which a jump keeps at least half of itself, and a kink an eighth


@dataclass(frozen=True, slots=True)
class Trend:
    """What a function does on the whole."""

    reading: Reading
    jump: float  # by how much ⟨weights, output⟩ jumps
    onset: float  # how far from the point


def trend_of(line: Line, functional: Functional, steps: Range, branch: Reading) -> Trend | None:
    """Return the trend beyond the step of a reading, None where no jump is found there."""
    off = abs(branch.residual.value)
    stands: list[ContractedRung] = []
    jump: tuple[float, float] | None = None
    best: Reading | None = None
    step = branch.step
    nearby = stand_at(line, functional, step)
    if far := _alike_as_far_as(line, functional, steps, branch):
        stands += [nearby] if nearby else []
        step = far / RATIO**0.5
    elif is_below_rounding(functional, 0.0, step):  # it may be the last before the first jump
        step = max(step / RATIO ** (_FITTED - 1), steps.shortest)
    while step <= steps.longest:
        stand = stand_at(line, functional, step)
        step *= RATIO**0.5  # so near that what is no jump is known from the rungs before
        if stand is None:
            continue
        stands.append(stand)
        if len(stands) < 2:
            continue
        pair = extrapolated(line.backend, functional, *stands[-2:])
        if jump is None:
            if len(stands) > _FITTED and _is_off(functional, stands, off):
                jump = _jump(line, functional, stands, off)
                if jump is None or not _is_slight(functional, *jump):
                    return None
                best = _widened(branch, COVERAGE * jump[0] / jump[1])
            elif pair.spread > CLEARLY * off:
                return None  # so far away that what it is off by would not show
        if jump is not None:
            error = max(SPREADS * pair.spread, COVERAGE * jump[0] / pair.step)
            if best is None or error < best.residual.error:
                best = Reading(Estimate(pair.value, error), pair.slope, pair.step)
            if pair.spread > CLEARLY * jump[0] / pair.step:
                break  # jumps make no such spread, it grows from here on
    if jump is None or best is None:
        return None
    return Trend(best, *jump)


def _alike_as_far_as(line: Line, functional: Functional, steps: Range, branch: Reading) -> float:
    """Return a step at which slopes are the branch's, and what that is off by would show; or 0.

    Rungs at t/2 and t differ by t²/8 of the third derivative, which is about slope/X² where a
    function's scale is that of its inputs X. What jumps may have the branch's slope at one step by
    luck: it must have it at the half as well.
    """
    off = abs(branch.residual.value)

    def is_alike(pair: Pair) -> bool:
        return abs(pair.value - branch.residual.value) <= off / CLEARLY + pair.floor

    step = steps.scale * math.sqrt(CLEARLY * 8 * off / branch.slope) if branch.slope else 0.0
    for _ in range(_TRIES):
        step = min(step, steps.longest)
        if not step > RATIO * branch.step:
            break  # to walk there takes no longer
        step = branch.step * 2.0 ** math.ceil(math.log2(step / branch.step))
        if step > steps.longest:
            step /= RATIO**0.5
        pair = _pair_at(line, functional, step)
        if pair is None:
            break
        if pair.spread <= CLEARLY * off and is_alike(pair):
            half = _pair_at(line, functional, step / RATIO**0.5)
            if half is not None and is_alike(half):
                return step
        nearer = math.sqrt(CLEARLY * off / pair.spread) if pair.spread else 1.0
        step *= min(nearer, 1 / RATIO)
    return 0.0


def _pair_at(line: Line, functional: Functional, step: float) -> Pair | None:
    """Return what two neighbouring rungs make of a slope, the further one at a step."""
    near, far = (stand_at(line, functional, one) for one in (step / RATIO**0.5, step))
    if near is None or far is None:
        return None
    return extrapolated(line.backend, functional, near, far)


def is_below_rounding(functional: Functional, jump: float, onset: float) -> bool:
    """Say whether a jump is as small and as near as one that rounding makes inside."""
    return jump <= ROUNDS_INSIDE * functional.base and onset <= ROUNDS_INSIDE * functional.reach


def _is_slight(functional: Functional, jump: float, onset: float) -> bool:
    return jump <= SLIGHT * functional.base or is_below_rounding(functional, jump, onset)


def _widened(reading: Reading, error: float) -> Reading:
    return Reading(Estimate(reading.residual.value, error), reading.slope, reading.step)


def _expected(stands: Sequence[ContractedRung], step: float) -> tuple[float, list[float]]:
    """Return what a smooth function that fits some rungs would be at another, and their weights."""
    weights = []
    for one in stands:
        weight = 1.0
        for other in stands:
            if other is not one:
                near, far = one.step / other.step, step / other.step
                weight *= (far**2 - 1) / (near**2 - 1)
        weights.append(weight)
    return sum(w * one.residual for w, one in zip(weights, stands, strict=True)), weights


def _is_off(functional: Functional, stands: Sequence[ContractedRung], off: float) -> bool:
    """Say whether the last rung is off by enough for a jump there to explain the branch."""
    *known, last = stands[-_FITTED - 1 :]
    expected, weights = _expected(known, last.step)
    noise = sum(
        abs(weight) * functional.floor(one.step, abs(one.total))
        for weight, one in zip(weights, known, strict=True)
    )
    return abs(last.residual - expected) > off / CLEARLY + noise


def _jump(
    line: Line, functional: Functional, stands: Sequence[ContractedRung], off: float
) -> tuple[float, float] | None:
    """Return a jump between the last two rungs and how far it is; None where there is none.

    None either where two halves differ by less than what explains the branch: all but a jump adds
    about as much to both.
    """
    *known, last = stands[-_FITTED - 1 :]

    def beside(stand: ContractedRung) -> float:
        """Return by how much the function's odd part is off from what is smooth."""
        return 2 * stand.step * (stand.residual - _expected(known, stand.step)[0])

    near, far = known[-1], last
    least = 2 * near.step * off / CLEARLY
    sizes, is_even = [abs(beside(far) - beside(near))], False
    for _ in range(_HALVINGS):
        middle = stand_at(line, functional, (near.step + far.step) / 2)
        if middle is None:
            return None
        nearer, further = (
            abs(beside(b) - beside(a)) for a, b in itertools.pairwise((near, middle, far))
        )
        was_even, is_even = is_even, abs(nearer - further) <= least
        if was_even and is_even:  # luck at one distance does not last
            return None
        near, far = (near, middle) if nearer >= further else (middle, far)
        sizes.append(max(nearer, further))
    beyond = stand_at(line, functional, 2 * far.step - near.step)
    if beyond is None or sizes[-1] <= sizes[-1 - _LAST] / 2:
        return None
    goes_on = abs(beside(beyond) - beside(far)) > sizes[-1] / 2  # as behind a kink near the end
    return None if goes_on else (sizes[-1], near.step)
