"""NumPy: arrays of main memory, whose derivatives are written by hand or come from autograd.

Conjugation: a gradient g of a complex input means Re⟨v, J u⟩ = Re⟨g, u⟩ with ⟨a, b⟩ = Σ ā b, so the
gradient of a real loss is ∂L/∂a + i ∂L/∂b, as in torch. Extended precision (longdouble) is checked
with the sixteen digits that coordinates have.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import optree
from numpy.lib.stride_tricks import as_strided

from ..._errors import InputError, expected
from .. import vectors as memory
from ..base import Array, Backend, Signature
from ..transforms import Transforms
from ..unrecorded import Unrecorded
from .numpy_algebra import Numbers, NumpyAlgebra

_WORK = np.dtype(np.float64)
_FINEST = 2.0**-53  # what coordinates can tell apart, however many digits the dtype has
_SMALL = 1 << 12  # bytes that are kept as they are to see whether they change


class NumpyBackend(NumpyAlgebra, Unrecorded, Backend):
    """NumPy, as secant sees it."""

    name = "numpy"
    is_common = True
    draws = False

    def numbers(self, array: Array) -> Numbers:
        return np.asarray(array)

    def like(self, numbers: Numbers, reference: Array) -> Array:
        typed = numbers if numbers.dtype == reference.dtype else numbers.astype(reference.dtype)
        if isinstance(reference, np.generic) and typed.ndim == 0:
            return typed[()]
        return _of_class(typed, reference)

    # -- what a value is -------------------------------------------------------------------------

    def is_array(self, value: object) -> bool:
        return isinstance(value, (np.ndarray, np.generic))

    def is_inexact(self, array: Array) -> bool:
        return array.dtype.kind in "fc"

    def is_complex(self, array: Array) -> bool:
        return bool(array.dtype.kind == "c")

    def is_dense(self, array: Array) -> bool:
        return not isinstance(array, np.ma.MaskedArray)

    def can_be_output(self, array: Array) -> bool:
        return self.is_dense(array)

    def wants_gradient(self, array: Array) -> bool:  # noqa: ARG002 arrays are not marked
        return False

    def signature(self, array: Array) -> Signature:
        layout = "dense" if self.is_dense(array) else "masked"
        return Signature(array.shape, array.dtype.newbyteorder("="), "cpu", layout)

    def has_signature(self, array: Array, signature: Signature) -> bool:
        return bool(
            self.is_array(array)
            and array.dtype.newbyteorder("=") == signature.dtype
            and array.shape == signature.shape
        )

    def roundoff(self, array: Array) -> float:
        return max(float(np.finfo(array.dtype).eps) / 2, _FINEST)

    def is_exact(self, array: Array) -> bool:
        return self.roundoff(array) == _FINEST

    def stamp(self, array: Array) -> object:
        """Return the bytes of a small array, a checksum of a large one: NumPy counts no writes."""
        if array.dtype.hasobject:
            return tuple(map(id, array.flat))
        if array.nbytes <= _SMALL:
            return array.tobytes()
        contents: Any = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        return zlib.crc32(contents)

    def is_equal(self, one: Array, other: Array) -> bool:
        return memory.is_equal(np.asarray(one), np.asarray(other))

    def as_array(self, value: object) -> Array | None:
        """Take what NumPy's own functions take: numbers, and lists of them."""
        if self.is_array(value):
            return value
        try:
            array = np.asarray(value)
        except (TypeError, ValueError):
            return None
        return array if array.dtype.kind in "biufc" else None

    def as_answer(self, output: Any) -> Any:
        """Take Python's numbers, and lists of numbers, for the arrays that they stand for."""
        if isinstance(output, (np.ndarray, np.generic)):
            return output
        if isinstance(output, (float, complex, int)) and not isinstance(output, bool):
            return np.complex128(output) if isinstance(output, complex) else np.float64(output)
        if type(output) is list and output and all(map(_is_number, output)):
            return np.asarray(output) + 0.0
        return optree.tree_map(_typed, output)

    # -- copies ----------------------------------------------------------------------------------

    def copy(self, array: Array) -> Array:
        if isinstance(array, np.generic):
            return array
        return self.like_layout(array.copy(), array)

    def like_layout(self, array: Array, reference: Array) -> Array:
        if isinstance(reference, np.generic) or array.strides == reference.strides:
            return array
        if not array.size or 0 in reference.strides or _overlaps(reference):
            return array
        laid_out = _laid_out(reference.shape, reference.strides, array.dtype)
        laid_out[...] = array
        return laid_out

    def kindred(self, array: Array, reference: Array) -> Array:
        numbers = np.asarray(array)
        return (numbers.real if not self.is_complex(reference) else numbers).astype(reference.dtype)

    def scattered(self, array: Array) -> Array:
        # dimensions in reverse order of storage, a gap after every entry
        numbers = np.asarray(array)
        gaps = np.full((*numbers.shape[::-1], 2), np.nan, numbers.dtype)
        spread = gaps[..., 0].T
        spread[...] = numbers
        return _of_class(spread, array)

    def expanded(self, array: Array) -> Array:
        first = np.asarray(array).reshape(-1)[:1].copy()
        return _of_class(as_strided(first, array.shape, (0,) * array.ndim), array)

    def widened(self, array: Array) -> Array:
        return array.astype(np.complex128 if self.is_complex(array) else _WORK)

    def detached(self, array: Array) -> Array:
        return array

    def shares_memory(self, one: Array, other: Array) -> bool:
        are_arrays = isinstance(one, np.ndarray) and isinstance(other, np.ndarray)
        return are_arrays and one.size > 0 and one.ctypes.data == other.ctypes.data

    # -- dtypes and devices ----------------------------------------------------------------------

    def cast(self, array: Array, dtype: Any) -> Array:
        kind = _named_dtype(dtype)
        if kind is None or kind.kind != "f":
            raise expected("dtype", "a floating dtype such as float32 or float16, or None", dtype)
        return array.astype(np.result_type(kind, np.complex64) if self.is_complex(array) else kind)

    def on_device(self, array: Array, device: Any) -> Array:
        if device != "cpu":
            raise expected("reference_device", "cpu, where NumPy's arrays are, or None", device)
        return array

    def exported(self, array: Array) -> Numbers:
        return np.array(array)

    def imported(self, numbers: Numbers, dtype: str) -> Array:
        kind = _named_dtype(dtype)
        if kind is None or kind.kind not in "biufc":  # other libraries may add dtypes of theirs
            raise InputError(f"numpy has no {dtype}")
        return numbers.astype(kind)

    def spacing(self, vector: Array, reference: Array) -> Array:
        limits = np.finfo(reference.dtype)
        least = max(float(limits.smallest_normal), float(np.finfo(_WORK).smallest_normal))
        _, exponents = np.frexp(np.maximum(np.abs(vector), least))
        return np.ldexp(2 * self.roundoff(reference), exponents - 1)

    def place_of_largest(self, vector: Array) -> int:
        return int(vector.argmax())

    def transforms(self) -> Transforms | None:
        """Autograd's, where the user has imported its NumPy."""
        if "autograd.numpy" not in sys.modules:
            return None
        from .autograd import Autograd

        return Autograd()

    def map_batch(
        self, call: Callable[[Array], tuple[Array, ...]], batch: Array
    ) -> tuple[Array, ...]:
        raise NotImplementedError("NumPy has no batching of its own")

    # -- state -----------------------------------------------------------------------------------

    def random_state(self) -> Any:
        """Return nothing: the generator behind `np.random.rand` is everybody's."""
        return None

    def set_random_state(self, state: Any) -> None:
        pass

    def same_random_state(self, one: Any, other: Any) -> bool:  # noqa: ARG002 see above
        return True

    # -- words -----------------------------------------------------------------------------------

    def dtype_name(self, array: Array) -> str:
        return str(array.dtype)

    def version(self) -> str:
        return f"numpy {np.__version__}"


def _named_dtype(dtype: Any) -> np.dtype[Any] | None:
    """Return one of NumPy's own dtypes; those that other libraries add have no `finfo` there."""
    try:
        named: np.dtype[Any] = np.dtype(dtype)
    except TypeError:
        return None
    return named if named.kind in "biufc" else None


def _is_number(value: object) -> bool:
    is_scalar = isinstance(value, (float, complex, int, np.number)) and not isinstance(value, bool)
    return is_scalar or (isinstance(value, np.ndarray) and value.ndim == 0)


def _typed(value: object) -> object:
    """Return a Python number as NumPy's; whole numbers are counts, not results."""
    if isinstance(value, np.generic):
        return value
    if isinstance(value, complex):
        return np.complex128(value)
    return np.float64(value) if isinstance(value, float) else value


def _of_class(numbers: Numbers, reference: Array) -> Numbers:
    """Return the same numbers as an array of the reference's own class (`np.matrix`, …)."""
    kind = type(reference)
    is_plain = kind is np.ndarray or issubclass(kind, np.generic)
    return numbers if is_plain else numbers.view(kind)


def _laid_out(shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any) -> Numbers:
    """Return a new array of these strides, in memory of its own."""
    reach = [stride * (size - 1) for size, stride in zip(shape, strides, strict=True)]
    before, after = -sum(min(0, one) for one in reach), sum(max(0, one) for one in reach)
    buffer = np.zeros(before + after + dtype.itemsize, np.uint8)
    return np.ndarray(shape, dtype, buffer, before, strides)


def _overlaps(array: Numbers) -> bool:
    """Say whether two entries may share memory (strides that fold back)."""
    reach = array.dtype.itemsize
    sizes = [(abs(stride), size) for size, stride in zip(array.shape, array.strides, strict=True)]
    for stride, size in sorted(sizes):
        if size == 1:
            continue
        if stride < reach:
            return True
        reach += stride * (size - 1)
    return False
