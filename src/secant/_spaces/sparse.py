"""Sparse leaves: the space of what is stored, or the space of everything.

Both hand their numbers to the space of a dense array, of the stored values or of all entries, so
that nothing else here knows about dtypes. They differ in what they ignore: a masked leaf keeps its
pattern, and what a gradient holds elsewhere does not count; otherwise an unstored entry is a
coordinate like any other, and moving it stores it.
"""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .._backends.base import Array, Backend
from .._errors import EvaluationError
from .base import Space


@contextlib.contextmanager
def _as_valid(backend: Backend, array: Array) -> Iterator[None]:
    """Read an array; if that fails, say what is wrong with its indices."""
    try:
        yield
    except Exception as error:
        broken = backend.sparse.what_is_broken(array) if backend.sparse.is_sparse(array) else None
        if broken is None:
            raise
        layout = backend.signature(array).layout
        raise EvaluationError(f"an output or a gradient is no valid {layout}: {broken}") from error


class MaskedSpace(Space):
    """The stored entries of a sparse array, in the order of storage; duplicates are one."""

    def __init__(self, backend: Backend, reference: Array, inner: type[Space]) -> None:
        super().__init__(backend, reference)
        self._pattern = backend.sparse.pattern(reference)
        self._stored = inner(backend, self._pattern.example)
        self.size = self._stored.size

    def coordinates(self, array: Array) -> Array:
        with _as_valid(self.backend, array):
            return self._stored.coordinates(self._pattern.values(array))

    def assemble(self, vector: Array) -> Array:
        return self._pattern.array(self._stored.assemble(vector))

    def admission(self) -> Callable[[Array], bool]:
        return self._keeps_pattern

    def _keeps_pattern(self, array: Array) -> bool:
        is_alike = self.backend.has_signature(array, self.signature)
        return is_alike and self._pattern.is_kept_by(array)

    def shaped(self, numbers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return self._stored.shaped(numbers)

    def conjugated(self, vector: Array) -> Array | None:
        return self._stored.conjugated(vector)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._stored.shape

    @property
    def can_be_batched(self) -> bool:
        return False

    def entry(self, index: int) -> tuple[int, str]:
        stored, part = self._stored.entry(index)
        return int(self._places[stored]), part

    @functools.cached_property
    def _places(self) -> np.ndarray[Any, Any]:
        return self._pattern.places()


class UnmaskedSpace(Space):
    """All entries of a sparse array, stored or not, in row-major order."""

    remark = "moving an unstored entry stores it; masked=True keeps the pattern as it is"

    def __init__(self, backend: Backend, reference: Array, inner: type[Space]) -> None:
        super().__init__(backend, reference)
        with _as_valid(backend, reference):
            self._filled = inner(backend, backend.sparse.filled(reference))
        self.size = self._filled.size

    def coordinates(self, array: Array) -> Array:
        with _as_valid(self.backend, array):
            return self._filled.coordinates(self.backend.sparse.filled(array))

    def unstored(self) -> np.ndarray[Any, Any] | None:
        flags = np.ones(math.prod(self.signature.shape), bool)
        flags[self.backend.sparse.pattern(self.reference).places()] = False
        return flags

    def assemble(self, vector: Array) -> Array:
        return self._emptied(self._filled.assemble(vector))

    @functools.cached_property
    def _emptied(self) -> Callable[[Array], Array]:
        return self.backend.sparse.emptier(self.reference)

    @property
    def can_be_batched(self) -> bool:
        return False

    def shaped(self, numbers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return self._filled.shaped(numbers)

    def conjugated(self, vector: Array) -> Array | None:
        return self._filled.conjugated(vector)

    def entry(self, index: int) -> tuple[int, str]:
        return self._filled.entry(index)
