"""Points beside the given one, and what the reference does there.

Every differentiated entry is drawn towards zero by a few ulps, some of them common to the whole
leaf: signs, zeros and bounds stay, every rounding falls differently. The yardstick there is a
fresh draw.

The same moves, much shorter than an ulp, tell whether the truth is one: a reference that rounds to
a low dtype inside does not notice them, although its gradient says that it should.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .._backends.base import Array, Backend
from .._errors import SecantError
from .._spaces.choose import space_of
from .side import Run, Side
from .yardstick import ACCUMULATOR

NEIGHBOURS = 11
_COMMON = 8.0  # ulps, the same for all entries of a leaf
_OWN = 4  # ulps, of each entry by itself
_SHORT = 2.0**-8  # of an ulp
_UNMOVED = 0.25  # the share of a move that must not be missing
_NOISE = 2.0**-48  # of the output: some roundings of float64


def neighbours(
    backend: Backend, leaves: Sequence[Any], chosen: Sequence[int], random: np.random.Generator
) -> Iterator[list[Any]]:
    """Yield the leaves of points beside the given one, in their own dtypes."""
    for _ in range(NEIGHBOURS):
        near = list(leaves)
        for place in chosen:
            space = space_of(backend, leaves[place])
            ulps = random.integers(0, _OWN, space.size) + _COMMON * random.random()
            shrunk = backend.vector(1 - 2 * space.roundoff * ulps, leaves[place])
            near[place] = space.value(space.coordinates(leaves[place]) * shrunk)
        yield near


def shaken(wide: Sequence[Any], side: Side, random: np.random.Generator) -> list[Any]:
    """Return leaves in float64, every differentiated entry off by a rounding of float32.

    What this does to the truth is what an accumulator of float32 may lose, in whatever order.
    """
    moved, backend = list(wide), side.backend
    for place in side.chosen:
        space = space_of(backend, wide[place])
        factors = 1 + random.uniform(-ACCUMULATOR, ACCUMULATOR, space.size)
        point = space.coordinates(wide[place])
        moved[place] = space.value(point * backend.vector(factors, wide[place]))
    return moved


def is_rounded_inside(
    side: Side, wide: Sequence[Any], roundoffs: Sequence[float], here: Run, output: int, v: Array
) -> bool:
    """Say whether the reference, run in float64, rounds one output to fewer digits inside.

    ⟨v, F(x + e) − F(x)⟩ = ⟨Jᵀ v, e⟩, for a move e too short to be seen in the kernel's dtype and
    with the signs of Jᵀ v, so that nothing cancels.
    """
    backend = side.backend
    moved, expected = list(wide), 0.0
    try:
        gradients = here.pull(output, v)
        for gradient, place, roundoff in zip(gradients, side.chosen, roundoffs, strict=True):
            space = space_of(backend, wide[place])
            point = space.coordinates(wide[place])
            move = backend.copysign(point * (roundoff * _SHORT), gradient)
            moved[place] = space.value(point + move)
            expected += backend.dot(gradient, space.coordinates(moved[place]) - point)
        before, after = here.value(output), side.run(moved, here.context).value(output)
    except SecantError:
        return False
    noise = _NOISE * backend.norm_of_product(v, before)
    return bool(expected - backend.dot(v, after - before) > _UNMOVED * expected + noise)
