"""Coordinate arithmetic: what secant does with vectors, and how values become vectors and back.

A *vector* is a flat float64 array of real coordinates on the value's own device (NumPy's in main
memory); a *batch* is a value with one axis more in front. Sums and products of vectors are written
with Python's operators, everything else goes through these methods.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .counting import Key, signed_magnitudes

Array = Any
"""A framework's array; only its backend knows more about it."""


class Excess(NamedTuple):
    """How far two vectors are apart: the largest distance, plain and beside what is allowed."""

    ratio: float  # 0 where they are equal, whatever is allowed there
    distance: float
    allowed: float  # the most that is allowed anywhere


class Magnitudes(NamedTuple):
    """How large those entries of a vector are that are finite and not zero; 1 if there are none."""

    typical: float  # their root mean square
    largest: float
    smallest: float


class Algebra(abc.ABC):
    """Vectors of one framework."""

    # -- values to vectors and back ---------------------------------------------------------------

    @abc.abstractmethod
    def flatten(self, array: Array) -> Array:
        """Return the entries of a real value as a vector."""

    @abc.abstractmethod
    def unflatten(self, vector: Array, reference: Array) -> Array:
        """Return the vector as a value of the shape and dtype of `reference` (real parts last)."""

    @abc.abstractmethod
    def as_real(self, array: Array) -> Array:
        """Return a complex value as a real one with a last axis (real, imaginary)."""

    @abc.abstractmethod
    def flatten_batch(self, batch: Array) -> Array:
        """Return a batch of values as a matrix of float64 coordinates, one row each."""

    @abc.abstractmethod
    def unflatten_batch(self, rows: Array, reference: Array) -> Array:
        """Return rows of coordinates as a batch of values like `reference`."""

    @abc.abstractmethod
    def is_exact(self, array: Array) -> bool:
        """Say whether the dtype holds float64 coordinates as they are, so that nothing rounds."""

    @abc.abstractmethod
    def stack(self, vectors: Sequence[Array]) -> Array:
        """Return vectors as the rows of a matrix."""

    @abc.abstractmethod
    def join(self, matrices: Sequence[Array]) -> Array:
        """Return matrices of equal width, one below the other."""

    @abc.abstractmethod
    def rows_with(self, vector: Array, places: Sequence[int], values: Array | float) -> Array:
        """Return copies of the vector as rows, row k with entry places[k] set to values[k]."""

    @abc.abstractmethod
    def select(self, vector: Array, places: Sequence[int]) -> Array:
        """Return some entries of a vector."""

    @abc.abstractmethod
    def vector(self, numbers: np.ndarray[Any, Any], reference: Array) -> Array:
        """Return NumPy numbers as float64 coordinates on the device of `reference`."""

    def zeros(self, size: int, reference: Array) -> Array:
        """Return so many zeros as coordinates on the device of `reference`."""
        return self.vector(np.zeros(size), reference)

    def signed_magnitudes(self, key: Key, size: int, grain: float, reference: Array) -> Array:
        """Return numbers at random from a counter as coordinates on the device of `reference`."""
        return self.vector(signed_magnitudes(key, size, grain), reference)

    @abc.abstractmethod
    def to_numpy(self, vector: Array) -> np.ndarray[Any, Any]:
        """Return coordinates as a NumPy array, for reports and diagnosis."""

    # -- numbers ---------------------------------------------------------------------------------

    @abc.abstractmethod
    def dot(self, one: Array, other: Array) -> float:
        """Return the inner product of two vectors."""

    @abc.abstractmethod
    def total(self, vector: Array) -> float:
        """Return the sum of the entries."""

    @abc.abstractmethod
    def distance(self, one: Array, factor: float, other: Array) -> float:
        """Return ‖factor · one − other‖."""

    @abc.abstractmethod
    def is_multiple(self, one: Array, factor: float, other: Array) -> bool:
        """Say whether factor · one equals other, NaN counted equal to NaN."""

    @abc.abstractmethod
    def norm_of_product(self, one: Array, other: Array) -> float:
        """Return ‖one ∘ other‖."""

    @abc.abstractmethod
    def norm(self, vector: Array) -> float:
        """Return the Euclidean norm."""

    @abc.abstractmethod
    def largest(self, vector: Array) -> float:
        """Return the largest absolute entry, 0 for an empty vector."""

    def magnitudes(self, vector: Array) -> Magnitudes:
        """Return how large the entries are that are finite and not zero."""
        from .vectors import magnitudes

        return magnitudes(self.to_numpy(vector))

    @abc.abstractmethod
    def is_finite(self, vector: Array) -> bool:
        """Say whether every entry is finite."""

    @abc.abstractmethod
    def finite_mask(self, vector: Array) -> Array:
        """Return 1.0 where the entry is finite and 0.0 elsewhere."""

    @abc.abstractmethod
    def where_finite(self, vector: Array) -> Array:
        """Return the vector with its infinities and NaNs replaced by 0."""

    @abc.abstractmethod
    def absolute(self, vector: Array) -> Array:
        """Return the absolute values."""

    @abc.abstractmethod
    def apart(self, one: Array, other: Array) -> Array:
        """Return |one − other|, 0 where the first is not finite."""

    @abc.abstractmethod
    def larger(self, one: Array, other: Array) -> Array:
        """Return the larger of two vectors, entry by entry."""

    @abc.abstractmethod
    def excess(self, one: Array, other: Array, share: float, free: Array | float) -> Excess:
        """Hold |one − other| against share · |one| + free, entry by entry."""

    @abc.abstractmethod
    def copysign(self, sizes: Array, signs: Array) -> Array:
        """Return the absolute values of one vector with the signs of another."""
