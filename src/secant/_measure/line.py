"""A line through the point: the function along x + t u, sampled in pairs.

With e(t) the displacement that really exists in the dtype, a rung holds the raw difference of the
outputs and the raw displacement of the input. Both are later contracted in float64 by the same
weights, so that rounding of the input costs nothing to first order:

    two-sided    F(x + e) − F(x − e)                    over 2t, wrong by O(t²)
    one-sided    ±(4 F(x ± e) − F(x ± 2e) − 3 F(x))     over 2t, wrong by O(t²)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from .._backends.arithmetic.pieces import VectorInChunks
from .._backends.base import Array, Backend
from .._errors import FunctionRaised
from .._records import quickly_made
from .._spaces.base import DeferredVector, PointPair, Space

_SHORT = 1 << 16  # numbers of all outputs, up to which lines may be many
_REMEMBERED = 1 << 27  # numbers of the rungs that a line keeps, those asked for latest

Evaluate = Callable[[Sequence[Array]], list[Array]]

_ROUNDOFF, _DIRECTION = map(operator.attrgetter, ("space.roundoff", "direction"))


@quickly_made
@dataclass(frozen=True, slots=True)
class MovingLeaf:
    """A leaf that moves along the line: by t·pace·direction, in coordinates."""

    space: Space
    point: Array
    direction: Array
    pace: float = 1.0


class Rung(NamedTuple):
    """One difference along the line; divide by `width` for slopes."""

    step: float
    width: float  # 2t
    differences: list[Array]  # per output, coordinates
    displacements: list[Array]  # per mover, coordinates
    bends: list[Array] | None = None  # F(x + e) + F(x − e) − 2 F(x)


class Sides(NamedTuple):
    """The slopes to the right and to the left of the point, per output."""

    right: list[Array]
    left: list[Array]


def _numbers_of(rung: Rung | None) -> int:
    """Return how many numbers a rung holds; what is not made is no memory."""
    if rung is None:
        return 0
    held = (*rung.differences, *(rung.bends or ()), *rung.displacements)
    return sum(one.shape[0] for one in held if not isinstance(one, VectorInChunks))


def _bend(ahead: Array, behind: Array, here: Array) -> Array:
    bend = ahead + behind
    bend -= here
    bend -= here
    return bend


def _taken(points: list[Array | DeferredVector]) -> list[Array]:
    """Return points, those made that are not, and leave none behind."""
    taken = [one() if isinstance(one, DeferredVector) else one for one in points]
    points.clear()
    return taken


class Line:
    """The function along one direction of one leaf, or of several at once; it judges nothing."""

    def __init__(
        self, evaluate: Evaluate, movers: Sequence[MovingLeaf], base: Sequence[Array]
    ) -> None:
        self._evaluate = evaluate
        self._movers = movers
        self.base = base  # the outputs at the point itself
        self.raised: FunctionRaised | None = None
        self.raised_at = 0.0
        self.backend: Backend = movers[0].space.backend  # the framework whose arrays these are
        self.roundoff = max(map(_ROUNDOFF, movers))  # the coarsest of the leaves that move
        outputs = sum(map(len, base))
        self.length = sum(map(len, map(_DIRECTION, movers)))  # of all that moves
        self.is_short = outputs <= _SHORT
        self._known: dict[float, Rung | None] = {}

    def rung(self, step: float) -> Rung | None:
        """Return the two-sided rung at t, or None where the function raises.

        A NaN or inf in an output stays in the differences, for the reader to notice.
        """
        if step in self._known:
            rung = self._known.pop(step)
        else:
            rung = self.between(step, self.pairs(self.moves(step)), has_bends=True)
            while self._known and len(self._known) * _numbers_of(rung) >= _REMEMBERED:
                del self._known[next(iter(self._known))]
        self._known[step] = rung
        return rung

    def knows(self, step: float) -> bool:
        """Say whether the rung at t was taken lately, and the function did not raise."""
        return self._known.get(step) is not None

    def only_at(self, step: float) -> Line:
        """Return the same line, which knows the rung at t alone."""
        told = Line(self._evaluate, self._movers, self.base)
        told._known[step] = self._known[step]
        return told

    def between(
        self, step: float, pairs: Sequence[PointPair], *, has_bends: bool = False
    ) -> Rung | None:
        """Return the difference between two points, or None where the function raises."""
        displacements = []
        for one, _, moved in pairs:
            # what a function may write into is read before it is called
            displacements.append(
                moved if isinstance(one, DeferredVector) else self.backend.whole(moved)
            )
        sides = self.sides_of(step, [(one, other) for one, other, _ in pairs])
        if sides is None:
            return None
        bends = self._bends(*sides) if has_bends else None
        both = zip(*sides, strict=True)
        differences = [self.backend.made(operator.sub, *each) for each in both]
        return Rung(step, 2 * step, differences, displacements, bends)

    def sides_of(
        self, step: float, points: list[tuple[Array | DeferredVector, Array | DeferredVector]]
    ) -> tuple[list[Array], list[Array]] | None:
        """Return the outputs at points to both sides, None where the function raises.

        The points are used up: on long vectors every copy that lives on counts.
        """
        ahead, behind = map(list, zip(*points, strict=True))
        points.clear()
        plus = self._values(_taken(ahead), step)
        minus = None if plus is None else self._values(_taken(behind), step)
        return None if plus is None or minus is None else (plus, minus)

    def _bends(self, plus: Sequence[Array], minus: Sequence[Array]) -> list[Array]:
        points = zip(plus, minus, self.base, strict=True)
        return [self.backend.made(_bend, *each) for each in points]

    def one_sided(self, step: float, sign: float) -> Rung | None:
        """Return the rung that looks to one side only, or None where the function raises."""
        ahead, moved = self._ahead(sign * step)
        far, moved_far = self._ahead(2 * sign * step)
        one = self._values(ahead, step)
        two = None if one is None else self._values(far, 2 * step)
        if one is None or two is None:
            return None
        differences = [
            (4 * (a - o) - (b - o)) * sign for a, b, o in zip(one, two, self.base, strict=True)
        ]
        displacements = [(4 * e - f) * sign for e, f in zip(moved, moved_far, strict=True)]
        return Rung(step, 2 * step, differences, displacements)

    @property
    def samples(self) -> tuple[Callable[[float], Rung | None], ...]:
        """The ways to take a rung: to both sides, or to one where the function ends."""
        return (
            self.rung,
            lambda step: self.one_sided(step, 1.0),
            lambda step: self.one_sided(step, -1.0),
        )

    def is_defined(self, output: int, step: float) -> bool:
        """Say whether an output is finite so far to both sides."""
        rung = self.rung(step)
        return rung is not None and self.backend.is_finite(rung.differences[output])

    def sides(self, step: float) -> Sides | None:
        """Return first-order slopes to the right and to the left, or None at a border.

        With the difference d and the bend b of a rung, F(x ± e) − F(x) = (b ± d)/2.
        """
        rung = self.rung(step)
        if rung is None or rung.bends is None:
            return None
        both = list(zip(rung.differences, rung.bends, strict=True))
        right = [(d + b) / rung.width for d, b in both]
        return Sides(right, [(d - b) / rung.width for d, b in both])

    def moves(self, step: float) -> list[Array]:
        """Return what the dtypes make of a move by t, for every mover; made when it is used."""
        moves = []
        for one in self._movers:  # no comprehension, which is a call each time
            moves.append(one.space.move(one.point, one.direction, step * one.pace))
        return moves

    def kept_moves(self, step: float) -> list[Array]:
        """Return the same where each is used several times: those that a dtype rounds are made."""
        moves = self.moves(step)
        for place, one in enumerate(self._movers):
            if not one.space.is_exact:
                moves[place] = self.backend.whole(moves[place])
        return moves

    def _ahead(self, step: float) -> tuple[list[Array], list[Array]]:
        """Return the points to one side and how far they really are."""
        moves = [self.backend.whole(move) for move in self.moves(step)]
        return self._points(moves, 1.0), moves

    def forget_directions(self) -> None:
        """Keep no directions: what was made of them is all that is asked for from now on."""
        self._movers = [replace(one, direction=one.direction[:0] * 1.0) for one in self._movers]

    def at(
        self, step: float, moves: list[Array], times: float, *, is_last: bool = False
    ) -> list[Array] | None:
        """Return the outputs so many moves away, None where the function raises.

        The last time the moves are used up: on long vectors every copy that lives on counts.
        """
        points = self._points(moves, times)
        if is_last:
            moves.clear()
        try:
            return self._evaluate(points)
        except FunctionRaised as error:  # outside its domain, so far
            self.raised, self.raised_at = error, abs(times) * step
            return None

    def _points(self, moves: Sequence[Array], times: float) -> list[Array]:
        points = []
        for one, move in zip(self._movers, moves, strict=True):
            points.append(one.space.beside(one.point, move, times))
        return points

    def pairs(self, moves: Sequence[Array], times: float = 1.0) -> list[PointPair]:
        """Return the points at ± so many moves, for every mover."""
        return [
            mover.space.pair(mover.point, move, times)
            for mover, move in zip(self._movers, moves, strict=True)
        ]

    def _values(self, points: Sequence[Array], step: float) -> list[Array] | None:
        """Return the outputs, or None where the function raised: outside its domain, so far."""
        try:
            return self._evaluate(points)
        except FunctionRaised as error:
            self.raised, self.raised_at = error, step
            return None
