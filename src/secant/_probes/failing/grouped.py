"""A small Jacobian measured in few evaluations, after a failure: columns move in groups.

Columns of which no two are claimed to move the same output move at once, two evaluations a group:
a function of single entries takes two in all. How much of a difference is truncation, and whether
something moves that is not claimed to, is seen along one more line, all columns together:

    F(x + e) − F(x − e) = 2 J e + O(e³)      with the J that was put together.

A J that this contradicts is not believed. Columns in which something is not clear, or bends as at a
kink, are measured by themselves at four points, as the full probe does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._constants import CLEARLY, LEAST_BAR, SPREADS, VISIBLE
from ..._errors import FunctionRaised
from ..._findings import Evidence
from ..._measure.noise import modelled
from ..base import Examination
from ..full import first_sight
from ..jacobian import Batching, Columns, Matrix, Stencil, expected, measured_columns, pooled
from ..question import Asker
from ..suspects import FullPair, Suspect, blame

_MOST_GROUPS = 12  # two evaluations each
_MOST_DOUBTS = 4  # columns that are measured again
_CURVED = 3.0  # times that what bends grows with twice the step: four by curvature, two at a kink
_CLEAR = 10.0  # times what is allowed: wrong without a closer look


class _Sight(NamedTuple):
    """All columns at first sight."""

    columns: Columns
    bends: Matrix  # flags, (columns, outputs): slopes to both sides differ as at a kink
    is_explained: bool  # the columns add up to what a line along all of them shows


def compare_in_groups(
    asker: Asker, place: tuple[int, int], claimed: Matrix, failed: Evidence
) -> FullPair | None:
    """Compare a Jacobian in which something is wrong; None where few evaluations do not tell.

    `place` is its part and its output.
    """
    part, output = place
    examination = asker.examination
    groups = _groups(claimed)
    if groups is None or examination.steps(part).own is not None or not np.isfinite(claimed).all():
        return None
    try:
        sight = _look(examination, part, output, groups, claimed != 0)
    except FunctionRaised:
        return None
    if not sight.is_explained:
        return None
    pair = FullPair(output, part, claimed, [failed], total=claimed.size)
    pair.measured, pair.error = np.empty(claimed.shape), np.empty(claimed.shape)
    suspects = first_sight(examination, pair, sight.columns)
    doubted = {one.column for one in suspects if one.severity <= _CLEAR}
    doubted |= {one.column for one in suspects if sight.bends[one.column, one.row]}
    if len(doubted) > _MOST_DOUBTS:
        return None
    suspects = [one for one in suspects if one.column not in doubted]
    suspects += _look_again(asker, pair, sorted(doubted))
    blame(examination, pair, suspects)
    return pair if pair.wrong else None


def _look_again(asker: Asker, pair: FullPair, places: list[int]) -> list[Suspect]:
    """Return what is suspect of some columns, measured by themselves at four points."""
    alone = Batching(forward=False, backward=False)
    chunks = measured_columns(asker.examination, pair.part, alone, places) if places else ()
    return [one for chunk in chunks for one in first_sight(asker.examination, pair, chunk)]


def _groups(claimed: Matrix) -> np.ndarray | None:
    """Return a group for each column, no two of which share an output; None if they are many."""
    size = claimed.shape[1]
    if size <= _MOST_GROUPS:
        return np.arange(size)
    groups = np.zeros(size, dtype=int)
    taken = np.zeros((_MOST_GROUPS, len(claimed)), dtype=bool)
    for place, moves in enumerate((claimed != 0).T):
        free = np.flatnonzero(~(taken & moves).any(axis=1))
        if not free.size:
            return None
        groups[place] = free[0]
        taken[free[0]] |= moves
    return groups


def _look(
    examination: Examination, part: int, output: int, groups: np.ndarray, is_claimed: Matrix
) -> _Sight:
    """Measure all columns, two evaluations a group, and one line along all of them."""
    backend, problem = examination.backend, examination.problem
    stencil = Stencil(examination, part, 1.0)
    space, base = stencil.space, backend.to_numpy(examination.trace.vectors[output])
    point, ahead, sizes = (
        backend.to_numpy(one) for one in (stencil.point, stencil.points[0], stencil.sizes)
    )
    moved = ahead - point

    def at(move: np.ndarray) -> np.ndarray:
        value = space.value(backend.vector(point + move, space.reference))
        return backend.to_numpy(problem.evaluate([part], [value])[output])

    right, left = (np.zeros((len(point), len(base))) for _ in range(2))
    for group in range(int(groups.max(initial=0)) + 1):
        own = groups == group
        plus, minus = at(np.where(own, moved, 0.0)) - base, base - at(np.where(own, -moved, 0.0))
        is_own = own[:, None] & (is_claimed.T if own.sum() > 1 else True)
        right, left = np.where(is_own, plus, right), np.where(is_own, minus, left)
    right, left = right / moved[:, None], left / moved[:, None]
    near = (right + left) / 2
    # all columns at once: what they add up to, and how much of it changes with the step
    joint = moved * backend.to_numpy(examination.directions.draw(space))
    sides = [(at(times * joint) - base, base - at(-times * joint)) for times in (1, 2)]
    (short, bend), (long, bend_far) = ((a + b, np.abs(a - b)) for a, b in sides)
    size = expected(near, sizes[:, None])
    unit = np.abs(moved)[:, None]
    roundoff = examination.roundoff(part, output)
    noise = modelled(roundoff, 1.0, 1.0) * (np.abs(base) + np.abs(near * point[:, None])) / unit
    spread = SPREADS * pooled(np.abs(long - 2 * short) / 4 / unit, size)
    spread[(right == 0) & (left == 0)] = 0.0  # no luck makes an entry stand still
    least = LEAST_BAR * roundoff ** (2 / 3) * size
    error = np.maximum(np.maximum(spread, noise), least)
    bars = np.abs(long - 2 * short) / 4 * SPREADS + np.sqrt((error**2).T @ joint**2)
    columns = _columns(examination, output, list(range(len(point))), near, error, right, left)
    columns.size[output], columns.noise[output] = size, noise
    gap = np.abs(right - left)
    bends = (gap > VISIBLE * np.maximum(abs(right), abs(left))) & (gap > CLEARLY * noise)
    bends &= bend_far < _CURVED * bend
    return _Sight(columns, bends, bool((np.abs(short / 2 - near.T @ joint) <= bars).all()))


def _columns(examination: Examination, output: int, places: list[int], *numbers: Matrix) -> Columns:
    """Return columns of one output; of others nothing is known."""
    outputs = range(len(examination.problem.codomain.parts))
    near, error, right, left = (
        [one if k == output else one[:, :0] for k in outputs] for one in numbers
    )
    far = [np.full_like(one, np.inf) for one in near]
    return Columns(places, near, error, right, left, far, [*near], [*near])
