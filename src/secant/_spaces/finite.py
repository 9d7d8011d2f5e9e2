"""The finite entries of a dense leaf; its infinities stay what they are, as in a mask of −inf.

Nothing lies beside an infinity: no move of it shows, so that its slope is zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._backends.base import Array, Backend
from .base import Space, index_label


class FiniteSpace(Space):
    """The space of the finite entries; `held` are the coordinates of the others."""

    has_infinities = True

    def __init__(self, backend: Backend, reference: Array, inner: type[Space]) -> None:
        super().__init__(backend, reference)
        self._every = inner(backend, reference)
        numbers = np.array(backend.to_numpy(self._every.coordinates(reference)))
        is_finite = np.isfinite(numbers)
        if backend.is_complex(reference):  # one infinite part makes the number infinite
            is_finite = np.repeat(is_finite.reshape(-1, 2).all(axis=1), 2)
        self._places = np.flatnonzero(is_finite)
        self._picked: Any = self._places
        self.held = np.flatnonzero(~is_finite)
        self._nothing, self._numbers = np.zeros_like(numbers), numbers
        self.size = len(self._places)
        self.has_nan = bool(np.isnan(numbers).any())  # then there is no point at all

    def coordinates(self, array: Array) -> Array:
        return self.backend.select(self._every.coordinates(array), self._picked)

    def coordinates_of_held(self, array: Array) -> np.ndarray[Any, Any]:
        """Return the coordinates that an array has where this leaf is infinite."""
        return self.backend.to_numpy(self._every.coordinates(array))[self.held]

    def assemble(self, vector: Array) -> Array:
        return self._filled(self._nothing, vector)

    def passing(self, vector: Array) -> Array:
        return self._filled(self._numbers, vector)

    def value(self, vector: Array) -> Array:
        return self.backend.like_layout(self.passing(vector), self.reference)

    def _filled(self, numbers: np.ndarray[Any, Any], vector: Array) -> Array:
        every = numbers.copy()
        every[self._places] = self.backend.to_numpy(vector)
        return self._every.assemble(self.backend.vector(every, self.reference))

    def shaped(self, numbers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return numbers.view(np.complex128) if self._is_complex else numbers

    def conjugated(self, vector: Array) -> Array | None:
        if not self._is_complex:
            return None
        signs = np.tile([1.0, -1.0], self.size // 2)
        return vector * self.backend.vector(signs, self.reference)

    @property
    def _is_complex(self) -> bool:
        return self.backend.is_complex(self.reference)

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.size // 2 if self._is_complex else self.size,)

    @property
    def can_be_batched(self) -> bool:
        return False

    def entry(self, index: int) -> tuple[int, str]:
        return self._every.entry(int(self._places[index]))

    def label_of_held(self, place: int) -> str:
        """Return one coordinate that is held as the user would write it."""
        return self._every.label(int(self.held[place]))

    def labels_of_held(self) -> list[str]:
        """Return the entries that are held, as the user would write them."""
        entries = dict.fromkeys(self._every.entry(int(place))[0] for place in self.held)
        return [index_label(entry, self.signature.shape) for entry in entries]
