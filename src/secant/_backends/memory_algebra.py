"""Coordinate arithmetic in main memory, for frameworks whose vectors are NumPy's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import vectors as memory
from .algebra import Algebra, Array, Excess


class MemoryAlgebra(Algebra):
    """Vectors of NumPy; how values become vectors is left to the backend."""

    def stack(self, vectors: Sequence[Array]) -> Array:
        return np.stack(list(vectors))

    def join(self, matrices: Sequence[Array]) -> Array:
        return np.concatenate(list(matrices))

    def rows_with(self, vector: Array, places: Sequence[int], values: Array | float) -> Array:
        return memory.rows_with(vector, places, values)

    def select(self, vector: Array, places: Sequence[int]) -> Array:
        return vector[list(places)]

    def vector(self, numbers: np.ndarray[Any, Any], reference: Array) -> Array:  # noqa: ARG002 one memory only
        return numbers

    def to_numpy(self, vector: Array) -> np.ndarray[Any, Any]:
        return np.asarray(vector)

    # -- numbers ---------------------------------------------------------------------------------

    def dot(self, one: Array, other: Array) -> float:
        return memory.dot(one, other)

    def total(self, vector: Array) -> float:
        return float(vector.sum())

    def distance(self, one: Array, factor: float, other: Array) -> float:
        return memory.distance(one, factor, other)

    def is_multiple(self, one: Array, factor: float, other: Array) -> bool:
        return memory.is_multiple(one, factor, other)

    def norm_of_product(self, one: Array, other: Array) -> float:
        return memory.norm_of_product(one, other)

    def norm(self, vector: Array) -> float:
        return memory.norm(vector)

    def largest(self, vector: Array) -> float:
        return memory.largest(vector)

    def is_finite(self, vector: Array) -> bool:
        return memory.is_finite(vector)

    def finite_mask(self, vector: Array) -> Array:
        return np.isfinite(vector) * 1.0

    def where_finite(self, vector: Array) -> Array:
        return memory.where_finite(vector)

    def absolute(self, vector: Array) -> Array:
        return np.abs(vector)

    def apart(self, one: Array, other: Array) -> Array:
        return np.where(np.isfinite(one), np.abs(one - other), 0.0)

    def larger(self, one: Array, other: Array) -> Array:
        return np.maximum(one, other)

    def excess(self, one: Array, other: Array, share: float, free: Array | float) -> Excess:
        return memory.excess(one, other, share, free)

    def copysign(self, sizes: Array, signs: Array) -> Array:
        return np.copysign(sizes, signs)
