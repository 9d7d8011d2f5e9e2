"""NumPy's vectors, for every kind of value that becomes a NumPy array and comes back."""

from __future__ import annotations

import abc
from typing import Any

import numpy as np

from ..algebra import Array
from ..memory_algebra import MemoryAlgebra

Numbers = np.ndarray[Any, Any]


class NumpyAlgebra(MemoryAlgebra):
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


def _parts(numbers: Numbers) -> Numbers:
    """Return complex numbers as real ones with a last axis (real, imaginary)."""
    wide = np.ascontiguousarray(numbers, np.complex128).reshape(-1)
    return wide.view(np.float64).reshape(*numbers.shape, 2)
