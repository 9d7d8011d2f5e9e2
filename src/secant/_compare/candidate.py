"""A row in the making: the errors of kernel and yardstick in one array, summed over draws."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from .._backends.base import Array, Backend
from .._report.comparison import ComparedError
from .._spaces.base import Space
from .._words.reason import Reason
from .errors import ROUNDING, UlpScale
from .holes import Holes, filled, find_holes
from .yardstick import (
    ACCUMULATOR,
    CHAIN,
    IN_PLACE,
    MODELLED,
    ErrorScale,
    Size,
    SummedErrors,
    alone,
    in_a_row,
    measured,
    modelled,
    rounded_once,
)

_CANCELLED = 16.0  # times smaller than its natural size: a gradient that is left of larger terms


@dataclass(frozen=True, slots=True)
class WorstDraw:
    """The draw with the worst entry."""

    ruler: UlpScale
    kernel: Array
    yardstick: Array | None
    place: int


@dataclass(frozen=True, slots=True)
class NeighbourYardstick:
    """The yardstick at a neighbouring point: its error as a whole, and in every place in ulps."""

    size: Size
    places: Array

    def or_larger(
        self, backend: Backend, other: NeighbourYardstick, factor: float
    ) -> NeighbourYardstick:
        """Return the larger of two in every measure, the other one multiplied."""
        places = backend.larger(self.places, other.places * factor)
        return NeighbourYardstick(self.size.or_larger(other.size.times(factor)), places)


@dataclass(slots=True)
class Candidate:
    """One output (`part` None), or the gradient of one output in one differentiated leaf."""

    what: str
    space: Space  # of the kernel's array
    output: int
    part: int | None = None
    kernel: SummedErrors = field(default_factory=SummedErrors)
    yardstick: SummedErrors = field(default_factory=SummedErrors)
    natural: float = 0.0  # the squared size that a gradient has by the sizes of values alone
    has_yardstick: bool = True
    evidence: WorstDraw | None = None
    holes: Holes | None = None
    near: list[NeighbourYardstick] = field(
        default_factory=list
    )  # the yardstick at neighbouring points
    terms: float = 0.0  # that an entry may be the sum of, by the sizes of arrays alone
    cause: Reason | None = None
    is_suspect: bool = False  # the kernel is beyond the limit, and about to be blamed
    is_alone: bool = False  # neighbours were asked for, and there are none

    def add(self, kernel: Array, truth: Array, yardstick: Array | None) -> None:
        """Take one draw: what the kernel says, what is true, and what the yardstick says."""
        backend = self.space.backend
        holes = find_holes(self.space, kernel, truth, yardstick)
        self.holes = self.holes or holes
        self.has_yardstick &= yardstick is not None
        if holes is not None or not (yardstick is None or backend.is_finite(yardstick)):
            whole = filled(backend, kernel, truth, yardstick)
            kernel, truth, yardstick = whole.kernel, whole.truth, whole.yardstick
            self.has_yardstick &= not whole.is_yardstick_holed
        ruler = UlpScale(self.space, truth)
        error = ruler.error(kernel)
        if yardstick is not None:
            self.yardstick.add(ruler, ruler.error(yardstick))
        if self.kernel.add(ruler, error):
            self.evidence = WorstDraw(ruler, kernel, yardstick, error.place)

    @property
    def chain(self) -> float:
        """How many terms may be added up one after the other in an entry."""
        return max(CHAIN, self.terms)

    @property
    def roundings(self) -> float:
        """How many of them a correct kernel may make: in float32 a chain of additions."""
        return in_a_row(self.chain) if self.space.roundoff <= ACCUMULATOR else MODELLED

    @property
    def natural_size(self) -> float:
        """The rms that entries of a gradient have by the sizes of values alone; 0 where it shows.

        What is far smaller is left of terms that cancel, and has their errors.
        """
        if not self.is_suspect or self.natural < _CANCELLED**2 * self.kernel.truth:
            return 0.0
        return math.sqrt(self.natural / max(self.kernel.entries, 1))

    def level(self) -> ErrorScale:
        """Return the yardstick as far as it is known by now."""
        entries, here = self.kernel.entries, self.yardstick.size
        once = least = rounded_once(entries)
        if not self.has_yardstick:
            return modelled(once.times(self.roundings))
        if self.is_suspect:
            if self.space.roundoff <= ACCUMULATOR:
                least = once.times(in_a_row(self.chain))
            terms = ROUNDING * 2 * self.space.roundoff * self.natural_size * math.sqrt(entries)
            times = self.roundings * terms / (math.sqrt(self.kernel.rounding) or 1.0)
            least = least.or_larger(Size(once.norm * times, 0.0))
        if self.is_alone:
            return alone(here, least, entries)
        return measured([here, *(near.size for near in self.near)], least)

    def held(self, limit: float) -> tuple[ComparedError, ComparedError]:
        """Return the kernel's error against the yardstick: relative in norm, and in ulps."""
        level, error, sums = self.level(), self.kernel.size, self.kernel
        unit = (sums.rounding / sums.truth) ** 0.5 if sums.truth else sums.rounding**0.5
        norm = ComparedError(
            error.norm * unit, level.size.norm * unit, limit * level.norm_allowance
        )
        found, yardstick = self._worst(level)
        return norm, ComparedError(found, yardstick, limit * level.worst_allowance)

    def _worst(self, level: ErrorScale) -> tuple[float, float]:
        """Return the error of the worst entry and the yardstick in that place, in ulps."""
        if not self.is_suspect or self.evidence is None:
            return self.kernel.worst, level.size.worst
        backend, evidence = self.space.backend, self.evidence
        errors, yardstick = evidence.ruler.in_ulps(evidence.kernel), self.yardsticks(level)
        place = backend.place_of_largest(errors / yardstick)
        self.evidence = replace(evidence, place=place)
        return _at(backend, errors, place), _at(backend, yardstick, place)

    def yardsticks(self, level: ErrorScale) -> Array:
        """Return the yardstick of every entry, in ulps: raised where it was larger nearby."""
        backend, evidence = self.space.backend, self.evidence
        assert evidence is not None
        terms = self.roundings * 2 * self.space.roundoff * self.natural_size
        ulps = evidence.ruler.ulps
        yardstick = backend.larger(terms / ulps, ulps * 0.0 + level.size.worst)
        for near in self.near:
            raised = near.places * (IN_PLACE / level.worst_allowance)
            yardstick = backend.larger(yardstick, raised)
        return yardstick

    def is_suspicious(self, limit: float) -> bool:
        """Say whether the kernel is beyond the limit, or not finite where it should be."""
        is_broken = self.holes is not None and self.holes.broken is not None
        return is_broken or not all(one.is_within for one in self.held(limit))


def _at(backend: Backend, vector: Array, place: int) -> float:
    return float(backend.select(vector, [place])[0])
