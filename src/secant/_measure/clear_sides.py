"""Outputs that bend on one side of the point: their slope is read from the other side.

Of many outputs with a kink each (a rectifier, a pooling, a clamp) some have theirs within any step
that round-off allows, and a two-sided slope is then neither of the two. From one rung to a longer
one the slope to the right changes by m + b and that to the left by m − b, with m the change of the
mean slope and b that of half the gap between the two. A kink at one side changes that side alone,
|m| = |b|; curvature changes both, m ≪ b; one at the very point changes none, and a jump there
closes the gap. So an output is read from the side that is steady where the other changes by far
more: than it, than noise, and than outputs usually do, since curvature and noise are everyone's.

Both sides of an output hold a kink with the square of the chance that one does: what is left is in
the spread of the rungs, as ever.
"""

from __future__ import annotations

import operator
from dataclasses import replace

from .._backends.base import Array, Backend
from .._constants import CLEARLY, SEVERAL
from .difference import Functional
from .rungs import ContractedRung


def clear_sides(
    backend: Backend, functional: Functional, near: ContractedRung, far: ContractedRung
) -> Array | None:
    """Return 1 for outputs that bend to the left alone, −1 to the right alone; None for none."""
    if near.bends is None or far.bends is None or functional.weights.shape[0] < SEVERAL:
        return None
    vectors = near.slopes, far.slopes, near.bends, far.bends
    usual = CLEARLY * backend.total(backend.unmade(_turned, *vectors)) / near.slopes.shape[0]
    noise = CLEARLY * functional.roundoff * functional.largest() / near.step

    def side(near: Array, far: Array, bent: Array, bent_far: Array, weights: Array) -> Array:
        mean, gap = far - near, bent_far - bent
        changed, opened = abs(mean), abs(gap)
        turned = changed + opened
        is_seen = (turned > usual) * (turned > abs(weights) * noise)
        is_one_sided = turned > CLEARLY * abs(changed - opened)
        is_kinked = is_seen * is_one_sided * (abs(bent) <= abs(bent_far)) * 1.0
        return backend.copysign(is_kinked, -(mean * gap))

    sides = backend.unmade(side, *vectors, functional.weights)
    return backend.whole(sides) if backend.largest(sides) else None


def _turned(near: Array, far: Array, bent: Array, bent_far: Array) -> Array:
    """Return by how much the slopes to both sides change from one rung to the next."""
    return abs(far - near) + abs(bent_far - bent)


def read_from_clear_sides(
    backend: Backend, functional: Functional, near: ContractedRung, far: ContractedRung
) -> tuple[ContractedRung, ContractedRung]:
    """Return two rungs with every output read from a side that does not bend between them."""
    sides = clear_sides(backend, functional, near, far)
    if sides is None:
        return near, far
    return _from_side(backend, near, sides), _from_side(backend, far, sides)


def _from_side(backend: Backend, stand: ContractedRung, sides: Array) -> ContractedRung:
    turn = backend.unmade(operator.mul, sides, stand.bends)
    added = backend.total(turn)
    slopes = backend.unmade(operator.add, stand.slopes, turn)
    return replace(stand, residual=stand.residual + added, total=stand.total + added, slopes=slopes)
