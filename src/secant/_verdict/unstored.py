"""Mistakes at the entries that a sparse leaf does not store."""

from __future__ import annotations

import numpy as np

from .._words.matrices import NOT_STORED
from .._words.reason import Reason
from .evidence import Comparison


def unstored_entries(comparison: Comparison) -> Reason | None:
    """Recognise a claim that is wrong at entries which are not stored, and nowhere else."""
    leaf = comparison.scene.input
    if leaf.unstored is None:
        return None
    unstored = np.repeat(leaf.unstored.reshape(-1), 2 if leaf.is_complex else 1)
    unstored = unstored[comparison.columns]
    is_wrong = comparison.wrong.any(axis=0)
    if (is_wrong & ~unstored).any():
        return None
    count, total = int(is_wrong.sum()), int(unstored.sum())
    is_zero = not comparison.claimed[comparison.wrong].any()
    return NOT_STORED(path=leaf.path, count=count, total=total, is_zero=is_zero)
