"""Any array of the Array API standard, known by `__array_namespace__` alone.

Its derivatives are given by hand. Coordinates are NumPy's: values get there through DLPack, or
through NumPy's own door, and come back through the namespace's `asarray`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._errors import InputError
from ..base import Array, Backend, Numbers, Signature
from ..interface.autodiff import ByHand


class ArrayApiBackend(ByHand, Backend):
    """A namespace of the Array API standard, as secant sees it."""

    name = "array_api"

    def is_array(self, value: object) -> bool:
        return hasattr(type(value), "__array_namespace__") and not isinstance(
            value, (np.ndarray, np.generic)
        )

    def numbers(self, array: Array) -> Numbers:
        if isinstance(array, np.ndarray):
            return array
        try:
            return np.from_dlpack(array)
        except (AttributeError, BufferError, RuntimeError, TypeError, ValueError):
            return np.asarray(array)  # what has no DLPack, or is elsewhere than in main memory

    def from_numbers(self, numbers: Numbers, reference: Array | None) -> Array:
        if reference is None:
            raise InputError("arrays of the Array API have no namespace to be made in by name")
        space = reference.__array_namespace__()
        own = np.ascontiguousarray(numbers).reshape(numbers.shape)
        dtype = getattr(space, own.dtype.name)
        return space.asarray(own, dtype=dtype, device=reference.device, copy=True)

    # -- the standard's own ways -----------------------------------------------------------------

    def detached(self, array: Array) -> Array:
        return array

    def signature(self, array: Array) -> Signature:
        return Signature(tuple(array.shape), array.dtype, array.device, "dense")

    def expanded(self, array: Array) -> Array:
        space = array.__array_namespace__()
        first = space.reshape(array, (-1,))[:1]
        return space.broadcast_to(space.reshape(first, (1,) * array.ndim), array.shape)

    def on_device(self, array: Array, device: Any) -> Array:
        return array.to_device(device)

    def version(self) -> str:
        return f"array API through numpy {np.__version__}"
