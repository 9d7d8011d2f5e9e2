"""Any array of the Array API standard, known by `__array_namespace__` alone.

Its derivatives are given by hand. Coordinates are NumPy's: values get there through DLPack, or
through NumPy's own door, and come back through the namespace's `asarray`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._errors import InputError
from ..base import Array, Signature
from .numpy import NumpyBackend
from .numpy_algebra import Numbers


class ArrayApiBackend(NumpyBackend):
    """A namespace of the Array API standard, as secant sees it."""

    name = "array_api"
    is_common = False

    def numbers(self, array: Array) -> Numbers:
        if isinstance(array, np.ndarray):
            return array
        try:
            return np.from_dlpack(array)
        except (AttributeError, BufferError, RuntimeError, TypeError, ValueError):
            return np.asarray(array)  # what has no DLPack, or is elsewhere than in main memory

    def like(self, numbers: Numbers, reference: Array) -> Array:
        space = reference.__array_namespace__()
        own = np.ascontiguousarray(numbers).reshape(numbers.shape)
        return space.asarray(own, dtype=reference.dtype, device=reference.device, copy=True)

    # -- what a value is -------------------------------------------------------------------------

    def is_array(self, value: object) -> bool:
        return hasattr(type(value), "__array_namespace__") and not isinstance(
            value, (np.ndarray, np.generic)
        )

    def is_inexact(self, array: Array) -> bool:
        space = array.__array_namespace__()
        return bool(space.isdtype(array.dtype, ("real floating", "complex floating")))

    def is_complex(self, array: Array) -> bool:
        return bool(array.__array_namespace__().isdtype(array.dtype, "complex floating"))

    def is_dense(self, array: Array) -> bool:  # noqa: ARG002 the standard knows no other arrays
        return True

    def signature(self, array: Array) -> Signature:
        return Signature(tuple(array.shape), array.dtype, array.device, "dense")

    def has_signature(self, array: Array, signature: Signature) -> bool:
        return self.is_array(array) and self.signature(array) == signature

    def roundoff(self, array: Array) -> float:
        return float(array.__array_namespace__().finfo(array.dtype).eps) / 2

    def stamp(self, array: Array) -> object:
        return NumpyBackend.stamp(self, self.numbers(array))

    def is_equal(self, one: Array, other: Array) -> bool:
        return NumpyBackend.is_equal(self, self.numbers(one), self.numbers(other))

    def as_array(self, value: object) -> Array | None:
        return value if self.is_array(value) else None

    def as_answer(self, output: Any) -> Any:
        return output

    # -- copies ----------------------------------------------------------------------------------

    def copy(self, array: Array) -> Array:
        return array.__array_namespace__().asarray(array, copy=True)

    def like_layout(self, array: Array, reference: Array) -> Array:  # noqa: ARG002 no strides here
        return array

    def kindred(self, array: Array, reference: Array) -> Array:
        return self.like(NumpyBackend.kindred(self, self.numbers(array), _typed(self, reference)),
                         reference)  # fmt: skip

    def scattered(self, array: Array) -> Array:
        """Return a copy: how entries are stored is none of the standard's business."""
        return self.copy(array)

    def expanded(self, array: Array) -> Array:
        space = array.__array_namespace__()
        first = space.reshape(array, (-1,))[:1]
        return space.broadcast_to(space.reshape(first, (1,) * array.ndim), array.shape)

    def widened(self, array: Array) -> Array:
        space = array.__array_namespace__()
        return space.astype(array, space.complex128 if self.is_complex(array) else space.float64)

    def shares_memory(self, one: Array, other: Array) -> bool:
        return NumpyBackend.shares_memory(self, self.numbers(one), self.numbers(other))

    # -- dtypes and devices ----------------------------------------------------------------------

    def cast(self, array: Array, dtype: Any) -> Array:
        space = array.__array_namespace__()
        wanted = getattr(space, dtype) if isinstance(dtype, str) else dtype
        if self.is_complex(array):
            is_double = float(space.finfo(wanted).eps) < 1e-10
            wanted = space.complex128 if is_double else space.complex64
        return space.astype(array, wanted)

    def on_device(self, array: Array, device: Any) -> Array:
        return array.to_device(device)

    def exported(self, array: Array) -> Numbers:
        return self.numbers(array).copy()

    def imported(self, numbers: Numbers, dtype: str) -> Array:  # noqa: ARG002 nowhere to put them
        raise InputError("arrays of the Array API have no namespace to be made in by name")

    def spacing(self, vector: Array, reference: Array) -> Array:
        return NumpyBackend.spacing(self, vector, _typed(self, reference))

    def transforms(self) -> None:
        return None

    # -- words -----------------------------------------------------------------------------------

    def dtype_name(self, array: Array) -> str:
        return str(self.numbers(array).dtype)

    def version(self) -> str:
        return f"array API through numpy {np.__version__}"


def _typed(backend: ArrayApiBackend, reference: Array) -> Numbers:
    """Return an empty NumPy array of the reference's dtype."""
    return np.empty(0, backend.numbers(reference).dtype)
