"""What secant needs of sparse arrays: where entries are stored, and the way out of it and back.

A *pattern* is the set of places that one sparse array stores, in that array's layout. It reads the
entries of any other array at those places, and makes arrays that store just them.
"""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..arithmetic.algebra import Array


class Pattern(abc.ABC):
    """The places that a sparse array stores; duplicates are one place."""

    example: Array  # the stored values of the array itself, a dense array

    @abc.abstractmethod
    def values(self, array: Array) -> Array:
        """Return the entries of an array of any layout at these places, as `example` is shaped.

        What the array holds elsewhere is ignored; what it does not store is zero.
        """

    @abc.abstractmethod
    def array(self, values: Array) -> Array:
        """Return the sparse array of this layout that stores these values at these places."""

    @abc.abstractmethod
    def is_kept_by(self, array: Array) -> bool:
        """Say whether an array of the same layout stores the same places."""

    @abc.abstractmethod
    def places(self) -> np.ndarray[Any, Any]:
        """Return the flat index, in the array's whole shape, of every entry of `example`."""


class SparseArrays:
    """What a framework knows of sparse arrays; not every one has them."""

    def is_sparse(self, array: Array) -> bool:
        """Say whether some entries are stored and others are zero; see `patterns.py`."""
        return False

    def pattern(self, array: Array) -> Pattern:
        """Return the places that a sparse array stores."""
        raise NotImplementedError

    def filled(self, array: Array) -> Array:
        """Return all entries of an array of any layout, as a dense array without graph."""
        raise NotImplementedError

    def emptied(self, array: Array, reference: Array) -> Array:
        """Return a dense array in the layout of a sparse one.

        Stored is what is not zero, and what the reference stores.
        """
        raise NotImplementedError

    def emptier(self, reference: Array) -> Callable[[Array], Array]:
        """Return `emptied` for one reference, of which what it stores may be looked up once."""
        return functools.partial(self.emptied, reference=reference)

    def wrong_layout(self, gradient: Array, leaf: Array) -> tuple[str, str, str] | None:
        """Return what of a gradient's layout does not fit its leaf, found and wanted, or None."""
        return None

    def scattering(self, array: Array) -> str:
        """Return what an array is before `scattered` and not after."""
        return "contiguous"

    def what_is_broken(self, array: Array) -> str | None:
        """Return what is wrong with the indices of a sparse array, None if nothing is."""
        raise NotImplementedError
