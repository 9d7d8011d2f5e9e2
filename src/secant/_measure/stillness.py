"""Functions that stand still nearby: how far away that was seen, and by what they move first.

Of outputs that have not moved only |slope| ≤ g/t is known, with g their grain, which a cast inside
may make far coarser than their dtype's, and which cancellation inside makes coarser than their size
tells. So zero is measured at the longest step only, and a first move is looked at: one that begins
at a kink begins from nothing, one of a grain begins with a jump.

Where the first move lies is found by halving. What stands still at a step and at the shortest one
is taken to do so between them, where only a pulse could hide that is over before either.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from .._backends.base import Backend
from .._constants import COARSEST, COVERAGE, ROUNDS_INSIDE
from .difference import Functional, Reading
from .estimate import Estimate
from .line import Line, Rung
from .rungs import ContractedRung, height_of, stand_at
from .steps import Range, StepWalk, ladder_factor

_HALVINGS = 6  # of the distance to where something moves: to a fiftieth of it

Sample = Callable[[float], Rung | None]


def still_as_far_as(
    backend: Backend, functional: Functional, walk: StepWalk, sample: Sample
) -> Reading | None:
    """Say that nothing moves, seen at the longest step there is; None where something does.

    Entries that are 0 do not tell what a long step is: far away a pulse may have died out, and
    shorter steps are asked as well.
    """
    still: Reading | None = None
    for step in walk.backwards():
        rung = sample(step)
        if rung is None:
            continue
        height = height_of(backend, functional.output, rung, functional.weights)
        if not math.isfinite(height):
            continue
        if height:
            return None
        if still is None:
            claimed = functional.claimed(backend, rung.displacements)
            still = reading_of_still(functional, -claimed / rung.width, step)
        if functional.reach:
            return still
    return still


def reading_of_still(functional: Functional, residual: float, step: float) -> Reading:
    """Return what is read where nothing has moved between the points a step to either side."""
    # further away than the leaf is large the function may be another one
    floor = functional.floor(min(step, functional.reach or step), 0.0)
    return Reading(Estimate(residual, floor), 0.0, step)


def still_nearby(
    line: Line, functional: Functional, steps: Range, is_still: Callable[[], bool] | None = None
) -> Reading | None:
    """Return what is read where outputs stand still nearby and move further away by no rounding.

    None where that is not so, or cannot be told by a few rungs: a ladder then has to. `is_still`
    says whether they were seen to stand still at the first step and at the shortest, while more
    than this leaf moved.
    """
    backend, walk = (
        line.backend,
        StepWalk(steps, ladder_factor(max(functional.roundoff, line.roundoff))),
    )
    rungs = [step for step in walk.backwards() if step >= steps.first]  # the longest first
    farthest = None
    while farthest is None and len(rungs) > 1:  # beyond a border of the domain there is none
        farthest = stand_at(line, functional, rungs.pop(0))
    if farthest is None:
        return None
    if farthest.is_silent and not functional.reach:
        return None  # far away a pulse may have died out
    if not farthest.is_silent and not is_no_rounding(backend, functional, farthest):
        return None
    if is_still is not None and is_still():
        still: ContractedRung | None = _still_at(line, functional, steps.first)
    else:
        shortest, still = (stand_at(line, functional, one) for one in (steps.shortest, steps.first))
        if shortest is None or not shortest.is_silent:
            return None
    if still is None or not still.is_silent:
        return None
    moving = [farthest]
    if farthest.is_silent:
        rungs, still, moving = [], farthest, []
    while rungs:
        middle = len(rungs) // 2
        stand = stand_at(line, functional, rungs[middle])
        if stand is None:
            return None
        if stand.is_silent:
            still, rungs = stand, rungs[:middle]
        else:
            moving, rungs = [stand, *moving], rungs[middle + 1 :]
    if grain_of(backend, functional, [still, *moving], line.rung, farthest.height):
        return None
    return reading_of_still(functional, still.residual, still.step)


def _still_at(line: Line, functional: Functional, step: float) -> ContractedRung:
    """Return the rung of outputs that are known to stand still there."""
    backend, pairs = line.backend, line.pairs(line.moves(step))
    claimed = functional.claimed(backend, [backend.whole(one.displacement) for one in pairs])
    nothing = functional.weights * 0.0
    return ContractedRung(step, -claimed / (2 * step), 0.0, nothing, 0.0, None)


def is_no_rounding(backend: Backend, functional: Functional, stand: ContractedRung) -> bool:
    """Say whether most outputs that moved did so by more than a rounding of their own size."""
    if stand.height > COARSEST * functional.largest():
        return True
    moved = backend.absolute(backend.whole(stand.slopes)) * (2 * stand.step)
    size = backend.absolute(functional.values * functional.weights)
    high = backend.total((moved > COARSEST * size) * 1.0 * (moved > 0))
    return high > backend.total((moved > 0) * 1.0) / 2


def grain_of(
    backend: Backend,
    functional: Functional,
    stands: Sequence[ContractedRung],
    sample: Sample,
    highest: float,
) -> float:
    """Return the first move if it is a jump, and small beside what moves further away; else 0.

    So moves what rounds inside, be it the difference of larger numbers, and what is computed to a
    tolerance: a bisection, a table. A flat that ends begins to move from nothing. `highest` is the
    highest move that was seen at all: how large outputs are that have cancelled at the point.
    """
    moving = [one for one in stands if not one.is_silent]
    if not moving or len(moving) == len(stands):
        return 0.0
    largest = functional.largest()

    def is_grain(move: float) -> bool:
        # no format rounds by more, unless outputs are the difference of larger numbers
        is_coarse = COARSEST * largest < move < largest
        is_small = move <= COARSEST * stands[-1].height and not is_coarse
        return is_small or move <= ROUNDS_INSIDE * highest

    far, least = moving[0].step, moving[0].height
    near = max((one.step for one in stands if one.step < far), default=far / 2)

    def begins_at_kink(halvings: int) -> bool:
        # what does moves by its pace times a distance: by less than from near to far, where so
        # many more halvings leave these; the least that has moved can only become less
        beyond = next((one for one in moving if one.step > far), moving[-1])
        apart = near * (math.pow(far / near, 2.0**-halvings) - 1)
        return least <= COVERAGE * beyond.height / (beyond.step - near) * apart

    for left in reversed(range(_HALVINGS)):
        middle = math.sqrt(near * far)
        rung = sample(middle)
        if rung is None:
            return 0.0
        moved = height_of(backend, functional.output, rung, functional.weights)
        if moved == least and not is_grain(least):
            return 0.0  # nearer it jumps by as much, or has come to rest again
        if moved:
            far, least = middle, min(least, moved)
        else:
            near = middle
        if far < moving[0].step and begins_at_kink(left):
            return 0.0
    return least if is_grain(least) and not begins_at_kink(0) else 0.0
