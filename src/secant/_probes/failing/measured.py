"""Columns of a Jacobian as they are measured, by two evaluations each, whatever is claimed.

How far their slopes may be off is known from one line along all of them, the failed question's own,
at two steps. With S what a difference there changes by as the step h doubles, in half of it

    bar = 4 S/h · max(h/e, (e/h)²)      at a column's own step e: noise below h, truncation above.

Below double precision each column has its own two steps. Outputs that do not move add no noise, so
that one entry in a million is seen as sharply as one in ten.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

from ..._backends.base import Array
from ..._constants import FINE, KEPT, SPREADS
from ..._measure.noise import modelled
from ..asking.question import Question
from ..base import Examination

SHARP = 0.05  # of what is sought: a bar, or a curvature, in spite of which it can be followed
_REMEMBERED = 1 << 20  # numbers of columns that are kept
_TYPICAL = 0.1  # of what outputs usually change by with the step: none is below that but by luck


class Slopes(NamedTuple):
    """The slope of every output along one direction, how far each may be off, and what it bends."""

    values: Array
    bars: Array
    bends: Array  # what slopes to both sides differ by, at kinks
    curves: Array  # the same, of whatever makes it
    noise: Array  # what those are off by


class MeasuredColumns:
    """The slopes of a failed question's output along columns of its leaf, and what it knows of."""

    def __init__(self, examination: Examination, failed: Question) -> None:
        self.examination, self.failed = examination, failed
        self.known: dict[int, Slopes | None] = {}
        self.is_plain = examination.roundoff(failed.part, failed.output) <= FINE

    @cached_property
    def along(self) -> Slopes | None:
        """The slopes along the failed question's own direction; None where it leaves the domain."""
        steps = self.examination.steps(self.failed.part)
        return self._slopes(self.failed.direction, steps.first, steps.reach, has_far=True)

    def column(self, place: int) -> Slopes | None:
        """Return the slopes along one coordinate, None where a step leaves the domain."""
        if place not in self.known:
            unit = self.examination.unit(self.failed.part, place)
            steps = self.examination.steps_of(self.failed.part, place)
            found = self._slopes(unit, steps.first, steps.scale, has_far=not self.is_plain)
            if (len(self.known) + 1) * self.failed.weights.shape[0] > _REMEMBERED:
                self.known.clear()
            self.known[place] = found
        return self.known[place]

    def across(self, one: Question, sought: float) -> Slopes | None:
        """Return slopes along all columns, another way; None where they would not be sharp."""
        steps, along = self.examination.steps(one.part), self.along
        if along is None or not self.is_plain:
            return None
        bar = self.examination.backend.norm_of_product(along.bars, one.weights)
        if bar > SHARP * abs(sought):
            return None
        return self._slopes(one.direction, steps.first, steps.reach, has_far=False)

    def slopes(self, direction: Array, weights: Array, sought: float) -> Array | None:
        """Return slopes along a direction by two evaluations, where these are sharp enough.

        One will do at a step so short that outputs curve by little beside what is sought of them.
        """
        if not self.is_plain:
            return None
        examination, part = self.examination, self.failed.part
        line, step = examination.line(part, direction), examination.step(part)
        share = self._shortening(weights, sought) if line.is_short else 0.0
        if not share:
            rung = self._rung(direction, step)
            return None if rung is None else rung.values
        moves = line.kept_moves(step * share)
        width = self._width(direction, moves[0])
        values = line.at(step * share, moves, 1.0) if width else None
        if values is None:
            return None
        return (values[self.failed.output] - line.base[self.failed.output]) / width

    def _shortening(self, weights: Array, sought: float) -> float:
        """Return how much shorter a step must be for one side to do, 0 where noise forbids it."""
        sharp, along = SHARP * abs(sought), self.along
        if along is None or not sharp:
            return 0.0
        curve, noise = (
            self.examination.backend.norm_of_product(one, weights)
            for one in (along.curves, along.noise)
        )
        if not noise * max(curve, sharp) <= sharp**2:  # or one of them is not finite
            return 0.0
        return 2.0 ** -math.ceil(math.log2(max(curve / sharp, 1.0)))

    def _slopes(
        self, direction: Array, step: float, size: float, *, has_far: bool
    ) -> Slopes | None:
        backend, functional = self.examination.backend, self.failed.functional
        near = self._rung(direction, step)
        far = self._rung(direction, 2 * step) if has_far else None
        if near is None or (has_far and far is None):
            return None
        values = near.values
        if far is not None:
            spread = backend.absolute(values - far.values)
        elif self.along is None:
            return None
        else:
            first = self.examination.step(self.failed.part)
            spread = self._spread * max(first / step, (step / first) ** 2)
        noise = modelled(functional.roundoff, 1.0, step)
        rounding = (backend.absolute(functional.values) + backend.absolute(values) * size) * noise
        bars = backend.larger(SPREADS * spread, rounding)
        if far is None:
            return Slopes(values, bars, near.bends * self._is_kinked, near.bends, bars)
        if not self.is_plain:
            values = (4 * values - far.values) / 3
        # slopes to both sides differ by twice as much at twice the step where a function is curved
        far_bends = KEPT**0.5 * backend.absolute(far.bends)
        is_kink = (far_bends < backend.absolute(near.bends)) * 1.0
        uneven = 2 * near.bends - far.bends
        return Slopes(values, bars, near.bends * is_kink, near.bends, SPREADS * uneven)

    @cached_property
    def _is_kinked(self) -> Array:
        """Flags of outputs that bend along all columns at once as they do at a kink."""
        assert self.along is not None
        return (self.along.bends != 0) * 1.0

    @cached_property
    def _spread(self) -> Array:
        """What slopes change by as the step doubles; no output has none but by luck."""
        assert self.along is not None
        backend, has_moved = self.examination.backend, (self.along.values != 0) * 1.0
        bars = self.along.bars * has_moved / SPREADS
        typical = backend.norm(bars) / math.sqrt(max(backend.total(has_moved), 1.0))
        return backend.larger(bars, bars * 0 + _TYPICAL * typical)

    def _rung(self, direction: Array, step: float) -> Slopes | None:
        """Return the slopes of the failed output at one step, without bars."""
        line = self.examination.line(self.failed.part, direction)
        if line.is_short or line.knows(step):  # it was walked to judge the question
            rung = line.rung(step)
        else:
            rung = line.between(step, line.pairs(line.kept_moves(step)), has_bends=True)
        if rung is None or rung.bends is None:
            return None
        output, width = self.failed.output, self._width(direction, rung.displacements[0])
        if not width:
            return None
        values, bends = rung.differences[output] / width, rung.bends[output] * (2 / width)
        return Slopes(values, values, bends, bends, values)

    def _width(self, direction: Array, moved: Array) -> float:
        """Return how far a displacement goes, in units of its direction; 0 for nowhere."""
        far = self.examination.backend.dot(moved, direction)
        return far and far / self.examination.norm(direction) ** 2
