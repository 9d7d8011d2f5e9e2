"""A dense real leaf of n entries has n coordinates: its entries in row-major order."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._backends.base import Array, Backend
from .base import Space, index_labels

_FEW = 1 << 8  # entries whose labels are kept by shape


class DenseSpace(Space):
    """ℝⁿ for a dense real array."""

    def __init__(self, backend: Backend, reference: Array) -> None:
        super().__init__(backend, reference)
        self.size = math.prod(self.signature.shape)
        # asked at every evaluation: the backend's own, without a call around them
        self.coordinates = backend.flatten  # type: ignore[method-assign]
        self.assemble = backend.maker(reference)  # type: ignore[method-assign, assignment]
        self.passing = backend.passing(reference)  # type: ignore[method-assign, assignment]
        self._read = backend.reader(reference)

    def reader(self) -> Callable[[Any], Array | None]:
        return self._read or super().reader()

    def coordinates(self, array: Array) -> Array:
        return self.backend.flatten(array)

    def shaped(self, numbers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return numbers.reshape(self.signature.shape)

    def conjugated(self, vector: Array) -> Array | None:  # noqa: ARG002 nothing to conjugate
        return None

    def labels(self) -> Sequence[str]:
        shape = self.signature.shape
        return index_labels(tuple(shape)) if self.size <= _FEW else super().labels()

    def entry(self, index: int) -> tuple[int, str]:
        return index, ""
