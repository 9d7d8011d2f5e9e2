"""How far to step: scaled to the leaf and to the coarser of the dtypes involved.

With unit round-off ε, outputs of size F and third derivative F''' the two errors of a central
difference are about ε F / h and F''' h² / 6; for functions whose scale is that of their inputs they
balance at h ≈ ε^(1/3) of it. A power of two keeps h·u exact. The ladder answers for all other
functions. A leaf's scale is the size of its entries that are not zero, 1 where all are: what a unit
of the input is called changes no verdict.

A leaf that mixes units, ohms beside farads, has no one scale: each of its entries is moved by
itself, by a share of its own size.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .._backends.arithmetic.chunked import powers
from .._backends.arithmetic.magnitudes import Magnitudes
from .._backends.base import Array, Backend
from .._constants import CLEARLY, COARSE, MIXED, RATIO, SHORTEST
from .._records import quickly_made
from .._spaces.base import Space


@quickly_made
@dataclass(frozen=True, slots=True)
class Range:
    """The steps that make sense for one leaf."""

    first: float
    shortest: float
    longest: float
    scale: float  # the size of the leaf's entries, 1 where they are 0
    own: Array | None = None  # the size of each entry, where a leaf mixes units
    is_zero: bool = False  # all entries are 0

    @property
    def reach(self) -> float:
        """The size of the entries themselves: where they are 0 no rounding of inputs is noise."""
        return 0.0 if self.is_zero else self.scale

    @property
    def nearest(self) -> float:
        """The step at which the point itself is looked at: zeros do not say what is near them.

        Its square is a normal number still, but in half precision.
        """
        return self.shortest * math.sqrt(SHORTEST) if self.is_zero else self.shortest

    def for_columns(self, point: Array, backend: Backend) -> Array:
        """Return the first step of every coordinate that moves alone: a share of its own size.

        One smaller than the leaf's first step moves as if it were as large: so near to zero a
        function seldom changes faster, and what a shorter step can tell drowns in round-off.
        """
        relative = self.first / self.scale
        if self.own is not None:
            return self.own * relative
        sizes = backend.absolute(point)
        is_zero = (sizes == 0) * 1.0
        sizes = backend.larger(sizes + is_zero * self.scale, sizes * 0 + self.first)
        return sizes * relative

    def for_coordinate(self, place: int, point: Array, backend: Backend) -> Range:
        """Return the steps for one coordinate that moves alone."""
        entry = backend.select(point, [place])
        relative = self.first / self.scale
        first = (
            float(self.for_columns(entry, backend)[0])
            if self.own is None
            else float(self.own[place]) * relative
        )
        size = first / relative
        longest = max(self.longest, size) if self.own is None else size
        shortest, is_zero = self.shortest * (size / self.scale), not float(entry[0])
        return Range(first, shortest, longest, size, is_zero=is_zero)


def steps_for(
    space: Space,
    vector: Array,
    sizes: Magnitudes,
    outputs: Sequence[Space],
    asked: float | None,
) -> Range:
    """Return where measurements of a leaf begin and between what limits they may move.

    `vector` holds the coordinates of the point, of the given sizes.
    """
    roundoff = space.roundoff
    for output in outputs:
        roundoff = max(roundoff, output.roundoff)
    relative = 2.0 ** math.floor(math.log2(roundoff) / 3 + 0.5)
    if asked is not None:  # the user knows the function's scale: stay near
        return Range(asked, asked / RATIO**3, asked * RATIO**3, sizes.typical)
    # the largest entry must still move by many of its own gaps, or at the least by one
    least = max(relative * sizes.typical, CLEARLY * space.roundoff * sizes.largest)
    first = 2.0 ** math.ceil(math.log2(least))
    # zero has no gaps: a leaf of zeros moves by any step, whatever its dtype
    shortest = max(SHORTEST * sizes.typical, 4 * space.roundoff * sizes.largest)
    own = None
    if sizes.smallest * max(space.size, 1) < MIXED * sizes.typical:
        numbers = powers(space.backend.to_numpy(vector))
        own = space.backend.vector(numbers, space.reference)
    is_zero = sizes.largest == 0
    return Range(first, shortest, max(sizes.typical, 1.0), sizes.typical, own, is_zero)


def ladder_factor(roundoff: float) -> float:
    """Return the ratio between neighbouring rungs; few digits leave room for few rungs."""
    return math.sqrt(RATIO) if roundoff > COARSE else RATIO


class StepWalk:
    """Steps around the first one, away from it on the side where measurements are best so far.

    >>> walk = StepWalk(Range(1.0, 0.05, 20.0, 1.0), 4.0)
    >>> [walk.next(None) for _ in range(3)], walk.next(0.25), walk.next(0.25), walk.next(0.25)
    ([1.0, 0.25, 4.0], 0.0625, 16.0, None)
    """

    def __init__(self, steps: Range, factor: float) -> None:
        self._steps = steps
        self._factor = factor
        self._shorter = self._longer = steps.first
        self._is_begun = False
        self._is_longer_due = False

    def backwards(self) -> Iterator[float]:
        """Yield steps from the longest down: where nothing has moved at the first."""
        step = self._steps.longest
        while step >= self._steps.shortest:
            yield step
            step /= self._factor

    def leave_out_shorter(self) -> None:
        """Walk longer steps alone from now on."""
        self._shorter = 0.0

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
