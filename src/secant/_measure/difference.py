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

from .._backends.base import Array, Backend
from .._constants import FINE, SEVERAL, SPREADS
from .estimate import Estimate
from .line import Line, Rung
from .noise import modelled, size_of


@dataclass(frozen=True, slots=True)
class Functional:
    """What is asked of a line: ⟨weights, output⟩ minus a linear function of the displacements."""

    output: int
    weights: Array
    linear: Callable[[Sequence[Array]], float]
    base: float  # ‖v∘F‖ at the point, and what the function does not repeat of itself
    reach: float  # the size of the inputs, in steps; 0 where all are 0
    roundoff: float
    largest: Callable[[], float]  # max|F| at the point
    values: Array  # F at the point

    def ambient(self, backend: Backend) -> float:
        """Return ‖v‖ max|F|: what the noise is relative to where entries are mixed inside."""
        return backend.norm(self.weights) * self.largest()

    def floor(self, step: float, slope: float) -> float:
        """Return the least that a slope's bar can be: the modelled round-off at this step."""
        return modelled(self.roundoff, size_of(self.base, slope, self.reach), step, slope)


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
    """Read all functionals from three evaluations, or four; None where a step leaves the domain.

    Three will do where the step is short, so that truncation is no concern, and where every output
    has so many entries that the spread is not a matter of luck.
    """
    read = _from_three
    for one in functionals:
        if one.roundoff > FINE or one.weights.shape[0] < SEVERAL:
            read = _from_four
    readings = read(line, functionals, step)
    for reading in readings or ():
        if not math.isfinite(reading.residual.value):
            return None
    return readings


def _from_three(line: Line, functionals: Sequence[Functional], step: float) -> list[Reading] | None:
    """Read from x ± e and x + 2e: with the value at x they make a third difference T.

    D(t) is wrong by t²/6 of the third derivative, which is what T/6t amounts to; noise σ shows as
    0.71 σ/t in D(t) and as 0.75 σ/t in T/6t.
    """
    moves = line.moves(step)
    # x ± e may round once more where it crosses a power of two: ε|x|, which the floor covers
    claimed = [2 * one.linear(moves) for one in functionals]
    opening = line.opening(step, moves)
    if opening is None:
        return None
    backend, readings = line.backend, []
    for functional, linear in zip(functionals, claimed, strict=True):
        output, weights = functional.output, functional.weights
        difference, third = opening.differences[output], opening.thirds[output]
        residual = (backend.dot(difference, weights) - linear) / (2 * step)
        slope = backend.norm_of_product(difference, weights) / (2 * step)
        apart = backend.norm_of_product(third, weights), abs(backend.dot(third, weights))
        spread = max(apart) / (6 * step)
        readings.append(_reading(functional, residual, spread, slope, step))
    return readings


def _from_four(line: Line, functionals: Sequence[Functional], step: float) -> list[Reading] | None:
    """Read from x ± e and x ± 2e, extrapolated: the stencil of five points.

    With weighted differences a and b, D(t) − D(2t) = (2a − b)/4t. Its noise is nearly that of the
    extrapolated value (correlation 0.95), so that even a single output's spread covers its error.
    """
    backend = line.backend
    moves = line.moves(step)
    near = line.between(step, line.pairs(moves))
    if near is None:
        return None
    ones = [_residual(backend, one, near) for one in functionals]
    near.displacements.clear()  # on long vectors every copy that lives on counts
    far = line.between(2 * step, line.pairs([2 * move for move in moves]))
    if far is None:
        return None
    twos = [_residual(backend, one, far) for one in functionals]
    far.displacements.clear()
    changes = far.differences  # become b − 2a, in place
    for change, difference in zip(changes, near.differences, strict=True):
        change -= difference
        change -= difference
    readings = []
    for functional, one, two in zip(functionals, ones, twos, strict=True):
        output, weights = functional.output, functional.weights
        apart = backend.norm_of_product(changes[output], weights) / (4 * step)
        slope = backend.norm_of_product(near.differences[output], weights) / (2 * step)
        spread = max(apart, abs(one - two))
        readings.append(_reading(functional, (4 * one - two) / 3, spread, slope, step))
    return readings


def _residual(backend: Backend, functional: Functional, rung: Rung) -> float:
    """Return the residual slope of a functional on one rung."""
    moved = backend.dot(rung.differences[functional.output], functional.weights)
    return (moved - functional.linear(rung.displacements)) / rung.width


def _reading(
    functional: Functional, residual: float, spread: float, slope: float, step: float
) -> Reading:
    error = max(SPREADS * spread, functional.floor(step, slope))
    if not slope:  # how finely the outputs are grained is unknown until something has moved
        error = math.inf
    return Reading(Estimate(residual, error), slope, step)
