"""Vectors in main memory: NumPy does the arithmetic of coordinates, whatever the framework.

On small problems, which most checks are, a framework's own operations cost several times as much
per call. Arrays on a device stay there; their backend does the same with the framework's means.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .algebra import Excess, Magnitudes

Vector = np.ndarray[Any, Any]


_CHUNK = 1 << 13  # fits a core's own cache, and is below where linear algebra starts threads


def dot(one: Vector, other: Vector) -> float:
    """Return the inner product; long ones in chunks, whose rounding errors do not pile up."""
    if one.size <= _CHUNK:
        return float(one.dot(other))
    return math.fsum(one[c].dot(other[c]) for c in _chunks(one.size))


def norm(vector: Vector) -> float:
    """Return the Euclidean norm."""
    return math.sqrt(dot(vector, vector))


def distance(one: Vector, factor: float, other: Vector) -> float:
    """Return ‖factor · one − other‖, a chunk at a time: no copy of a long vector is made."""
    if one.size <= _CHUNK:
        return norm(factor * one - other)
    return math.sqrt(math.fsum(_square(factor * one[c] - other[c]) for c in _chunks(one.size)))


def norm_of_product(one: Vector, other: Vector) -> float:
    """Return ‖one ∘ other‖, a chunk at a time."""
    if one.size <= _CHUNK:
        return norm(one * other)
    return math.sqrt(math.fsum(_square(one[c] * other[c]) for c in _chunks(one.size)))


def _square(vector: Vector) -> float:
    return float(vector.dot(vector))


def largest(vector: Vector) -> float:
    """Return the largest absolute entry, 0 for an empty vector."""
    if not vector.size:
        return 0.0
    return max(float(vector.max()), -float(vector.min()))


def magnitudes(vector: Vector) -> Magnitudes:
    """Return how large the entries are that are finite and not zero, a chunk at a time."""
    largest_one, smallest, square, number = 0.0, math.inf, 0.0, 0
    for c in _chunks(vector.size):
        sizes = abs(vector[c])
        most, least = float(sizes.max()), float(sizes.min())
        if not (least > 0 and most < math.inf):
            sizes = sizes[(sizes > 0) & (sizes < math.inf)]
            if not sizes.size:
                continue
            most, least = float(sizes.max()), float(sizes.min())
        largest_one, smallest = max(largest_one, most), min(smallest, least)
        relative = sizes / most  # squares of the sizes themselves may overflow
        square += _square(relative) * most**2 if most < _SQUARABLE else math.inf
        number += sizes.size
    if not number:
        return Magnitudes(1.0, 1.0, 1.0)
    typical = math.sqrt(square / number) if 0 < square < math.inf else largest_one
    return Magnitudes(typical, largest_one, smallest)


_SQUARABLE = 1e150


def powers(vector: Vector) -> Vector:
    """Return the power of two at or below each entry's size; of entries of 0, the largest."""
    sizes = np.where(np.isfinite(vector), abs(vector), 0.0)
    sizes[sizes == 0] = sizes.max(initial=0.0) or 1.0
    return np.ldexp(0.5, np.frexp(sizes)[1])


def is_finite(vector: Vector) -> bool:
    """Say whether every entry is finite; a finite sum of squares proves it in one pass."""
    return math.isfinite(dot(vector, vector)) or bool(np.isfinite(vector).all())


def is_equal(one: Vector, other: Vector) -> bool:
    """Say whether all entries are equal, NaN counted equal to NaN."""
    if one.shape != other.shape:
        return False
    if one.size <= _CHUNK:
        return _is_same(one, other)
    return all(_is_same(one[c], other[c]) for c in _chunks(one.size))


def is_multiple(one: Vector, factor: float, other: Vector) -> bool:
    """Say whether factor · one equals other, a chunk at a time."""
    if one.shape != other.shape:
        return False
    if one.size <= _CHUNK:
        return _is_same(factor * one, other)
    return all(_is_same(factor * one[c], other[c]) for c in _chunks(one.size))


def excess(one: Vector, other: Vector, share: float, free: Vector | float) -> Excess:
    """Hold |one − other| against share · |one| + free, a chunk at a time."""
    rows = [
        _excess(one[c], other[c], share, free[c] if isinstance(free, np.ndarray) else free)
        for c in _chunks(one.size)
    ]
    return Excess(*np.max(rows, axis=0).tolist())


def _excess(one: Vector, other: Vector, share: float, free: Vector | float) -> list[float]:
    apart, allowed = abs(one - other), share * abs(one) + free
    distance = apart.max()
    ratio = apart / allowed if distance else apart
    if np.isnan(ratio).any():  # nothing is allowed where nothing is asked, or a number is missing
        ratio = np.where(apart == 0, 0.0, ratio)
    return [ratio.max(), distance, allowed.max()]


def _is_same(one: Vector, other: Vector) -> bool:
    if one.tobytes() == other.tobytes():
        return True
    same = one == other
    return bool(same.all()) or bool((same | (np.isnan(one) & np.isnan(other))).all())


def _chunks(size: int) -> Iterator[slice]:
    return (slice(k, k + _CHUNK) for k in range(0, size, _CHUNK))


def where_finite(vector: Vector) -> Vector:
    """Return the vector with its infinities and NaNs replaced by 0."""
    return np.nan_to_num(vector, nan=0.0, posinf=0.0, neginf=0.0)


def rows_with(vector: Vector, places: Sequence[int], values: Vector | float) -> Vector:
    """Return copies of the vector as rows, row k with entry places[k] set to values[k]."""
    rows = np.repeat(vector[None, :], len(places), axis=0)
    rows[np.arange(len(places)), places] = values
    return rows
