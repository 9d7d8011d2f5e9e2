"""Ties: at a kink that several inputs share, their claims must fit together.

Alone, each of two equal maxima may claim any slope between 0 and 1. Moved up together the maximum
moves once, so both cannot claim 1. Kinks that merely stand side by side, in a sum over clamped
entries, are not shared: there one-sided slopes add up, and every entry may choose for itself. So

    R(d) ≠ Σᵢ R(dᵢ eᵢ)   says that a kink is shared, and then
    ⟨claim, d⟩           must lie between L(d) and R(d).

Entries of the same value are moved alike, without the others, so that what ties goes on to tie, and
L(d) and R(d) are mostly one number: then a factor shows, though the slopes of every entry leave
room for it. Kinks at other values may bend the other way, and choose another side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..._constants import COARSE, MEANINGFUL, SPREADS
from ..._findings import Verdict
from ..._words.slopes import TIES
from ..asking.question import Mode
from .suspects import FullPair

_MOST = 64  # columns whose sides are measured one by one


def examine_ties(mode: Mode, pair: FullPair) -> None:
    """Let no tie excuse what its inputs claim together; the pair fails where they do not fit."""
    columns = sorted(pair.kinked)[:_MOST]
    if len(columns) < 2 or pair.mix is not None or pair.verdict is not Verdict.PASS:
        return
    examination = mode.examination
    space = examination.problem.domain.parts[pair.part]
    if space.roundoff > COARSE:
        return
    alone = {column: _sides(mode, pair, np.eye(1, space.size, column)[0]) for column in columns}
    for lengths in _moves(mode, pair, columns):
        sides = [one for k in np.flatnonzero(lengths) if (one := alone[int(k)]) is not None]
        if len(sides) == np.count_nonzero(lengths) and _misfit(mode, pair, lengths, sides):
            pair.has_ties = True
            pair.notes[:] = [TIES()]
            return


def _moves(mode: Mode, pair: FullPair, columns: Sequence[int]) -> Iterator[np.ndarray]:
    """Yield how far each entry moves: those of one value alike; all, where no two are equal."""
    examination = mode.examination
    backend, space = examination.backend, examination.problem.domain.parts[pair.part]
    point = backend.to_numpy(examination.problem.coordinates_of_point(pair.part))
    is_kinked = np.isin(np.arange(space.size), columns)
    values, counts = np.unique(point[is_kinked], return_counts=True)
    if (counts == 1).all():
        drawn = backend.to_numpy(backend.absolute(examination.directions.draw(space)))
        yield np.where(is_kinked, drawn, 0.0)
    for value in values[counts > 1]:
        yield np.where(is_kinked & (point == value), 1.0, 0.0)


def _misfit(mode: Mode, pair: FullPair, lengths: np.ndarray, alone: Sequence[np.ndarray]) -> bool:
    """Say whether entries claim together what no output does, where they share a kink."""
    together, nearer = (_sides(mode, pair, lengths, by) for by in (1.0, 0.125))
    if together is None or nearer is None:
        return False
    apart = np.abs(together - nearer).max()
    if apart > MEANINGFUL * np.abs(together).max():
        return False  # slopes that change with the step are not those of a kink
    sums = np.tensordot(lengths[lengths > 0], np.stack(alone), 1)
    size = np.abs(together).max(axis=0) + np.abs(sums).max(axis=0)  # per output
    is_shared = (np.abs(together - sums) > MEANINGFUL * size).any(axis=0)
    claimed = pair.claimed @ lengths
    beyond = np.maximum(together.min(axis=0) - claimed, claimed - together.max(axis=0))
    tolerance = mode.examination.tolerance(pair.part, pair.output)
    forgiven = tolerance.rtol * (np.abs(pair.claimed) @ lengths) + tolerance.atol * lengths.sum()
    return bool((is_shared & (beyond > SPREADS * apart + forgiven)).any())


def _sides(mode: Mode, pair: FullPair, direction: np.ndarray, by: float = 1.0) -> np.ndarray | None:
    """Return the slopes to the right and to the left of every output, (2, outputs)."""
    examination = mode.examination
    space = examination.problem.domain.parts[pair.part]
    line = examination.line(pair.part, examination.backend.vector(direction, space.reference))
    sides = line.sides(by * examination.step(pair.part))
    if sides is None:
        return None
    to_numpy = examination.backend.to_numpy
    return np.stack([to_numpy(sides.right[pair.output]), to_numpy(sides.left[pair.output])])
