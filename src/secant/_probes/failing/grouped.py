"""A small Jacobian measured in few evaluations, after a failure: columns move in groups.

Columns of which no two move the same output move at once, two evaluations a group: a function of
single entries takes two in all. Which outputs a column moves is a guess: those that it is claimed
to move, its own, or those along one dimension; few columns are measured one by one where what is
claimed does not explain them. How much of a difference is truncation, and whether
something moves beside what was guessed, is seen along one line, all columns together:

    F(x + e) − F(x − e) = 2 J e + O(e³)      with the J that was put together.

A J that this contradicts is not believed. Columns in which something is not clear, or bends as at a
kink, are measured by themselves at four points, as the full probe does. Where a claim is off by
little everywhere nothing is clear by that measure, and bars are enough to tell what it is off by;
up to some tens of columns are measured then, since whoever wants to forgive it must know them all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..._constants import CLEARLY, KEPT, SPREADS, VISIBLE
from ..._errors import FunctionRaised
from ..._findings import Evidence
from ..._measure.noise import modelled
from ..asking.columns import Batching, Columns, Matrix, Stencil, bars_of, expected, measured_columns
from ..asking.question import Mode
from ..base import Examination
from ..full.pair import first_sight
from ..full.suspects import FullPair, Suspect, blame

_MOST_GROUPS = 12  # two evaluations each
_FEW_COLUMNS = 16  # that may be measured one by one, whatever they move
_FEW_OFF_BY_LITTLE = 40  # where that is to be forgiven
_MOST_TRIED = 20  # groups of all guesses
_MOST_DOUBTS = 4  # columns that are measured again
_CLEAR = 10.0  # times what is allowed: wrong without a closer look

Flags = np.ndarray


class _Sight(NamedTuple):
    """All columns at first sight."""

    columns: Columns
    bends: Flags  # (columns, outputs): slopes to both sides differ as at a kink
    is_explained: bool  # the columns add up to what a line along all of them shows


def compare_in_groups(
    mode: Mode, place: tuple[int, int], claimed: Matrix, failed: Evidence, *, is_slight: bool
) -> FullPair | None:
    """Compare a Jacobian in which something is wrong; None where few evaluations do not tell.

    `place` is its part and its output; `is_slight` says that it is off by little in all.
    """
    part, output = place
    examination = mode.examination
    if examination.steps(part).own is not None or not np.isfinite(claimed).all():
        return None
    try:
        sight = _explained(examination, place, claimed, is_slight=is_slight)
    except FunctionRaised:
        return None
    if sight is None:
        return None
    pair = FullPair(output, part, claimed, [failed], total=claimed.size)
    pair.measured, pair.error = np.empty(claimed.shape), np.empty(claimed.shape)
    suspects = first_sight(examination, pair, sight.columns)
    doubted = {one.column for one in suspects if one.severity <= _CLEAR and not is_slight}
    doubted |= {one.column for one in suspects if sight.bends[one.column, one.row]}
    if len(doubted) > _MOST_DOUBTS:
        return None
    suspects = [one for one in suspects if one.column not in doubted]
    suspects += _look_again(mode, pair, sorted(doubted))
    blame(examination, pair, suspects)
    return pair if pair.wrong else None


def _look_again(mode: Mode, pair: FullPair, places: list[int]) -> list[Suspect]:
    """Return what is suspect of some columns, measured by themselves at four points."""
    alone = Batching(forward=False, backward=False)
    chunks = measured_columns(mode.examination, pair.part, alone, places) if places else ()
    return [one for chunk in chunks for one in first_sight(mode.examination, pair, chunk)]


# -- which columns move together -----------------------------------------------------------------


def _explained(
    examination: Examination, place: tuple[int, int], claimed: Matrix, *, is_slight: bool
) -> _Sight | None:
    """Return all columns by the first guess that explains a line along all of them, or None."""
    (part, output), line, tried = place, None, 0
    for moves in _guesses(examination, part, output, claimed):
        groups = _groups(moves)
        count = 0 if groups is None else int(groups.max(initial=0)) + 1
        is_few = claimed.shape[1] <= _FEW_COLUMNS
        if groups is None or (tried and not is_few and tried + count > _MOST_TRIED):
            continue
        line, tried = line or _Line(examination, part, output), tried + count
        sight = line.look(groups, moves)
        if sight.is_explained:
            return sight
    if not is_slight or not _FEW_COLUMNS < claimed.shape[1] <= _FEW_OFF_BY_LITTLE:
        return None
    line = line or _Line(examination, part, output)
    sight = line.look(np.arange(claimed.shape[1]), np.ones(claimed.shape, dtype=bool))
    return sight if sight.is_explained else None


def _guesses(examination: Examination, part: int, output: int, claimed: Matrix) -> Iterator[Flags]:
    """Yield flags of the entries that may not be zero, (outputs, columns)."""
    problem = examination.problem
    domain, codomain = problem.domain.parts[part], problem.codomain.parts[output]
    yield claimed != 0
    if domain.size <= _FEW_COLUMNS:
        yield np.ones(claimed.shape, dtype=bool)
        return
    shape = domain.shape
    is_dense = len(shape) < 2 and _groups(claimed != 0) is None  # nothing else is likely then
    if shape != codomain.shape or domain.size != codomain.size or is_dense:
        return
    parts = domain.size // max(math.prod(shape), 1)
    indices = np.indices(shape).reshape(len(shape), -1).repeat(parts, axis=1)
    differs = indices[:, :, None] != indices[:, None, :]
    yield ~differs.any(axis=0)
    for axis in reversed(range(len(shape) if len(shape) > 1 else 0)):
        yield ~np.delete(differs, axis, axis=0).any(axis=0)


def _groups(moves: Flags) -> np.ndarray | None:
    """Return a group for each column, no two of which share an output; None if they are many."""
    size = moves.shape[1]
    groups = np.zeros(size, dtype=int)
    most = size if size <= _FEW_COLUMNS else _MOST_GROUPS
    taken = np.zeros((most, len(moves)), dtype=bool)
    for place, own in enumerate(moves.T):
        free = np.flatnonzero(~(taken & own).any(axis=1))
        if not free.size:
            return None
        groups[place] = free[0]
        taken[free[0]] |= own
    return groups


class _Line:
    """The function along all columns of a leaf at once, at two steps, and along some of them."""

    def __init__(self, examination: Examination, part: int, output: int) -> None:
        self.examination, self.part, self.output = examination, part, output
        to_numpy = examination.backend.to_numpy
        stencil = Stencil(examination, part, 1.0)
        self.space, self.base = stencil.space, to_numpy(examination.trace.vectors[output])
        self.point, self.sizes = to_numpy(stencil.point), to_numpy(stencil.sizes)[:, None]
        self.moved = to_numpy(stencil.points[0]) - self.point
        self.joint = self.moved * to_numpy(examination.directions.draw(self.space))
        ahead, behind = self._sides(self.joint)
        self.slopes, bend = (ahead + behind) / 2, np.abs(ahead - behind)
        ahead, behind = self._sides(2 * self.joint)
        self.spread = np.abs((ahead + behind) / 4 - self.slopes)
        self.is_kinked = KEPT**0.5 * np.abs(ahead - behind) < 2 * bend

    def _sides(self, move: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what outputs change by on the way to x + e, and on the way from x − e."""
        backend, values = self.examination.backend, []
        for point in (self.point + move, self.point - move):
            value = self.space.value(backend.vector(point, self.space.reference))
            answers = self.examination.problem.evaluate([self.part], [value])
            values.append(backend.to_numpy(answers[self.output]))
        return values[0] - self.base, self.base - values[1]

    def look(self, groups: np.ndarray, moves: Flags) -> _Sight:
        """Measure all columns, two evaluations a group."""
        right, left, is_seen = (np.zeros((len(self.point), len(self.base))) for _ in range(3))
        for group in range(int(groups.max(initial=0)) + 1):
            own = groups == group
            ahead, behind = self._sides(np.where(own, self.moved, 0.0))
            is_own = own[:, None] & (moves.T if own.sum() > 1 else True)
            right, left = np.where(is_own, ahead, right), np.where(is_own, behind, left)
            is_seen = np.where(is_own, 1.0, is_seen)
        right, left = right / self.moved[:, None], left / self.moved[:, None]
        near, unit = (right + left) / 2, np.abs(self.moved)[:, None]
        size = expected(near, self.sizes)
        roundoff = self.examination.roundoff(self.part, self.output)
        terms = np.abs(self.base) + np.abs(near * self.point[:, None])
        noise = modelled(roundoff, 1.0, 1.0) * terms / unit
        is_still = (right == 0) & (left == 0)
        error = bars_of(self.spread / unit, noise, size, is_still, roundoff)
        # what all columns add up to; an entry that was guessed to be zero is as sure as that
        bars = SPREADS * self.spread + np.sqrt((error**2).T @ self.joint**2)
        error = np.where(is_seen, error, np.maximum(error, bars / np.abs(self.joint)[:, None]))
        is_explained = bool((np.abs(self.slopes - near.T @ self.joint) <= bars).all())
        gap = np.abs(right - left)
        bends = (gap > VISIBLE * np.maximum(abs(right), abs(left))) & (gap > CLEARLY * noise)
        columns = self._columns(near, error, right, left, np.full_like(near, np.inf), size, noise)
        return _Sight(columns, bends & self.is_kinked, is_explained)

    def _columns(self, *numbers: Matrix) -> Columns:
        """Return all columns of one output; of others nothing is known."""
        outputs = range(len(self.examination.problem.codomain.parts))
        every = ([one if k == self.output else one[:, :0] for k in outputs] for one in numbers)
        return Columns(list(range(len(self.point))), *every)
