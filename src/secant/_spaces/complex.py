"""A dense complex leaf of n entries has 2n coordinates: (real, imaginary) of each in turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._backends.base import Array, Backend
from .base import Space, count


class ComplexSpace(Space):
    """ℝ²ⁿ for a dense complex array."""

    def __init__(self, backend: Backend, reference: Array) -> None:
        super().__init__(backend, reference)
        self.size = 2 * count(self.signature.shape)

    def coordinates(self, array: Array) -> Array:
        if not self.backend.is_complex(array):
            array = array + 0j  # a real gradient of a complex leaf has imaginary part 0
        return self.backend.flatten(self.backend.as_real(array))

    def shaped(self, numbers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return numbers.view(np.complex128).reshape(self.signature.shape)

    def conjugated(self, vector: Array) -> Array | None:
        signs = np.tile([1.0, -1.0], self.size // 2)
        return vector * self.backend.vector(signs, self.reference)

    def entry(self, index: int) -> tuple[int, str]:
        return index // 2, ".imag" if index % 2 else ".real"
