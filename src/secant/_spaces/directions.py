"""Random directions: signed, with magnitudes in [1/2, 3/2), so that no entry is hidden.

Equal errors do not cancel, a single wrong Jacobian entry δ shows as at least δ/4 whatever the size
of the problem, and every number is a short binary fraction, so that it survives the dtype.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .._backends.arithmetic.counting import BEYOND, FINEST, PLACES, key_of, table
from .._backends.base import Array
from .base import Space

# Small problems share one table, each seed from its own place: drawing is dearer than checking.
_GOLDEN = 0x9E3779B97F4A7C15  # spreads neighbouring seeds over all places
_ASIDE = 1 << 20  # between a seed and that of the stream beside its own


class Directions:
    """A stream of directions that depends on the seed alone, never on a global generator."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._drawn = 0
        self._start = (seed * _GOLDEN >> 48) % PLACES
        self._used = 0

    def draw(self, space: Space) -> Array:
        """Return the coordinates of the next direction in `space`, exact in its dtype."""
        grain = max(2 * space.roundoff, FINEST)  # as many binary digits as the dtype has
        if self._used + space.size <= BEYOND:
            place = self._start + self._used
            self._used += space.size
            numbers = table(grain)[place : place + space.size].copy()
            return space.backend.vector(numbers, space.reference)
        self._drawn += 1
        key = key_of(self._seed, self._drawn)
        return space.backend.signed_magnitudes(key, space.size, grain, space.reference)

    def skip(self, space: Space) -> None:
        """Leave the next direction in `space` out."""
        if self._used + space.size <= BEYOND:
            self._used += space.size
        else:
            self._drawn += 1

    def aside(self) -> Directions:
        """Return a stream of its own, which leaves this one where it is."""
        return Directions(self._seed + _ASIDE)

    def positions(self, size: int, count: int) -> list[int]:
        """Return up to `count` different coordinates at random, sorted."""
        if count >= size:
            return list(range(size))
        return sorted(next(self._fresh()).choice(size, count, replace=False).tolist())

    def _fresh(self) -> Iterator[np.random.Generator]:
        while True:
            self._drawn += 1
            yield np.random.default_rng((self._seed, self._drawn))


def generator(seed: int) -> np.random.Generator:
    """Return a generator of its own, for numbers that are no directions."""
    return np.random.default_rng((seed, 1 << 31))
