"""Rungs of a ladder as one functional sees them: contracted, and extrapolated two by two."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from .._backends.arithmetic.pieces import in_double
from .._backends.base import Array, Backend
from .._constants import COARSE, SEVERAL
from .difference import Functional
from .line import Line, Rung
from .noise import modelled


@dataclass(frozen=True, slots=True)
class ContractedRung:
    """One rung, contracted; long vectors are not made before they are used."""

    step: float
    residual: float
    total: float  # the slope of ⟨weights, output⟩
    slopes: Array
    height: float  # the largest change of an output that is asked about
    bends: Array | None  # half the gaps between the slopes to both sides, in the same units

    @property
    def is_silent(self) -> bool:
        """Say whether no output moved at all."""
        return self.height == 0


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbouring rungs, extrapolated."""

    step: float
    value: float
    spread: float
    slope: float
    floor: float  # the modelled round-off
    slopes: Array | None = None  # extrapolated, of coarse dtypes with several outputs

    @property
    def noise(self) -> float:
        """The noise of one value of the function that would explain the spread."""
        return self.spread * self.step


def height_of(backend: Backend, output: int, rung: Rung, weights: Array | None = None) -> float:
    """Return the largest change of an output, between the sides or to both alike.

    Entries of weight 0 are not asked about: what they do is nothing to those that are.
    """
    changes = [rung.differences[output]]
    if rung.bends is not None:
        changes.append(rung.bends[output])
    if weights is not None:
        changes = [backend.unmade(_asked_about, change, weights) for change in changes]
    return max(map(backend.largest, changes))


def _asked_about(change: Array, weights: Array) -> Array:
    return change * (weights != 0)


def stand_of(backend: Backend, functional: Functional, rung: Rung) -> ContractedRung:
    """Return a rung, contracted."""
    differences = rung.differences[functional.output]
    total = backend.dot(functional.weights, differences)
    residual = (total - functional.claimed(backend, rung.displacements)) / rung.width
    weighted = functools.partial(_weighted, rung.width)
    slopes = backend.unmade(weighted, differences, functional.weights)
    height = height_of(backend, functional.output, rung, functional.weights)
    bends = None
    if rung.bends is not None:
        bends = backend.unmade(weighted, rung.bends[functional.output], functional.weights)
    return ContractedRung(rung.step, residual, total / rung.width, slopes, height, bends)


def _free_of_truncation(square: float, near: Array, far: Array) -> Array:
    return (square * near - far) / (square - 1)


def _weighted(width: float, change: Array, weights: Array) -> Array:
    slopes = change * in_double(weights)
    slopes /= width
    return slopes


def stand_at(line: Line, functional: Functional, step: float) -> ContractedRung | None:
    """Return one rung, contracted; None outside the domain."""
    rung = line.rung(step)
    stand = None if rung is None else stand_of(line.backend, functional, rung)
    return stand if stand is not None and math.isfinite(stand.residual) else None


def extrapolated(
    backend: Backend, functional: Functional, near: ContractedRung, far: ContractedRung
) -> Pair:
    """Return two rungs as a value free of their first truncation, with their spread."""
    square = (far.step / near.step) ** 2
    value = (square * near.residual - far.residual) / (square - 1)
    apart = backend.distance(near.slopes, 1.0, far.slopes)
    spread = max(apart, abs(near.residual - far.residual))
    slope = max(backend.norm(near.slopes), abs(near.total))  # whether terms cancel or add up
    if not _is_coarse(functional):
        floor = functional.floor(near.step, slope)
        return Pair(near.step, value, spread, slope, floor)
    # what the rounding of the inputs does is measured; what that of the outputs does is certain
    floor = modelled(functional.roundoff, functional.base, near.step, slope)
    free = functools.partial(_free_of_truncation, square)
    slopes = backend.unmade(free, near.slopes, far.slopes)
    return Pair(near.step, value, spread, slope, floor, slopes)


def _is_coarse(functional: Functional) -> bool:
    """Say whether few rungs exist, and enough outputs to tell noise from truncation on each."""
    return functional.roundoff > COARSE and functional.weights.shape[0] >= SEVERAL


def finer_spread(backend: Backend, pairs: Sequence[Pair], place: int) -> float:
    """Return the spread of a rung with several outputs in a coarse dtype.

    Coarse dtypes leave only long steps, at which truncation, not noise, is what ρ(t) − ρ(qt) shows.
    The extrapolated values have lost its first term; what they differ by is noise, and far more
    than what is left of truncation. Several outputs make that no matter of luck.
    """
    pair = pairs[place]
    if place + 1 == len(pairs):
        return pair.spread
    beyond = pairs[place + 1]
    apart = backend.distance(pair.slopes, 1.0, beyond.slopes)
    return min(pair.spread, max(apart, abs(pair.value - beyond.value)))
