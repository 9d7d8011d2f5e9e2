"""The yardstick: how far the reference itself is from the truth, run in the kernel's own dtype.

Where it comes from, what luck may add and what is not blamed: docs/mathematics/kernels.md.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .errors import ROUNDING, Error, UlpScale

MODELLED = 4.0
CHAIN = 256.0
ACCUMULATOR = 2.0**-24
"""The round-off of float32, in which everything that is narrower is accumulated."""

IN_PLACE = 3.0
"""What luck may add to the error of a single entry, where the yardstick had several draws."""

_FAITHFUL = 1.0  # ulp
_DEVIATIONS = 3.3


def in_a_row(terms: float) -> float:
    """Return how many roundings of a sum so many terms lose, added one after the other."""
    return math.sqrt(terms / 3)


def cancelling(terms: float) -> float:
    """Return the same in effects of rounding every term, where terms cancel."""
    return math.sqrt(terms / 2)


@dataclass(frozen=True, slots=True)
class Size:
    """An error in two measures: rms in units of one rounding's, and the worst entry in ulps."""

    norm: float
    worst: float

    def times(self, factor: float) -> Size:
        """Return an error so many times as large."""
        return Size(factor * self.norm, factor * self.worst)

    def or_larger(self, other: Size) -> Size:
        """Return the larger of two errors in either measure; NaN is not larger."""
        return Size(max(self.norm, other.norm), max(self.worst, other.worst))

    def is_finite(self) -> bool:
        """Say whether both are numbers."""
        return math.isfinite(self.norm) and math.isfinite(self.worst)


@dataclass(slots=True)
class SummedErrors:
    """The errors of one array in several draws at one point, added up."""

    truth: float = 0.0  # all three are squares
    rounding: float = 0.0
    error: float = 0.0
    worst: float = 0.0
    entries: int = 0

    def add(self, ruler: UlpScale, error: Error) -> bool:
        """Add one draw; say whether its worst entry is the worst so far."""
        is_worst = not self.entries or error.ulps > self.worst
        self.truth += ruler.square_of_truth
        self.rounding += ruler.square_of_rounding
        self.error += error.square
        self.worst = max(self.worst, error.ulps)
        self.entries += math.prod(ruler.truth.shape)
        return is_worst

    @property
    def size(self) -> Size:
        """The error in units of what a rounding costs."""
        return Size(math.sqrt(self.error / self.rounding) if self.rounding else 0.0, self.worst)


@dataclass(frozen=True, slots=True)
class ErrorScale:
    """What the kernel's error is divided by, and how much luck the quotient is allowed."""

    size: Size
    norm_allowance: float = 1.0
    worst_allowance: float = 1.0
    is_modelled: bool = False

    def allowed(self, limit: float) -> Size:
        """Return the error that a kernel may have."""
        norm, worst = self.norm_allowance * self.size.norm, self.worst_allowance * self.size.worst
        return Size(norm, worst).times(limit)


def rounded_once(entries: int) -> Size:
    """Return the least that a yardstick of so many entries may be."""
    single = _FAITHFUL / ROUNDING
    return Size(1.0 + (single - 1.0) / math.sqrt(max(entries, 1)), _FAITHFUL)


def modelled(least: Size) -> ErrorScale:
    """Return the yardstick where none can be measured."""
    return ErrorScale(least, is_modelled=True)


def measured(drawn: Sequence[Size], least: Size) -> ErrorScale:
    """Return the yardstick from the point and its neighbours, with what luck may add.

    The point alone has no allowance: it decides who is suspicious.
    """
    norms = [max(one.norm, least.norm) for one in drawn]
    worsts = [max(one.worst, least.worst) for one in drawn]
    size = Size(max(norms), max(worsts))
    luck = size.norm / statistics.median(norms), size.worst / statistics.median(worsts)
    return ErrorScale(size, *luck)


def alone(drawn: Size, least: Size, entries: int) -> ErrorScale:
    """Return the yardstick of a point without neighbours, its entries taken for independent."""
    luck = math.exp(_DEVIATIONS / math.sqrt(max(entries, 1)))
    return replace(measured([drawn], least), norm_allowance=luck, worst_allowance=luck)
