"""Columns of so many outputs that they are read where they are: contracted, never copied whole.

What `columns.py` finds of a column that is measured whole in main memory is found here of the same
four evaluations by sums alone: whether it is wrong, and by halving which output of it is.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

from ..._backends.base import Array
from ..._constants import KAPPA, SPREADS
from ..._findings import Entry
from ..._measure.estimate import Estimate
from ..question import Asker, Question

LONG = 1 << 18  # outputs


class Seen(NamedTuple):
    """One column: slopes near and far of every output, and the claim contracted with v."""

    one: Question
    near: Array
    far: Array
    step: float

    @property
    def measured(self) -> Array:
        """The extrapolated slope of every output."""
        return (4 * self.near - self.far) / 3


def look_at(asker: Asker, failed: Question, place: int) -> Seen | None:
    """Measure one column by four evaluations, None where they leave the domain."""
    examination = asker.examination
    one = asker.ask_along(failed, asker.unit(failed.part, place))
    line = examination.line(one.part, one.direction)
    step = examination.steps_of(one.part, place).first
    slopes = []
    for times in (1, 2):
        rung = line.between(times * step, line.pairs(line.moves(times * step)))
        width = (
            0.0 if rung is None else examination.backend.dot(rung.displacements[0], one.direction)
        )
        if rung is None or not width:
            return None
        slopes.append(rung.differences[one.output] / width)
    return Seen(one, slopes[0], slopes[1], step)


def first_sight(asker: Asker, failed: Question, place: int) -> tuple[float, float, float]:
    """Return |residual|, what it may be, and the size of the slopes of one column.

    Outputs that do not move add no noise.
    """
    backend, examination = asker.examination.backend, asker.examination
    seen = look_at(asker, failed, place)
    if seen is None:
        return math.inf, math.inf, 0.0
    one = seen.one
    weights = one.weights * ((seen.near != 0) * 1.0)
    slope = backend.norm_of_product(seen.near, weights)
    moving = replace(one.functional, base=backend.norm_of_product(one.functional.values, weights))
    spread = backend.norm_of_product(seen.near - seen.far, weights)
    bar = max(SPREADS * spread, moving.floor(seen.step, slope))
    size = max(slope, abs(one.claimed))
    tolerance = examination.tolerance(one.part, one.output)
    residual = abs(one.claimed - backend.dot(seen.measured, one.weights))
    return residual, KAPPA * bar + tolerance.rtol * size + tolerance.atol, size


def worst_of_long_column(asker: Asker, failed: Question, place: int) -> Entry | None:
    """Find the wrong output of a wrong column by halving the cotangent, O(log m) pulls."""
    problem, backend = asker.examination.problem, asker.examination.backend
    seen = look_at(asker, failed, place)
    if seen is None:
        return None
    part, output, measured = failed.part, failed.output, seen.measured
    unit, weights = seen.one.direction, failed.weights

    def claimed(low: int, high: int, vector: Array) -> float:
        half = vector * 0
        half[low:high] = vector[low:high]
        return asker.ask(part, output, half, unit).claimed

    low, high = 0, int(weights.shape[0])
    residual = seen.one.claimed - backend.dot(weights, measured)
    while high - low > 1:
        middle = (low + high) // 2
        own = backend.dot(weights[low:middle], measured[low:middle])
        left = claimed(low, middle, weights) - own
        if abs(left) >= abs(residual - left):
            high, residual = middle, left
        else:
            low, residual = middle, residual - left
    near, far, value = (
        float(backend.to_numpy(backend.select(vector, [low]))[0])
        for vector in (seen.near, seen.far, seen.one.functional.values)
    )
    noise = 2 * seen.one.functional.roundoff * abs(value) / seen.step
    return Entry(
        problem.codomain.label(output, low),
        problem.domain.label(part, place),
        claimed(low, low + 1, weights * 0 + 1),
        Estimate((4 * near - far) / 3, max(SPREADS * abs(near - far), noise)),
        low,
        place,
    )
