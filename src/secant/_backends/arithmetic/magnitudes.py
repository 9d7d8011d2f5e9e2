"""How large the entries of a vector are: the typical, the largest, the smallest.

Entries that are 0 or not finite do not count.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .chunked import SHORT, Vector, is_safe, norm_of, widened
from .pieces import chunks

_SQUARABLE = 1e150


class Magnitudes(NamedTuple):
    """How large those entries of a vector are that are finite and not zero; 1 if there are none."""

    typical: float  # their root mean square
    largest: float
    smallest: float


def magnitudes_of(xp: Any, vector: Vector, dot: Callable[[Vector, Vector], float]) -> Magnitudes:
    """Return how large the entries of a vector of a namespace are, given its inner product."""
    if isinstance(vector, np.ndarray) and 0 < vector.size <= SHORT:
        sizes = abs(vector)
        largest, smallest = float(np.maximum.reduce(sizes)), float(np.minimum.reduce(sizes))
        if smallest > 0 and largest < _SQUARABLE:
            relative = sizes / largest
            square = float(relative.dot(relative)) * largest**2
            if square > 0:
                return Magnitudes(math.sqrt(square / vector.size), largest, smallest)
    largest, smallest, square, number = 0.0, math.inf, 0.0, 0
    for c in chunks(xp, vector):
        sizes = abs(vector[c])
        most, least = float(sizes.max()), float(sizes.min())
        if not (least > 0 and most < math.inf):
            sizes = sizes[(sizes > 0) & (sizes < math.inf)]
            if not sizes.shape[0]:
                continue
            most, least = float(sizes.max()), float(sizes.min())
        largest, smallest = max(largest, most), min(smallest, least)
        if xp is np and least > 1 / _SQUARABLE and most < _SQUARABLE:
            square += dot(sizes, sizes)
        else:
            relative = sizes / most  # squares of the sizes themselves may not be held
            square += dot(relative, relative) * most**2 if most < _SQUARABLE else math.inf
        number += sizes.shape[0]
    if not number:
        return Magnitudes(1.0, 0.0, 1.0)
    typical = math.sqrt(square / number) if 0 < square < math.inf else largest
    return Magnitudes(typical, largest, smallest)


def read_at_once(xp: Any, vector: Vector) -> Magnitudes | None:
    """Return the same of a vector on a device, whose numbers are read at once.

    None where some entries are 0, not finite, or of squares that are not held.
    """
    found = []
    for c in chunks(xp, vector):
        part = abs(vector[c])
        found += [part.max(), part.min(), norm_of(xp, part)]
    if not found:
        return None
    numbers = xp.stack([widened(xp, one) for one in found]).tolist()
    largest, smallest, root = max(numbers[::3]), min(numbers[1::3]), math.hypot(*numbers[2::3])
    is_held = largest / 2 < root < math.inf and is_safe(xp, vector, root)
    if not (smallest > 0 and is_held):
        return None
    return Magnitudes(root / math.sqrt(vector.shape[0]), largest, smallest)
