"""Mistakes at the entries that a sparse leaf does not store."""

from __future__ import annotations

import numpy as np

from .evidence import Comparison


def unstored_entries(comparison: Comparison) -> str | None:
    """Recognise a claim that is wrong at entries which are not stored, and nowhere else."""
    leaf = comparison.scene.input
    if leaf.unstored is None:
        return None
    unstored = np.repeat(leaf.unstored.reshape(-1), 2 if leaf.is_complex else 1)
    is_wrong = comparison.wrong.any(axis=0)
    if (is_wrong & ~unstored).any():
        return None
    count, total = int(is_wrong.sum()), int(unstored.sum())
    if comparison.claimed[comparison.wrong].any():
        return f"only entries that {leaf.path} does not store are wrong ({count} of {total})"
    return (
        f"claimed = 0 at entries that {leaf.path} does not store ({count} of {total}), right at "
        "those it does: a gradient for the stored entries alone, which masked=True asks for"
    )
