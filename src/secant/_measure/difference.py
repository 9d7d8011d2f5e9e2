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
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .._backends.base import Array
from .._spaces.base import Pair
from .estimate import Estimate
from .line import Line
from .noise import modelled

SPREADS = 4.0


@dataclass(frozen=True, slots=True)
class Functional:
    """What is asked of a line: ⟨weights, output⟩ minus a linear function of the displacements."""

    output: int
    weights: Array
    linear: Callable[[Sequence[Array]], float]
    size: float  # √(‖v∘F‖² + ‖g∘x‖²), what the noise is relative to
    base: float  # ‖v∘F‖ at the point
    ambient: float  # ‖v‖ max|F|: what the noise is relative to where entries are mixed inside
    roundoff: float


@dataclass(frozen=True, slots=True)
class Reading:
    """A residual with its bar, and how large the measured terms were."""

    residual: Estimate
    slope: float  # ‖weights ∘ measured slopes‖
    step: float

    def over(self, pace: float) -> Reading:
        """Return the reading in units of one leaf that moved at this pace."""
        residual = Estimate(self.residual.value / pace, self.residual.error / pace)
        return Reading(residual, self.slope / pace, self.step * pace)


def quick(line: Line, functionals: Sequence[Functional], step: float) -> list[Reading] | None:
    """Read all functionals from four evaluations; None where a step leaves the domain.

    The rungs are at t and 2t, the second exactly twice as wide where the dtype allows. Each is
    contracted before the next is sampled, so that no more than one lies in memory.
    """
    moves = line.moves(step)
    near = _sample(line, functionals, step, line.pairs(moves))
    if near is None:
        return None
    far = _sample(line, functionals, 2 * step, line.wider_pairs(moves, 2.0))
    if far is None:
        return None
    readings = [_opening(line, *three, step) for three in zip(functionals, near, far, strict=True)]
    if all(math.isfinite(reading.residual.error) for reading in readings):
        return readings
    return None


@dataclass(frozen=True, slots=True)
class _Contracted:
    """One rung seen by one functional: the residual slope and the weighted differences."""

    residual: float
    terms: Array


def _sample(
    line: Line, functionals: Sequence[Functional], step: float, pairs: list[Pair]
) -> list[_Contracted] | None:
    """Sample one rung; displacements are contracted, and gone, before the function is called."""
    displacements = [pair.displacement for pair in pairs]
    claimed = [functional.linear(displacements) for functional in functionals]
    del displacements
    pairs[:] = [pair._replace(displacement=None) for pair in pairs]
    rung = line.between(step, pairs)
    if rung is None:
        return None
    contracted = []
    for functional, linear in zip(functionals, claimed, strict=True):
        terms = rung.differences[functional.output] * functional.weights
        residual = (line.backend.total(terms) - linear) / rung.width
        contracted.append(_Contracted(residual, terms))
    return contracted


def _opening(
    line: Line, functional: Functional, near: _Contracted, far: _Contracted, step: float
) -> Reading:
    """Extrapolate from t and 2t; with weighted differences a and b, D(t) − D(2t) = (2a − b)/4t."""
    backend = line.backend
    slope = backend.norm(near.terms) / (2 * step)
    spread = backend.distance(near.terms, 2.0, far.terms) / (4 * step)
    spread = max(spread, abs(near.residual - far.residual))
    value = (4 * near.residual - far.residual) / 3
    floor = modelled(functional.roundoff, functional.size, step, slope)
    return Reading(Estimate(value, max(SPREADS * spread, floor)), slope, step)
