"""Numbers at random from a counter: entry k depends on k and on a key alone.

So they are the same in main memory and on any device, and drawn where they are used. A counter is
mixed by the finaliser of MurmurHash3 (Austin Appleby, in the public domain), then by a product
with 2³²/φ, of which the upper half is kept: 16 bits, a sign and a magnitude.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

FIRST, SECOND, LAST = 0x85EBCA6B, 0xC2B2AE35, 0x9E3779B1
FINEST = 2.0**-15
LONG = 1 << 16  # entries of vectors whose memory counts
_CHUNK = 1 << 14


class Key(NamedTuple):
    """What one stream of numbers depends on: two whole numbers below 2³²."""

    before: int
    after: int


def key_of(*seeds: int) -> Key:
    """Return a key of its own for every sequence of seeds."""
    return Key(*np.random.SeedSequence(seeds).generate_state(2).tolist())


def signed_magnitudes(key: Key, size: int, grain: float) -> np.ndarray[Any, Any]:
    """Return sign · (1/2 + k/2¹⁵), k below 2¹⁵, cut to the grain; looking up beats computing.

    Float32 holds such numbers, and does where they are many.
    """
    dtype = np.dtype(np.float64 if size < LONG else np.float32)
    numbers, choices = np.empty(size, dtype), _choices_in(grain, dtype)
    for start in range(0, size, _CHUNK):
        chunk = numbers[start : start + _CHUNK]
        bits = np.arange(start, start + chunk.size, dtype=np.uint32)
        bits ^= np.uint32(key.before)
        bits ^= bits >> 16
        bits *= np.uint32(FIRST)
        bits ^= bits >> 13
        bits *= np.uint32(SECOND)
        bits ^= bits >> 16
        bits ^= np.uint32(key.after)
        bits *= np.uint32(LAST)
        bits >>= 16
        np.take(choices, bits, out=chunk, mode="wrap")
    return numbers


@functools.cache
def _choices_in(grain: float, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    return choices_of(grain).astype(dtype)


@functools.cache
def choices_of(grain: float) -> np.ndarray[Any, Any]:
    """Return the 2¹⁶ numbers that are drawn, the negative ones last."""
    magnitudes = np.trunc((0.5 + np.arange(1 << 15) * FINEST) / grain) * grain
    return np.concatenate([magnitudes, -magnitudes])
