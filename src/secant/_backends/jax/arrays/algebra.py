"""The way between JAX's arrays and vectors: its own for long ones, NumPy's for all others."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...._errors import InputError, expected
from ...arithmetic.algebra import Array, Numbers
from ..traces.calls import plain
from .vectors import JaxVectors, stays

_WIDE = (np.dtype(np.float64), np.dtype(np.complex128))
_SMALL = 1 << 10  # entries of arrays of which one of a kind is kept


class JaxAlgebra(JaxVectors):
    """The way between JAX's arrays and coordinates."""

    def numbers(self, array: Array) -> Numbers:
        numbers = np.asarray(plain(array))
        return (
            numbers.astype(np.float32) if numbers.dtype.kind == "V" else numbers
        )  # NumPy has no such dtype

    def from_numbers(self, numbers: Numbers, reference: Array | None) -> Array:
        return jnp.asarray(numbers) if reference is None else _placed(np.array(numbers), reference)

    def flatten(self, array: Array) -> Array:
        if not isinstance(array, np.ndarray):
            if stays(array):
                return _flat(plain(array))
            array = np.asarray(plain(array))
        return array.astype(np.float64, copy=False).reshape(-1)

    def unflatten(self, vector: Array, reference: Array) -> Array:
        if isinstance(vector, jax.Array):
            return _like(vector, reference.shape, reference.dtype)
        return _placed(_shaped(vector, reference.shape, reference.dtype), reference)

    def kind(self, array: Array) -> tuple[Any, ...] | None:
        value = plain(array)
        is_small = isinstance(value, jax.Array) and not isinstance(value, jax.core.Tracer)
        if not is_small or value.size > _SMALL or not _is_anywhere(value):
            return None
        shape, dtype = value.shape, value.dtype
        is_there = dtype not in _WIDE or jax.dtypes.canonicalize_dtype(dtype) == dtype
        return (shape, dtype) if is_there else None

    def passing(self, reference: Array) -> Callable[[Array], Array]:
        made: Callable[[Array], Array] = self.maker(reference)
        backend: Any = self  # an algebra is a part of one
        value = plain(reference)
        shape, dtype = value.shape, value.dtype
        if not (backend.records and _is_real(dtype) and _is_anywhere(value)) or stays(value):
            return made  # seen by the function itself, or bound to a place
        return lambda vector: np.array(vector.reshape(shape), dtype)

    def reader(self, reference: Array) -> Callable[[Any], Array | None] | None:
        value = plain(reference)
        if stays(value):
            return None
        shape, dtype = value.shape, value.dtype

        def read(array: Any) -> Array | None:
            array = plain(array)
            if isinstance(array, jax.Array) and array.dtype == dtype and array.shape == shape:
                return np.asarray(array).astype(np.float64, copy=False).reshape(-1)
            return None

        return read

    def unflatten_batch(self, rows: Array, reference: Array) -> Array:
        shape = (rows.shape[0], *reference.shape)
        return _placed(_shaped(rows, shape, reference.dtype), reference, is_batch=True)

    # -- dtypes and devices ----------------------------------------------------------------------

    def cast(self, array: Array, dtype: Any) -> Array:
        try:
            wanted = jnp.dtype(dtype)
        except TypeError:
            wanted = None
        if wanted is None or not jnp.issubdtype(wanted, jnp.floating):
            choices = "a floating dtype such as float32, float16 or bfloat16, or None"
            raise expected("dtype", choices, dtype)
        value = plain(array)
        if jnp.issubdtype(value.dtype, jnp.complexfloating):
            wanted = jnp.dtype(np.complex128 if wanted.itemsize == 8 else np.complex64)
        return value.astype(wanted)

    def imported(self, numbers: np.ndarray[Any, Any], dtype: str) -> Array:
        wanted = jnp.dtype(dtype)
        if jax.dtypes.canonicalize_dtype(wanted) != wanted:
            raise InputError(f"jax has no {dtype} unless jax_enable_x64 is switched on")
        return jnp.asarray(numbers, wanted)

    def on_device(self, array: Array, device: Any) -> Array:
        try:
            found = jax.devices(device)[0] if isinstance(device, str) else device
            return jax.device_put(plain(array), found)
        except (RuntimeError, ValueError, TypeError) as error:
            choices = "a device that is there, or None for that of the inputs"
            raise expected("reference_device", choices, device) from error

    def least(self, array: Array) -> float:
        return float(_limits(plain(array).dtype).smallest_normal)


@jax.jit
def _flat(array: Array) -> Array:
    return array.astype(jnp.float32).reshape(-1)


@functools.partial(jax.jit, static_argnums=(1, 2))
def _like(vector: Array, shape: tuple[int, ...], dtype: Any) -> Array:
    return vector.reshape(shape).astype(dtype)


def _shaped(numbers: Any, shape: tuple[int, ...], dtype: Any) -> np.ndarray[Any, Any]:
    """Return coordinates as entries of a dtype, in memory of their own."""
    if jnp.issubdtype(dtype, jnp.complexfloating):
        numbers = np.ascontiguousarray(numbers, np.float64).view(np.complex128)
    return _real(numbers, shape, dtype)


def _real(numbers: Any, shape: tuple[int, ...], dtype: Any) -> np.ndarray[Any, Any]:
    with np.errstate(over="ignore"):
        return np.array(numbers.reshape(shape), dtype=dtype)


@functools.cache
def _is_real(dtype: Any) -> bool:
    return bool(jnp.issubdtype(dtype, jnp.floating))


def _placed(numbers: np.ndarray[Any, Any], reference: Array, *, is_batch: bool = False) -> Array:
    """Return an array of JAX where the reference is; the numbers may be its memory from now on."""
    sharding = plain(reference).sharding
    devices = sharding.device_set
    if _is_anywhere(plain(reference)) or (is_batch and len(devices) > 1):
        # bound to no device: it goes wherever it is computed with; `asarray` compiles a program
        return jax.device_put(numbers)
    return jax.device_put(numbers, next(iter(devices)) if is_batch else sharding)


def _is_anywhere(reference: Array) -> bool:
    """Say whether arrays like this one are made where JAX makes them unless told otherwise."""
    return bool(reference.sharding.device_set == {jax.devices()[0]})


@functools.cache
def roundoff_of(dtype: Any) -> float:
    """Return the unit round-off: half the gap after 1."""
    return math.ldexp(float(_limits(dtype).eps), -1)


def _limits(dtype: Any) -> Any:
    finfo: Any = jnp.finfo
    return finfo(dtype)
