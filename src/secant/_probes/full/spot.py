"""What was asked in batches asked again without: a random sum of all rows, and a random column.

A wrong batching rule cannot speak for the function then.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..._backends.base import Array
from ..._constants import KAPPA
from ..._judge.yardstick import negligible
from ..._laws.base import kept_to
from ..._words.causes import UNBATCHED_DIFFERS
from ..._words.reason import Reason
from ..asking.columns import WORTH_BATCHING, Batching, Matrix, measured_columns
from ..asking.question import Mode
from ..asking.reverse import ReverseMode
from .suspects import FullPair


def spot_check(mode: Mode, pairs: Sequence[FullPair]) -> Reason | None:
    """Hold claims and a random column against the same without batching; say what differs.

    Sums of columns are no batch; a rule that is written by hand is still asked for a few columns in
    one, for what it does there is its author's as well.
    """
    problem = mode.examination.problem
    for pair in pairs:
        if isinstance(mode, ReverseMode) and not _same_rows(mode, pair):
            path = problem.codomain.path(pair.output)
            return UNBATCHED_DIFFERS(output=path, is_gradient=True)
    own = problem.has_own_rules
    if own is None:
        own = problem.backend.has_own_rules(mode.examination.trace.outputs)
    for pair in pairs:
        is_asked = pair.measured is not None or (pair.in_sums and own and pair.mix is None)
        if pair.total and is_asked:
            if _same_column(mode, pair):
                return None
            path = problem.codomain.path(pair.output)
            return UNBATCHED_DIFFERS(output=path, is_gradient=False)
    return None


def _same_rows(mode: ReverseMode, pair: FullPair) -> bool:
    """Hold all claimed rows against the pull of a random cotangent, which was not batched.

    Where they differ rows are pulled one by one: a backward may also fail to be linear.
    """
    if pair.mix is not None or not (pair.in_sums or pair.measured is not None):
        return True  # mixtures and blocks, from pulls that were no batch
    examination, to_numpy = mode.examination, mode.examination.backend.to_numpy
    pulled, space = mode.pulleds[pair.output], examination.problem.codomain.parts[pair.output]
    gradient, weights = pulled.gradients[pair.part], to_numpy(pulled.cotangent)
    values = weights * to_numpy(examination.trace.vectors[pair.output])
    nominal = float(np.linalg.norm(values)) / examination.steps(pair.part).longest
    least = negligible(examination.roundoff(pair.part, pair.output)) * nominal

    def is_same(alone: Array | None, rows: Matrix, weights: np.ndarray) -> bool:
        apart = np.abs(weights @ rows - (0.0 if alone is None else to_numpy(alone)))
        terms = (np.abs(weights) @ np.abs(rows)).max(initial=0.0)
        return bool((apart <= _share(mode, pair) * terms + least).all())

    if is_same(gradient, pair.claimed, weights):
        return True
    for row, numbers in enumerate(pair.claimed):
        alone = mode.claim.pull_vector(pair.output, space.unit(row)).gradients[pair.part]
        if not is_same(alone, numbers[None], np.ones(1)):
            return False
    return True


def _same_column(mode: Mode, pair: FullPair) -> bool:
    """Measure one column again, unbatched, at the same points: a kink may lie between others."""
    examination, size = mode.examination, pair.claimed.shape[1]
    (column,) = examination.directions.positions(size, 1)
    if pair.measured is None or pair.error is None:
        few = sorted({column, *range(min(size, WORTH_BATCHING))})
        (chunk,) = measured_columns(examination, pair.part, mode.batching, few)
        if not mode.batching.forward:
            return True
        batched, error = (
            one[pair.output][few.index(column)] for one in (chunk.measured, chunk.error)
        )
        longer = chunk.longer
    else:
        batched, error = pair.measured[:, column], pair.error[:, column]
        longer = pair.longer.get(column, 1.0)
    unbatched = Batching(forward=False, backward=False)
    steps = examination.point(pair.part) * 0 + longer
    (alone,) = measured_columns(examination, pair.part, unbatched, [column], steps)
    bars = KAPPA * (alone.error[pair.output][0] + error)
    bars = bars + _share(mode, pair) * np.abs(batched).max(initial=0.0)
    apart = np.abs(alone.measured[pair.output][0] - batched)
    return bool(((apart <= bars) | ~np.isfinite(apart + bars)).all())  # not finite: one-sided


def _share(mode: Mode, pair: FullPair) -> float:
    """Return the share by which the two may differ: batching is a law like any other."""
    examination = mode.examination
    forgiven = examination.tolerance(pair.part, pair.output).rtol
    return max(kept_to(examination.roundoff(pair.part, pair.output)), forgiven)
