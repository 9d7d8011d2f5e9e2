"""From differences along a line to an estimate with an error bar.

The quantity estimated is a *residual*: v'F along the line minus a linear function that the caller
supplies (the claim, or zero). Subtracting a linear function changes neither truncation nor noise,
and cancels the rounding of the inputs exactly. With ρ(t) the residual slope of the rung at t,

    ρ(t) = ρ + c t² + O(t⁴) + noise/t,       ρ* = (q² ρ(t) − ρ(q t)) / (q² − 1),

the spread is the larger of |ρ(t) − ρ(qt)| and the same difference taken entry by entry and added in
quadrature (a single sum can agree by luck, a vector cannot). Where noise rules, the spread is its
standard deviation and a bar of four spreads holds 99.9 % of errors; where truncation rules, it is
the error of ρ(t), orders above that of ρ*. The modelled round-off is the least a bar can be.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from .._backends.arithmetic.chunked import SHORT
from .._backends.base import Array, Backend
from .._constants import COARSE, FINE, SEVERAL, SPREADS
from .._records import quickly_made
from .estimate import Estimate
from .line import Line
from .noise import modelled

Linear = Sequence[tuple[float, Array] | None]
"""What is multiplied with a displacement, by mover: a factor and a vector, None for nothing."""

Claims = tuple[float, float]
"""What a linear function makes of the way between x ± e, and between x ± 2e."""


def claimed_moves(
    backend: Backend, functionals: Sequence[Functional], displacements: Sequence[Array]
) -> list[float]:
    """Return what the linear functions make of displacements, on a device read at once."""
    factors, pairs = [], []
    for place, functional in enumerate(functionals):
        for term, displacement in zip(functional.linear, displacements, strict=False):
            if term is not None:
                factors.append((place, term[0]))
                pairs.append((term[1], displacement))
    claimed = [0.0] * len(functionals)
    for (place, factor), product in zip(factors, backend.dots(pairs), strict=True):
        claimed[place] += factor * product
    return claimed


@quickly_made
@dataclass(frozen=True, slots=True)
class Functional:
    """What is asked of a line: ⟨weights, output⟩ minus a linear function of the displacements."""

    output: int
    weights: Array
    linear: Linear
    base: float  # ‖v∘F‖ at the point, and what the function does not repeat of itself
    reach: float  # the size of the inputs, in steps; 0 where all are 0
    roundoff: float
    largest: Callable[[], float]  # max|F| at the point
    values: Array  # F at the point

    def claimed(self, backend: Backend, displacements: Sequence[Array]) -> float:
        """Return what the linear function makes of displacements."""
        return claimed_moves(backend, [self], displacements)[0]

    def ambient(self, backend: Backend) -> float:
        """Return ‖v‖ max|F|: what the noise is relative to where entries are mixed inside."""
        return backend.norm(self.weights) * self.largest()

    def floor(self, step: float, slope: float) -> float:
        """Return the least that a slope's bar can be: the modelled round-off at this step."""
        size = math.hypot(self.base, slope * self.reach)  # rounding of outputs, and of inputs
        return modelled(self.roundoff, size, step, slope)


@quickly_made
@dataclass(frozen=True, slots=True)
class Reading:
    """A residual with its bar, and how large the measured terms were."""

    residual: Estimate
    slope: float  # ‖weights ∘ measured slopes‖
    step: float
    is_stairs: bool = False  # nothing moves nearby: what moves further away is read, in jumps

    def over(self, pace: float) -> Reading:
        """Return the reading in units of one leaf that moved at this pace."""
        residual = Estimate(self.residual.value / pace, self.residual.error / pace)
        return Reading(residual, self.slope / pace, self.step * pace)


def quick(line: Line, functionals: Sequence[Functional], step: float) -> list[Reading] | None:
    """Read all functionals from three evaluations, or four; None where a step leaves the domain."""
    stencil = Stencil(line, step)
    return stencil.read(functionals, stencil.claims(functionals))


class Stencil:
    """The points of a line that a first reading takes: x ± e and x + 2e, or x ± 2e."""

    def __init__(self, line: Line, step: float) -> None:
        self._line = line
        self._step = step
        self.moves = line.kept_moves(step)
        self.takes_moves = line.roundoff <= (COARSE if line.length > SHORT else FINE)

    def claims(self, functionals: Sequence[Functional]) -> list[Claims]:
        """Return what linear functions make of the way between x ± e, and between x ± 2e.

        Those points may round once more where they cross a power of two, by ε|x|. Of many numbers
        few do, and the floor covers that: moves are taken for it. Of few, or in coarse dtypes, what
        exists is.
        """
        line, moves = self._line, self.moves
        if self.takes_moves:
            claimed = claimed_moves(line.backend, functionals, moves)
            return [(2 * one, 4 * one) for one in claimed]
        near, far = (
            claimed_moves(line.backend, functionals, [one.displacement for one in pairs])
            for pairs in (line.pairs(moves, times) for times in (1.0, 2.0))
        )
        return list(zip(near, far, strict=True))

    def read(
        self, functionals: Sequence[Functional], claims: Sequence[Claims]
    ) -> list[Reading] | None:
        """Read all functionals at once, given what is claimed; None outside the domain.

        Three evaluations will do where the step is short, so that truncation is no concern, and
        where every output has so many entries that the spread is not a matter of luck.
        """
        read = _from_three
        for one in functionals:
            if one.roundoff > FINE or one.weights.shape[0] < SEVERAL:
                read = _from_four
        readings = read(self._line, functionals, self._step, self.moves, claims)
        for reading in readings or ():
            if not math.isfinite(reading.residual.value):
                return None
        return readings


def _from_three(
    line: Line,
    functionals: Sequence[Functional],
    step: float,
    moves: list[Array],
    claims: Sequence[Claims],
) -> list[Reading] | None:
    """Read from x ± e and x + 2e: with the value at x they make a third difference T.

    D(t) is wrong by t²/6 of the third derivative, which is what T/6t amounts to; noise σ shows as
    0.71 σ/t in D(t) and as 0.75 σ/t in T/6t.
    """
    backend = line.backend
    ahead = line.at(step, moves, 1.0)
    behind = None if ahead is None else line.at(step, moves, -1.0)
    if ahead is None or behind is None:
        return None
    seen = _contracted(backend, functionals, _each(backend, operator.sub, ahead, behind))
    thirds = list(map(partial(backend.made, _third), line.base, ahead, behind))
    del ahead, behind  # on long vectors every copy that lives on counts
    beyond = line.at(step, moves, 2.0, is_last=True)
    if beyond is None:
        return None
    changes = _contracted(backend, functionals, _each(backend, operator.add, thirds, beyond))
    readings = []
    for functional, (linear, _), (moved, slope), (sum_apart, apart) in zip(
        functionals, claims, seen, changes, strict=True
    ):
        residual = (moved - linear) / (2 * step)
        spread = max(apart, abs(sum_apart)) / (6 * step)
        readings.append(_reading(functional, residual, spread, slope / (2 * step), step))
    return readings


def _third(here: Array, ahead: Array, behind: Array) -> Array:
    """Return 3 F(x) − 3 F(x + e) − F(x − e)."""
    third = here - ahead
    third *= 3.0
    third -= behind
    return third


def _each(backend: Backend, make: Callable[..., Array], *vectors: Sequence[Array]) -> list[Array]:
    """Return what is made of vectors, output by output, where they are long not yet made."""
    return list(map(partial(backend.unmade, make), *vectors))


def _contracted(
    backend: Backend, functionals: Sequence[Functional], vectors: Sequence[Array]
) -> list[tuple[float, float]]:
    """Return sum and norm of what outputs have become, weighted, by functional."""
    return backend.products([(vectors[one.output], one.weights) for one in functionals])


def _from_four(
    line: Line,
    functionals: Sequence[Functional],
    step: float,
    moves: list[Array],
    claims: Sequence[Claims],
) -> list[Reading] | None:
    """Read from x ± e and x ± 2e, extrapolated: the stencil of five points.

    With weighted differences a and b, D(t) − D(2t) = (2a − b)/4t. Its noise is nearly that of the
    extrapolated value (correlation 0.95), so that even a single output's spread covers its error.
    """
    backend = line.backend
    ahead = line.at(step, moves, 1.0)
    behind = None if ahead is None else line.at(step, moves, -1.0)
    if ahead is None or behind is None:
        return None
    differences = list(map(partial(backend.made, operator.sub), ahead, behind))
    del ahead, behind  # on long vectors every copy that lives on counts
    seen = _contracted(backend, functionals, differences)
    ahead = line.at(step, moves, 2.0)
    behind = None if ahead is None else line.at(step, moves, -2.0, is_last=True)
    if ahead is None or behind is None:
        return None
    changes = _contracted(backend, functionals, _each(backend, _change, ahead, behind, differences))
    readings = []
    for functional, (near, far), (moved, slope), (changed, apart) in zip(
        functionals, claims, seen, changes, strict=True
    ):
        one = (moved - near) / (2 * step)
        two = (changed + 2 * moved - far) / (4 * step)
        spread = max(apart / (4 * step), abs(one - two))
        value = (4 * one - two) / 3
        readings.append(_reading(functional, value, spread, slope / (2 * step), step))
    return readings


def _change(ahead: Array, behind: Array, difference: Array) -> Array:
    """Return b − 2a."""
    change = ahead - behind
    change -= difference
    change -= difference
    return change


def _reading(
    functional: Functional, residual: float, spread: float, slope: float, step: float
) -> Reading:
    error = max(SPREADS * spread, functional.floor(step, slope))
    if not slope:  # how finely the outputs are grained is unknown until something has moved
        error = math.inf
    return Reading(Estimate(residual, error), slope, step)
