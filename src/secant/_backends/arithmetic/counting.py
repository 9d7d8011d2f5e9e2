"""Numbers at random for long vectors: entry k depends on k and on a key alone, on every device.

They are rows of one table, which begin at places that the key draws; so one look-up draws a
thousand numbers. A row may begin anywhere, also among the same numbers with the other sign, so that
no sum over many rows has the sum over the table in it.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

FINEST = 2.0**-15
LONG = 1 << 16  # entries of vectors whose memory counts
ROW = 1 << 10
PLACES = 1 << 16  # where rows may begin; the table goes on beyond the last of them
BEYOND = 1 << 11


class StreamKey(NamedTuple):
    """What one stream of numbers depends on: two whole numbers below 2³²."""

    before: int
    after: int


def key_of(*seeds: int) -> StreamKey:
    """Return a key of its own for every sequence of seeds."""
    return StreamKey(*np.random.SeedSequence(seeds).generate_state(2).tolist())


def signed_magnitudes(key: StreamKey, size: int, grain: float) -> np.ndarray[Any, Any]:
    """Return sign · (1/2 + k/2¹⁵), k below 2¹⁵, cut to the grain.

    Float32 holds such numbers, and does where they are many.
    """
    dtype = np.dtype(np.float64 if size < LONG else np.float32)
    rows: np.ndarray[Any, Any] = _rows_of(grain, dtype)[starts(key, size)]
    return rows.reshape(-1)[:size]


def starts(key: StreamKey, size: int) -> np.ndarray[Any, Any]:
    """Return where in the table the rows of a stream begin."""
    drawn = np.random.default_rng(tuple(key)).integers(0, 2 * PLACES, -(-size // ROW))
    return np.where(drawn < PLACES, drawn, drawn + BEYOND)


@functools.cache
def table(grain: float) -> np.ndarray[Any, Any]:
    """Return the numbers that are drawn, then the same with the other sign."""
    places = np.random.default_rng(0).integers(0, 1 << 16, PLACES + BEYOND, np.uint16)
    magnitudes = np.trunc((0.5 + np.arange(1 << 15) * FINEST) / grain) * grain
    numbers = np.concatenate([magnitudes, -magnitudes])[places]
    return np.concatenate([numbers, -numbers])


@functools.cache
def _rows_of(grain: float, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    numbers: np.ndarray[Any, Any] = table(grain).astype(dtype)
    return np.lib.stride_tricks.sliding_window_view(numbers, ROW)
