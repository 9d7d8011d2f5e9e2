"""Kinks that columns show: seen near enough to the point, they excuse claims between the slopes."""

from __future__ import annotations

import numpy as np

from ..._backends.base import Array
from ..._constants import CLEARLY, COARSE, KEPT, VISIBLE
from ..._judge.yardstick import Tolerance
from ..asking.columns import Batching, Columns, Matrix, measured_columns
from ..base import Examination
from .suspects import FullPair


def lies_between_slopes(
    claimed: Matrix, chunk: Columns, output: int, tolerance: Tolerance
) -> tuple[np.ndarray, np.ndarray]:
    """Say where one-sided slopes keep apart as the step shrinks, and where the claim is between."""
    right, left = chunk.right[output], chunk.left[output]
    gap, gap_far = np.abs(right - left), chunk.gap_far[output]
    size = np.maximum(np.abs(right), np.abs(left))
    with np.errstate(invalid="ignore"):
        # curvature halves the gap from 2t to t, a kink keeps it, a jump doubles it
        kept = KEPT**0.5  # half a rung
        is_kink = (gap > kept * gap_far) & (kept * gap < gap_far) & (gap > VISIBLE * size)
        if chunk.noise[output].shape == gap.shape:  # not in mixtures
            is_kink &= gap > CLEARLY * chunk.noise[output]
        slack = np.abs(gap - gap_far) + 1e-6 * size + tolerance.rtol * np.abs(claimed)
        lower, upper = np.minimum(right, left) - slack, np.maximum(right, left) + slack
        return is_kink, is_kink & (claimed >= lower) & (claimed <= upper)


def persists(
    examination: Examination, pair: FullPair, chunk: Columns, is_kink: np.ndarray
) -> np.ndarray:
    """Say where one-sided slopes are as far apart as near to the point as round-off shows them.

    A bend seen only further away is no kink at the point. Few digits are believed.
    """
    output, columns = pair.output, np.flatnonzero(is_kink.any(axis=1))
    if pair.mix is not None or examination.roundoff(pair.part, output) > COARSE:
        return np.ones_like(is_kink)
    answer = np.zeros_like(is_kink)
    unbatched, wanted = Batching(False, False), [chunk.places[k] for k in columns]
    nearness = _nearness(examination, pair, chunk, is_kink)
    nearer = measured_columns(examination, pair.part, unbatched, wanted, nearness)
    gap = np.concatenate([np.abs(near.right[output] - near.left[output]) for near in nearer])
    far = np.abs(chunk.right[output][columns] - chunk.left[output][columns])
    answer[columns] = (gap > KEPT * far) & (gap < far / KEPT)
    return answer


def _nearness(
    examination: Examination, pair: FullPair, chunk: Columns, is_kink: np.ndarray
) -> Array:
    """Return the share of its step at which every column's kinks still stand out from round-off."""
    output, steps = pair.output, examination.steps(pair.part)
    gap = np.abs(chunk.right[output] - chunk.left[output])
    noise = np.where(is_kink, chunk.noise[output], 0.0) / np.where(is_kink, gap, 1.0)
    space = examination.problem.domain.parts[pair.part]
    shares = np.ones(space.size)
    least = min(steps.nearest / steps.first, 1.0)
    shares[chunk.places] = np.clip(CLEARLY * noise.max(axis=1), least, 1.0)
    return examination.backend.vector(shares, space.reference)
