"""NumPy's arrays for those who draw them: every layout is a view of a contiguous one."""

from __future__ import annotations

from typing import Any

import numpy as np

from .makers import Maker, unrepeated


class NumpyMaker(Maker):
    """Makes NumPy's arrays."""

    dtypes = ("float64", "float32", "float16", "complex128", "complex64")
    records = False

    def default(self) -> str:
        return "float64"

    def make(self, numbers: np.ndarray[Any, Any], dtype: str, layout: str) -> Any:
        typed = numbers.astype(dtype)
        if layout == "transposed":
            return np.ascontiguousarray(typed.T).T
        if layout == "sliced":
            return np.repeat(typed, 2, axis=-1)[..., ::2]
        if layout == "expanded":
            return np.broadcast_to(unrepeated(typed), typed.shape)
        return typed
