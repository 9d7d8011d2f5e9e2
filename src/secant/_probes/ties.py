"""Ties: at a kink that several inputs share, their claims must fit together.

Alone, each of two equal maxima may claim any slope between 0 and 1. Moved up together the maximum
moves once, so both cannot claim 1. Kinks that merely stand side by side, in a sum over clamped
entries, are not shared: there one-sided slopes add up, and every entry may choose for itself. So

    R(d) ≠ Σᵢ R(dᵢ eᵢ)   says that a kink is shared, and then
    ⟨claim, d⟩           must lie between L(d) and R(d).
"""

from __future__ import annotations

import numpy as np

from .._constants import COARSE, TIED
from .._findings import Verdict
from .._words.slopes import TIES
from .question import Mode
from .suspects import FullPair

_MOST = 64  # columns whose sides are measured one by one


def examine_ties(mode: Mode, pair: FullPair) -> None:
    """Let no tie excuse what its inputs claim together; the pair fails where they do not fit."""
    columns = sorted(pair.kinked)[:_MOST]
    if len(columns) < 2 or pair.mix is not None or pair.verdict is not Verdict.PASS:
        return
    examination = mode.examination
    backend, space = examination.backend, examination.problem.domain.parts[pair.part]
    drawn = backend.to_numpy(backend.absolute(examination.directions.draw(space)))
    lengths = np.zeros(space.size)
    lengths[columns] = drawn[columns]
    if space.roundoff > COARSE:
        return
    together, nearer = (_sides(mode, pair, lengths, by) for by in (1.0, 0.125))
    alone = [_sides(mode, pair, np.eye(1, space.size, k)[0]) for k in columns]
    if together is None or nearer is None or any(one is None for one in alone):
        return
    if np.abs(together - nearer).max() > TIED * np.abs(together).max():
        return  # slopes that change with the step are not those of a kink
    sums = np.tensordot(drawn[columns], np.stack([one for one in alone if one is not None]), 1)
    size = np.abs(together).max(axis=0) + np.abs(sums).max(axis=0)  # per output
    is_shared = (np.abs(together - sums) > TIED * size).any(axis=0)
    claimed = pair.claimed @ lengths
    beyond = np.maximum(together.min(axis=0) - claimed, claimed - together.max(axis=0))
    if (is_shared & (beyond > TIED * size)).any():
        pair.has_ties = True
        pair.notes[:] = [TIES()]


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
