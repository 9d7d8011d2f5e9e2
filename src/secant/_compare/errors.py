"""How far an array is from the truth: in norm, and in ulps of its dtype in the worst entry.

An entry near zero is rarely computed as a small number: it is what is left of terms that cancel,
and its error is theirs. So an entry is given the ulp of its truth, but never a smaller one than
that of the array's typical size, which is its rms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .._backends.base import Array
from .._spaces.base import Space

ROUNDING = 1 / math.sqrt(12)
"""The rms of a rounding error in ulps: it is uniform over ±1/2. Its largest value is 1/2."""


class UlpScale:
    """The ulps in which errors of one array are counted, and what rounding the truth once costs."""

    def __init__(self, space: Space, truth: Array) -> None:
        backend = self.backend = space.backend
        self.truth = truth
        self.square_of_truth = backend.dot(truth, truth)
        typical = math.sqrt(self.square_of_truth / max(math.prod(truth.shape), 1))
        sizes = backend.larger(backend.absolute(truth), truth * 0.0 + typical)
        self.ulps = backend.spacing(sizes, space.reference)
        self.square_of_rounding = ROUNDING**2 * backend.dot(self.ulps, self.ulps)

    def error(self, vector: Array) -> Error:
        """Return how far a vector is from the truth."""
        difference = vector - self.truth
        if not math.prod(difference.shape):
            return Error(0.0, 0.0, 0)
        in_ulps = self.in_ulps(vector)
        place = self.backend.place_of_largest(in_ulps)
        return Error(
            self.backend.dot(difference, difference),
            float(self.backend.select(in_ulps, [place])[0]),
            place,
        )

    def in_ulps(self, vector: Array) -> Array:
        """Return how far each entry is from the truth."""
        return self.backend.absolute(vector - self.truth) / self.ulps


@dataclass(frozen=True, slots=True)
class Error:
    """The squared norm of a difference from the truth, and its worst entry in ulps."""

    square: float
    ulps: float
    place: int
