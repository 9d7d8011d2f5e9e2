"""NumPy's vectors, for every kind of value that becomes a NumPy array and comes back."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import vectors as memory
from .algebra import Algebra, Array

Numbers = np.ndarray[Any, Any]


class NumpyAlgebra(Algebra):
    """Coordinate arithmetic in main memory; a backend says how its values get there."""

    @abc.abstractmethod
    def numbers(self, array: Array) -> Numbers:
        """Return a value as a NumPy array of its own shape and dtype, sharing memory if it can."""

    @abc.abstractmethod
    def like(self, numbers: Numbers, reference: Array) -> Array:
        """Return a NumPy array as a value of the dtype, class and device of `reference`."""

    # -- values to vectors and back ---------------------------------------------------------------

    def flatten(self, array: Array) -> Array:
        return np.asarray(self.numbers(array), np.float64).reshape(-1)

    def unflatten(self, vector: Array, reference: Array) -> Array:
        shape = tuple(reference.shape)
        if self.is_complex(reference):
            vector = np.ascontiguousarray(vector).view(np.complex128)
        return self.like(vector.reshape(shape), reference)

    @abc.abstractmethod
    def is_complex(self, array: Array) -> bool:
        """Say whether the dtype is complex."""

    def as_real(self, array: Array) -> Array:
        return _parts(self.numbers(array))

    def flatten_batch(self, batch: Array) -> Array:
        numbers = self.numbers(batch)
        if np.iscomplexobj(numbers):
            numbers = _parts(numbers)
        return np.asarray(numbers, np.float64).reshape(numbers.shape[0], -1)

    def unflatten_batch(self, rows: Array, reference: Array) -> Array:
        if self.is_complex(reference):
            rows = np.ascontiguousarray(rows).view(np.complex128)
        return rows.reshape(rows.shape[0], *reference.shape)

    def stack(self, vectors: Sequence[Array]) -> Array:
        return np.stack(list(vectors))

    def join(self, matrices: Sequence[Array]) -> Array:
        return np.concatenate(list(matrices))

    def rows_with(self, vector: Array, places: Sequence[int], values: Array | float) -> Array:
        return memory.rows_with(vector, places, values)

    def select(self, vector: Array, places: Sequence[int]) -> Array:
        return vector[places]

    def vector(self, numbers: Numbers, reference: Array) -> Array:  # noqa: ARG002 one memory only
        return numbers

    def to_numpy(self, vector: Array) -> Numbers:
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

    def ratio(self, one: Array, other: Array) -> Array:
        is_zero = one == 0
        return one * ~is_zero / (other + is_zero)

    def copysign(self, sizes: Array, signs: Array) -> Array:
        return np.copysign(sizes, signs)


def _parts(numbers: Numbers) -> Numbers:
    """Return complex numbers as real ones with a last axis (real, imaginary)."""
    wide = np.ascontiguousarray(numbers, np.complex128).reshape(-1)
    return wide.view(np.float64).reshape(*numbers.shape, 2)
