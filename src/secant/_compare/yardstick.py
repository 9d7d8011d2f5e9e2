"""The yardstick: how far the reference itself is from the truth, run in the kernel's own dtype.

**The floor.** No implementation does better than the truth rounded once, whose errors are uniform
over ±1/2 ulp: 1/√12 in rms. A single entry may be rounded to either neighbour, 1 ulp, and still be
called faithful. A yardstick below that was lucky and is raised: to 1 ulp in the worst entry, and in
rms to 1/√12 for many entries and 1 for a single one, 1/√12 + (1 − 1/√12) / √n between.

**Luck.** If kernel and yardstick make independent errors of the same distribution, n of them each,
the logarithm of the ratio of their norms has standard deviation 1/√n; the ratio of single errors
(n = 1) exceeds 2 in 30 % and 20 in 3 % of all draws. And n is not the number of entries: one
rounded mean or scale moves a whole row or array together, so that a million entries may be a single
draw. n cannot be known from outside, but it can be measured. When a ratio exceeds the limit, the
yardstick is applied again at neighbouring points (`neighbours.py`). With Y₀, Y₁, … its errors
there, the kernel's error E fails if

    E > limit · max Y · a,        a = max Y / median Y.

For many independent errors all Y are equal, a = 1, and the limit holds as it is asked for. For a
single Gaussian error and eight points the largest Y is about 1.9 σ and a is about 3, so that luck
would have to reach 11 σ. If no neighbour can be had, a = exp(3.3 / √n) with n the number of
entries: 3.3 standard deviations, one in a thousand.

**Places.** Errors are not alike everywhere: where terms cancel they are large, in every
implementation. So no entry is blamed for less than `limit` · 3 times the largest error that the
yardstick makes in that very entry at any neighbour.

**Terms.** A gradient more than 16 times smaller than its natural size, ‖v∘F‖ / x, is left of terms
of that size: a saturated softmax, an input that a normalisation takes out. One formula happens to
keep its digits, another does not, and both are used. Before such a gradient is blamed its yardstick
is raised to four roundings of the natural size (in float32 to a chain, as follows).

**Order.** In half precision sums are accumulated in something wider, and their order leaves no
trace. In float32 nothing is wider: the reference's sums may be pairwise where the kernel's are a
plain loop, which is no mistake. K terms added one after the other lose √(K/3) roundings of the sum
if all are positive, and √(K/2) times the effect of rounding every term if they cancel; that effect
is measured, by shaking the truth's inputs (`neighbours.shaken`). Before a kernel is blamed its
yardstick is raised to what a chain of K = 256 loses; with a limit of 2 that forgives K = 1024. An
array that has K times fewer entries than another one of the call may have entries that are sums
over all of them (a weight's gradient, over every row, by atomics): if K is more, K is the chain.

**Modelled.** Where the reference does not run in the kernel's dtype, or where the truth is itself
rounded inside to that dtype, nothing can be measured: the yardstick is then four roundings, which
is what sixteen independent ones of the same size add up to, and in float32 a chain as above.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .errors import ROUNDING, Error, Ruler

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
class Sum:
    """The errors of one array in several draws at one point, added up."""

    truth: float = 0.0  # all three are squares
    rounding: float = 0.0
    error: float = 0.0
    worst: float = 0.0
    entries: int = 0

    def add(self, ruler: Ruler, error: Error) -> bool:
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
class Level:
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


def modelled(least: Size) -> Level:
    """Return the yardstick where none can be measured."""
    return Level(least, is_modelled=True)


def measured(drawn: Sequence[Size], least: Size) -> Level:
    """Return the yardstick from the point and its neighbours, with what luck may add.

    The point alone has no allowance: it decides who is suspicious.
    """
    norms = [max(one.norm, least.norm) for one in drawn]
    worsts = [max(one.worst, least.worst) for one in drawn]
    size = Size(max(norms), max(worsts))
    luck = size.norm / statistics.median(norms), size.worst / statistics.median(worsts)
    return Level(size, *luck)


def alone(drawn: Size, least: Size, entries: int) -> Level:
    """Return the yardstick of a point without neighbours, its entries taken for independent."""
    luck = math.exp(_DEVIATIONS / math.sqrt(max(entries, 1)))
    return replace(measured([drawn], least), norm_allowance=luck, worst_allowance=luck)
