"""What an array is, and copies of it: all of it follows from its numbers in main memory.

A backend says which things are its arrays, what their numbers are, and how numbers become an array.
A framework that can do the rest better, without a copy or on a device, does it its own way.
"""

from __future__ import annotations

import abc
import copy
import functools
import sys
import zlib
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..._errors import InputError, expected
from ..arithmetic import chunked
from ..arithmetic.algebra import Array, Numbers

_FINEST = 2.0**-53  # what coordinates can tell apart, however many digits the dtype has
_LEAST = float(np.finfo(np.float64).smallest_normal)
_SMALL = 1 << 12  # bytes that are kept as they are to see whether they change
_GENERATORS = (np.random.Generator, np.random.RandomState, np.random.BitGenerator)


class Signature(NamedTuple):
    """What a gradient must share with its input, and an output with its earlier self."""

    shape: tuple[int, ...]
    dtype: Any
    device: Any
    layout: Any


class Values(abc.ABC):
    """A *value* has the dtype, shape and layout that the user's function sees."""

    name: ClassVar[str]  # of the framework's module
    is_common: ClassVar[bool] = False  # its arrays are found beside others', and speak last

    @abc.abstractmethod
    def is_array(self, value: object) -> bool:
        """Say whether the value is one of this framework's arrays."""

    @abc.abstractmethod
    def numbers(self, array: Array) -> Numbers:
        """Return an array as NumPy's, of its own shape and dtype; memory may be shared."""

    @abc.abstractmethod
    def from_numbers(self, numbers: Numbers, reference: Array | None) -> Array:
        """Return an array of these numbers and their dtype, where `reference` is; no record."""

    # -- what a value is -------------------------------------------------------------------------

    def dtype(self, array: Array) -> np.dtype[Any]:
        """Return the dtype that `numbers` gives."""
        own: np.dtype[Any] = self.numbers(array).dtype
        return own

    def is_inexact(self, array: Array) -> bool:
        """Say whether the dtype is floating or complex, so that a derivative makes sense."""
        return self.dtype(array).kind in "fc"

    def is_complex(self, array: Array) -> bool:
        """Say whether the dtype is complex."""
        return self.dtype(array).kind == "c"

    def is_dense(self, array: Array) -> bool:
        """Say whether every entry is stored, so that entries are coordinates."""
        return True

    def can_be_output(self, array: Array) -> bool:
        """Say whether cotangents can be made for such an array."""
        return self.is_dense(array)

    def signature(self, array: Array) -> Signature:
        """Return shape, dtype, device and layout."""
        layout = "dense" if self.is_dense(array) else type(array).__name__
        return Signature(tuple(array.shape), self.dtype(array).newbyteorder("="), "cpu", layout)

    def has_signature(self, array: Array, signature: Signature) -> bool:
        """Say whether a value is an array of this signature."""
        return self.is_array(array) and self.signature(array) == signature

    def roundoff(self, array: Array) -> float:
        """Return the unit round-off of the dtype: half the gap after 1."""
        return _roundoff_of(self.dtype(array))

    def least(self, array: Array) -> float:
        """Return the least number of the dtype that has all its digits."""
        return max(float(np.finfo(self.dtype(array)).smallest_normal), _LEAST)

    def is_exact(self, array: Array) -> bool:
        """Say whether the dtype holds float64 coordinates as they are, so that nothing rounds."""
        return self.roundoff(array) == _FINEST

    def rounding(self, reference: Array) -> Callable[[Array], Array] | None:
        """Return what the dtype of `reference` makes of any part of coordinates, if that is known.

        It may answer with what it is given.
        """
        return None

    def stamp(self, array: Array) -> object:
        """Return a token that changes whenever the array is written into.

        That is the bytes of a small array and a checksum of a large one, where none are counted.
        """
        numbers = self.numbers(array)
        if numbers.dtype.hasobject:
            return tuple(map(id, numbers.flat))
        if numbers.nbytes <= _SMALL:
            return numbers.tobytes()
        contents: Any = np.ascontiguousarray(numbers).reshape(-1).view(np.uint8)
        return zlib.crc32(contents)

    def is_equal(self, one: Array, other: Array) -> bool:
        """Say whether all entries of two values or vectors are equal, NaN counted equal to NaN."""
        if not isinstance(one, np.ndarray):
            one, other = self.numbers(one), self.numbers(other)
        return chunked.is_equal(one, other)

    def as_array(self, value: object) -> Array | None:
        """Return what a hand-written derivative answered as an array, None where it is none."""
        return value if self.is_array(value) else None

    def unusable(self, array: Array) -> str:
        """Return what about an array leaves nothing to measure, "" if it holds numbers."""
        return ""

    def unusable_here(self) -> str:
        """Return what surrounds a call of secant so that nothing can be measured, "" if nothing."""
        return ""

    def is_deleted(self, array: Array) -> bool:
        """Say whether a function has deleted an array, or has given its memory away."""
        return False

    def shares_memory(self, one: Array, other: Array) -> bool:
        """Say whether two values begin at the same place: a buffer that is used again."""
        one, other = self.numbers(one), self.numbers(other)
        return one.size > 0 and _address(one) == _address(other)

    # -- copies ----------------------------------------------------------------------------------

    def copy(self, array: Array) -> Array:
        """Return a private copy of the same layout, cut from any record."""
        return self.like_layout(self.from_numbers(self.numbers(array).copy(), array), array)

    def detached(self, array: Array) -> Array:
        """Return the array without its record."""
        return self.from_numbers(self.numbers(array), array)

    def like_layout(self, array: Array, reference: Array) -> Array:
        """Return the array with the strides of `reference`."""
        return array

    def as_kind(self, array: Array, reference: Array) -> Array:
        """Return the array made complex or real, as `reference` is."""
        numbers = self.numbers(array)
        typed = numbers if self.is_complex(reference) else numbers.real
        return self.from_numbers(typed.astype(self.dtype(reference)), reference)

    def scattered(self, array: Array) -> Array:
        """Return the same entries stored backwards and with gaps, the gaps filled with NaN."""
        numbers = self.numbers(array)
        gaps = np.full((*numbers.shape[::-1], 2), np.nan, numbers.dtype)
        spread = gaps[..., 0].T
        spread[...] = numbers
        return self.from_numbers(spread, array)

    def expanded(self, array: Array) -> Array:
        """Return an array of the same shape that stores its first entry alone, everywhere."""
        numbers = self.numbers(array)
        first = numbers.reshape(-1)[:1].copy()
        return self.from_numbers(as_strided(first, numbers.shape, (0,) * numbers.ndim), array)

    def widened(self, array: Array) -> Array:
        """Return the array in float64 or complex128, of the same layout, without its record."""
        return self.cast(array, "float64")

    def cast(self, array: Array, dtype: Any) -> Array:
        """Return the array rounded to a floating dtype, given as the framework's or by its name.

        Complex arrays get the dtype's complex counterpart; the layout stays, the record does not.
        """
        kind = named_dtype(dtype)
        if kind is None or kind.kind != "f":
            raise expected("dtype", "a floating dtype such as float32 or float16, or None", dtype)
        wanted = np.result_type(kind, np.complex64) if self.is_complex(array) else kind
        return self.from_numbers(self.numbers(array).astype(wanted), array)

    def on_device(self, array: Array, device: Any) -> Array:
        """Return the array on another device, of the same layout, without its record."""
        if device != "cpu":
            raise expected("reference_device", f"cpu, where {self.name} computes, or None", device)
        return array

    def imported(self, numbers: Numbers, dtype: str) -> Array:
        """Return NumPy's numbers as a value of a dtype given by its name, as others call it."""
        kind = named_dtype(dtype)
        if kind is None:
            raise InputError(f"{self.name} has no {dtype}")
        return self.from_numbers(np.array(numbers, kind), None)

    # -- values to vectors and back ---------------------------------------------------------------

    def flatten(self, array: Array) -> Array:
        """Return the entries of a real value as a vector."""
        numbers = array if isinstance(array, np.ndarray) else self.numbers(array)
        return np.asarray(numbers, np.float64).reshape(-1)

    def unflatten(self, vector: Array, reference: Array) -> Array:
        """Return the vector as a value of the shape and dtype of `reference` (real parts last)."""
        if self.is_complex(reference):
            vector = np.ascontiguousarray(vector, np.float64).view(np.complex128)
        typed = vector.reshape(tuple(reference.shape)).astype(self.dtype(reference), copy=False)
        return self.from_numbers(typed, reference)

    def as_real(self, array: Array) -> Array:
        """Return a complex value as a real one with a last axis (real, imaginary)."""
        numbers = self._in_memory(array)
        wide = np.ascontiguousarray(numbers, np.complex128).reshape(-1)
        return wide.view(np.float64).reshape(*numbers.shape, 2)

    def flatten_batch(self, batch: Array) -> Array:
        """Return a batch of values as a matrix of float64 coordinates, one row each.

        A *batch* is a value with one axis more in front; NumPy's will do.
        """
        numbers = self._in_memory(batch)
        if np.iscomplexobj(numbers):
            numbers = self.as_real(numbers)
        return np.asarray(numbers, np.float64).reshape(numbers.shape[0], -1)

    def unflatten_batch(self, rows: Array, reference: Array) -> Array:
        """Return rows of coordinates as a batch of values like `reference`."""
        if self.is_complex(reference):
            rows = np.ascontiguousarray(rows).view(np.complex128)
        return rows.reshape(rows.shape[0], *reference.shape).astype(self.dtype(reference))

    def _in_memory(self, array: Array) -> Numbers:
        return array if isinstance(array, np.ndarray) else self.numbers(array)

    # -- inputs and outputs of functions ----------------------------------------------------------

    def open_container(self, value: object) -> bool:
        """Make a container known to optree that only this framework knows; say if it is one."""
        return False

    def adopted(self, leaves: list[Any]) -> list[Any]:
        """Return the leaves of the inputs, those made arrays that the framework treats as such."""
        return leaves

    def as_answer(self, output: Any) -> Any:
        """Return what a function answered, numbers that stand for arrays made into arrays."""
        return output

    def private(self, leaf: Any) -> Any:
        """Return an input that is no array as one call may have it: a generator is copied."""
        return copy.deepcopy(leaf) if isinstance(leaf, _GENERATORS) else leaf

    # -- words -----------------------------------------------------------------------------------

    def spelt(self, path: str) -> str:
        """Return the path of a leaf in the framework's own habit."""
        return path

    def dtype_name(self, array: Array) -> str:
        """Return the dtype as the user writes it."""
        return str(self.dtype(array))

    def version(self) -> str:
        """Return the framework's name and version."""
        return f"{self.name} {getattr(sys.modules[self.name], '__version__', '')}".rstrip()


@functools.cache
def _roundoff_of(dtype: np.dtype[Any]) -> float:
    return max(float(np.finfo(dtype).eps) / 2, _FINEST)


def _address(numbers: Numbers) -> int:
    return int(numbers.__array_interface__["data"][0])


def named_dtype(dtype: Any) -> np.dtype[Any] | None:
    """Return one of NumPy's own dtypes; those that other libraries add have no `finfo` there."""
    try:
        named: np.dtype[Any] = np.dtype(dtype)
    except TypeError:
        return None
    return named if named.kind in "biufc" else None
