"""Kinks and jumps: one-sided slopes decide before a claim is called wrong.

At a kink the slopes to the right and to the left differ by a gap that does not shrink with the
step, where curvature makes it shrink in proportion. Any claim between the two is a valid
subgradient. Entry by entry of the output, with R and L the one-sided slopes,

    |v'(R + L)/2 − claim| ≤ ½ Σⱼ |vⱼ (Rⱼ − Lⱼ)|,

is what valid choices can add up to. A gap that grows as 1/t is a jump.
"""

from __future__ import annotations

import enum
import itertools
import math
from dataclasses import dataclass, replace

from .._backends.base import Array
from .._constants import CLEARLY, KEPT, RATIO, VISIBLE
from .._measure.clear_sides import clear_sides
from .._measure.difference import Functional, Reading
from .._measure.line import Line
from .._measure.rungs import stand_at
from .._measure.steps import Range

_LANDINGS = 4  # steps, each a quarter of the one before, at which outputs may stand still


class Shape(enum.Enum):
    """What the function looks like at the point, along one line."""

    SMOOTH = "smooth"
    KINK = "kink"
    JUMP = "jump"
    STAIRS = "staircase"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Corner:
    """The shape along a line and how far a valid claim may lie from the mean slope.

    Where it is smooth, how far that is at most, if what looks like curvature is a kink's in part.
    """

    shape: Shape
    freedom: float
    smooth: Array | None = None  # 1 for outputs whose two slopes agree, 0 for the others
    step: float = 0.0  # where it was looked at
    slope: float = 0.0  # of the outputs, weighted: their noise is relative to it
    bends: bool = False  # by more than it moves
    gap: float = 0.0  # between the two slopes, of all outputs: what has to stand out from noise

    @property
    def is_kink(self) -> bool:
        """Say whether slopes to both sides differ."""
        return self.shape is Shape.KINK

    @property
    def is_smooth(self) -> bool:
        """Say whether there is neither a kink nor a jump."""
        return self.shape is Shape.SMOOTH

    def steps(self, steps: Range) -> Range:
        """Return the steps around the place where it was looked at."""
        return replace(steps, first=RATIO * self.step, longest=RATIO**3 * self.step)

    def excuses(self, reading: Reading) -> bool:
        """Say whether the residual is one that a valid subgradient may have."""
        return self.is_kink and self.has_room_for(reading)

    def has_room_for(self, reading: Reading) -> bool:
        """Say whether one-sided slopes are as far apart as a residual is large."""
        room = self.freedom * (1 + 1e-6) + 3 * reading.residual.error
        return abs(reading.residual.value) <= room


def corner_at(line: Line, functional: Functional, step: float) -> Corner:
    """Look at both sides at two steps and say what shape the function has there."""
    backend = line.backend
    near, far = stand_at(line, functional, step), stand_at(line, functional, step * RATIO)
    if near is None or far is None or near.bends is None or far.bends is None:
        return Corner(Shape.UNKNOWN, 0.0, step=step)
    gap, gap_far = (2 * backend.whole(one.bends) for one in (near, far))
    sides = clear_sides(backend, functional, near, far)
    if sides is not None:  # what bends at one side alone does so beside the point
        is_whole = 1 - backend.absolute(sides)
        gap, gap_far = gap * is_whole, gap_far * is_whole
    size, size_far = backend.norm(gap), backend.norm(gap_far)
    slope, slope_far = backend.norm(near.slopes), backend.norm(far.slopes)
    if not math.isfinite(size + size_far + slope + slope_far):
        return Corner(Shape.UNKNOWN, 0.0, step=step)
    noise = CLEARLY * functional.floor(step, min(slope, slope_far))
    if max(size, slope) > noise and (
        KEPT * size > max(size_far, slope_far) or KEPT * slope > max(size_far, slope_far)
    ):
        return Corner(Shape.JUMP, 0.0, step=step)
    height = backend.absolute(gap)
    if not size > noise or not size > KEPT * size_far:
        bends = size > 2 * slope
        return Corner(Shape.SMOOTH, backend.total(height) / 2, None, step, slope, bends, size)
    smooth = (height <= VISIBLE * backend.largest(height)) * 1.0
    return Corner(Shape.KINK, backend.total(height) / 2, smooth, step, slope, gap=size)


def nearest_corner(line: Line, functional: Functional, shortest: float, corner: Corner) -> Corner:
    """Look at a kink again, as near to the point as round-off surely lets its gap be seen.

    One that is not there any more is a bend further away. Where nothing moves so near, outputs are
    the difference of larger numbers, and only steps that move them by several roundings tell.
    """
    step = corner.step
    while (nearer := step / RATIO) >= shortest:
        if CLEARLY * functional.floor(nearer, corner.slope) > KEPT * corner.gap:
            break
        step = nearer
    is_silent = False
    while step < corner.step:
        nearest = corner_at(line, functional, step)
        if nearest.slope or not nearest.is_smooth:
            if is_silent and step * RATIO**2 < corner.step:
                return corner_at(line, functional, step * RATIO**2)
            return nearest
        step, is_silent = step * RATIO**2, True
    return corner


def is_staircase(
    line: Line, functional: Functional, step: float, shortest: float, *, claims_stillness: bool
) -> bool:
    """Say whether most outputs stand still at a step along which the longer ones promise a move.

    Round-off may swallow a move of a few of its own; beyond that, what moves further away and not
    nearby does so in jumps. Where the claim is that nothing moves, the shortest step is asked at
    which most would: what stands still at a longer one does so there. Where it is another, a
    rounding inside is no staircase, and only a few steps are near.
    """
    backend, output = line.backend, functional.output
    trend = line.rung(RATIO * step)
    if trend is None:
        return False
    slopes = backend.absolute(trend.differences[output]) / trend.width
    swallowed = CLEARLY * functional.roundoff * functional.largest()

    def due_at(nearer: float) -> tuple[Array, float]:
        is_due = (slopes * (2 * nearer) > swallowed) * 1.0
        return is_due, backend.total(is_due)

    most = due_at(step)[1]
    nearer = [step / RATIO**power for power in range(_LANDINGS)]
    if claims_stillness:
        every = itertools.takewhile(
            lambda one: one >= shortest and 2 * due_at(one)[1] >= most > 0,
            (step / RATIO**power for power in itertools.count()),
        )
        nearer = list(every)[-1:]
    for one in nearer:
        is_due, due = due_at(one)
        rung = line.rung(one) if one >= shortest and due else None
        if rung is None:
            return False
        if backend.total((rung.differences[output] == 0) * is_due) > due / 2:
            return True
    return False


def jumps_at_point(line: Line, functional: Functional, shortest: float) -> bool:
    """Say whether the function's value at the point is another one than beside it, on both sides.

    What bends both ways alike shrinks with the step at a kink, and does not at such a jump.
    """
    bends = []
    for step in (shortest, RATIO * shortest):
        rung = line.rung(step)
        if rung is None or rung.bends is None:
            return False
        bends.append(
            line.backend.norm_of_product(rung.bends[functional.output], functional.weights)
        )
    noise = CLEARLY * functional.floor(1.0, 0.0)
    return bends[0] > noise and bends[0] > KEPT * bends[1]
