"""How far to step: scaled to the leaf and to the coarser of the dtypes involved.

With unit round-off ε, outputs of size F and third derivative F''' the two errors of a central
difference are about ε F / h and F''' h² / 6; for functions whose scale is 1 they balance at
h ≈ ε^(1/3). A power of two keeps h·u exact. The ladder answers for all other functions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .._backends.base import Array
from .._spaces.base import Space

_SHORTEST = 2.0**-36  # relative to the size of the leaf's entries
_LONGEST = 1.0
_NEAR = 64.0  # how far from a step that was asked for
COARSE = 2.0**-12  # a round-off above this leaves so few rungs that they must stand closer
_GAPS = 64.0  # of its own that the largest entry moves by at first
_FEW_GAPS = 8.0  # where the dtype is coarse


@dataclass(frozen=True, slots=True)
class Range:
    """The steps that make sense for one leaf."""

    first: float
    shortest: float
    longest: float
    scale: float  # the size of the leaf's entries, at least 1
    typical: float  # the size of the leaf's entries

    def for_coordinate(self, value: float) -> Range:
        """Return the steps for one coordinate that moves alone: as short as its own size allows."""
        own = abs(value)
        if not 0 < own < self.typical:
            return self
        return replace(self, shortest=self.shortest * own / self.typical)


def steps_for(space: Space, vector: Array, outputs: Sequence[Space], asked: float | None) -> Range:
    """Return where measurements of a leaf begin and between what limits they may move.

    `vector` holds the coordinates of the point.
    """
    roundoff = max([space.roundoff, *(output.roundoff for output in outputs)])
    typical = space.backend.norm(vector) / math.sqrt(max(space.size, 1))
    largest = space.backend.largest(vector)
    scale = max(1.0, typical)
    relative = 2.0 ** math.floor(math.log2(roundoff) / 3 + 0.5)
    # the largest entry must still move by many of its own gaps, or at the least by one
    gaps = _FEW_GAPS if space.roundoff > COARSE else _GAPS
    first = 2.0 ** math.ceil(math.log2(max(relative * scale, gaps * space.roundoff * largest)))
    shortest = max(_SHORTEST * (typical or 1.0), 4 * space.roundoff * largest)
    if asked is not None:  # the user knows the function's scale: stay near
        return Range(asked, asked / _NEAR, asked * _NEAR, scale, typical)
    return Range(first, shortest, _LONGEST * scale, scale, typical)


def ladder_factor(roundoff: float) -> float:
    """Return the ratio between neighbouring rungs."""
    return 2.0 if roundoff > COARSE else 4.0


class Walk:
    """Steps around the first one, away from it on the side where measurements are best so far.

    >>> walk = Walk(Range(1.0, 0.05, 20.0, 1.0, 1.0), 4.0)
    >>> [walk.next(None) for _ in range(3)], walk.next(0.25), walk.next(0.25), walk.next(0.25)
    ([1.0, 0.25, 4.0], 0.0625, 16.0, None)
    """

    def __init__(self, steps: Range, factor: float) -> None:
        self._steps = steps
        self._factor = factor
        self._shorter = self._longer = steps.first
        self._is_begun = False
        self._is_longer_due = False

    def next(self, best: float | None) -> float | None:
        """Return the next step to try, None at the end; `best` is the best step so far."""
        if not self._is_begun:
            self._is_begun = True
            return self._steps.first
        shorter, longer = self._shorter / self._factor, self._longer * self._factor
        can_shorten, can_lengthen = shorter >= self._steps.shortest, longer <= self._steps.longest
        if not (can_shorten or can_lengthen):
            return None
        is_longer = self._is_longer_due
        if best is not None and best != self._steps.first:
            is_longer = best > self._steps.first
        if (is_longer and can_lengthen) or not can_shorten:
            self._longer, self._is_longer_due = longer, False
            return longer
        self._shorter, self._is_longer_due = shorter, True
        return shorter
