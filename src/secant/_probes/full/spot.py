"""A random column and a random row asked again without batching.

A wrong batching rule cannot speak for the function then.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..._constants import KAPPA
from ..._findings import Verdict
from ..._laws.base import kept_to
from ..._words.causes import UNBATCHED_DIFFERS
from ..._words.reason import Reason
from ..asking.columns import Batching, measured_columns
from ..asking.question import Mode
from .suspects import FullPair


def spot_check(mode: Mode, pairs: Sequence[FullPair]) -> Reason | None:
    """Recompute one random column and one random row without batching; say what differs."""
    problem, directions = mode.examination.problem, mode.examination.directions
    pair = next((one for one in pairs if one.total and one.measured is not None), None)
    if pair is None or pair.verdict is not Verdict.PASS:
        return None
    (row,) = directions.positions(pair.claimed.shape[0], 1)
    (column,) = directions.positions(pair.claimed.shape[1], 1)
    path = problem.codomain.path(pair.output)
    if not _same_row(mode, pair, row, column):
        return UNBATCHED_DIFFERS(output=path, is_gradient=True)
    if not _same_column(mode, pair, column):
        return UNBATCHED_DIFFERS(output=path, is_gradient=False)
    return None


def _same_row(mode: Mode, pair: FullPair, row: int, column: int) -> bool:
    """Ask one entry of the claimed row again, unbatched."""
    examination = mode.examination
    codomain = examination.problem.codomain.parts[pair.output]
    weights = codomain.unit(row)
    alone = mode.ask(pair.part, pair.output, weights, examination.unit(pair.part, column)).claimed
    size = np.abs(pair.claimed[row]).max(initial=0.0)
    return bool(abs(alone - pair.claimed[row, column]) <= _share(mode, pair) * size)


def _same_column(mode: Mode, pair: FullPair, column: int) -> bool:
    """Measure one column again, unbatched, at the same points: a kink may lie between others."""
    assert pair.measured is not None
    assert pair.error is not None
    unbatched = Batching(forward=False, backward=False)
    point = mode.examination.point(pair.part)
    steps = point * 0 + pair.longer.get(column, 1.0)
    (alone,) = measured_columns(mode.examination, pair.part, unbatched, [column], steps)
    batched = pair.measured[:, column]
    bars = KAPPA * (alone.error[pair.output][0] + pair.error[:, column])
    bars = bars + _share(mode, pair) * np.abs(batched).max(initial=0.0)
    apart = np.abs(alone.measured[pair.output][0] - batched)
    return bool(((apart <= bars) | ~np.isfinite(apart + bars)).all())  # not finite: one-sided


def _share(mode: Mode, pair: FullPair) -> float:
    """Return the share by which the two may differ: batching is a law like any other."""
    examination = mode.examination
    forgiven = examination.tolerance(pair.part, pair.output).rtol
    return max(kept_to(examination.roundoff(pair.part, pair.output)), forgiven)
