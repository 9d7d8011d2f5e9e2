"""Functions that stand still nearby: how far away that was seen, and by what they move first.

Of outputs that have not moved only |slope| ≤ g/t is known, with g their grain, which a cast inside
may make far coarser than their dtype's, and which cancellation inside makes coarser than their size
tells. So zero is measured at the longest step only, and a first move is looked at: one that begins
at a kink begins from nothing, one of a grain begins with a jump.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from .._backends.base import Array, Backend
from .._constants import COARSEST, COVERAGE
from .difference import Functional, Reading
from .estimate import Estimate
from .line import Rung
from .rungs import Stand, height_of
from .steps import Walk

_HALVINGS = 6  # of the distance to where something moves: to a fiftieth of it

Sample = Callable[[float], Rung | None]


def still_as_far_as(
    backend: Backend, functional: Functional, walk: Walk, sample: Sample
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
        still = still or reading_of_still(backend, functional, rung.displacements, step)
        if functional.reach:
            return still
    return still


def reading_of_still(
    backend: Backend, functional: Functional, displacements: Sequence[Array], step: float
) -> Reading:
    """Return what is read where nothing has moved between the points a step to either side."""
    residual = -functional.claimed(backend, displacements) / (2 * step)
    # further away than the leaf is large the function may be another one
    floor = functional.floor(min(step, functional.reach or step), 0.0)
    return Reading(Estimate(residual, floor), 0.0, step)


def grain_of(
    backend: Backend, functional: Functional, stands: Sequence[Stand], sample: Sample
) -> float:
    """Return the first move if it is a jump, and small beside what moves further away; else 0.

    So moves what rounds inside, be it the difference of larger numbers, and what is computed to a
    tolerance: a bisection, a table. A flat that ends begins to move from nothing.
    """
    moving = [one for one in stands if not one.is_silent]
    if not moving or len(moving) == len(stands):
        return 0.0
    far, least = moving[0].step, moving[0].height
    near = max((one.step for one in stands if one.step < far), default=far / 2)
    for _ in range(_HALVINGS):
        middle = math.sqrt(near * far)
        rung = sample(middle)
        if rung is None:
            return 0.0
        if moved := height_of(backend, functional.output, rung, functional.weights):
            far, least = middle, min(least, moved)
        else:
            near = middle
    # what begins at a kink moves by its pace times a distance, now less than from near to far
    beyond = next((one for one in moving if one.step > far), moving[-1])
    is_kink = least <= COVERAGE * beyond.height / (beyond.step - near) * (far - near)
    is_jump = not is_kink and least <= COARSEST * stands[-1].height
    # no format rounds by more, unless outputs are the difference of larger numbers
    is_coarse = COARSEST * functional.largest() < least < functional.largest()
    return least if is_jump and not is_coarse else 0.0
