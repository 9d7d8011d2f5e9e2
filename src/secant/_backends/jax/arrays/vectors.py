"""Long vectors of JAX: its own arrays, where the leaf is, in float32, which is what JAX always has.

What is long and of no more than float32 stays on its device; everything else is NumPy's, in main
memory. Contractions add up rows in float32 by one compiled pass over both vectors, and the sums of
rows, a thousandth of what was read, in float64 in main memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from ...arithmetic import chunked, counting
from ...arithmetic.algebra import Algebra, Array, Excess
from ...arithmetic.chunked import SHORT
from ...arithmetic.counting import ROW, StreamKey
from ...arithmetic.pieces import VectorInChunks
from ..traces.calls import plain

IN_MEMORY = frozenset({"cpu"})  # platforms whose arrays NumPy works on faster than JAX does
_LONG = 1 << 16  # entries, of which a copy to main memory costs more than a program does
_ROW = 1 << 10
_SAFE = 2.0**-56, 2.0**56  # typical entries whose squares float32 holds
_SHORT_DTYPES = frozenset({"float32", "bfloat16", "float16"})


def stays(reference: Array) -> bool:
    """Say whether vectors of such an array are JAX's own."""
    value = plain(reference)
    if not isinstance(value, jax.Array) or value.size < _LONG:
        return False
    devices: list[Any] = list(value.sharding.device_set)
    is_away = len(devices) == 1 and devices[0].platform not in IN_MEMORY
    return is_away and value.dtype.name in _SHORT_DTYPES


def is_numpys(*vectors: Array) -> bool:
    """Say whether vectors are NumPy's, all of them; made of JAX's own they are made at once."""
    # asked at every turn: a generator is a call for each
    return not [one for one in vectors if not isinstance(one, (np.ndarray, VectorInChunks))]


class JaxVectors(Algebra):
    """What is done with vectors, NumPy's or JAX's own."""

    namespace: ClassVar[Any] = jnp

    # -- where vectors are -----------------------------------------------------------------------

    def vector(self, numbers: np.ndarray[Any, Any], reference: Array) -> Array:
        if not stays(reference):
            return numbers
        return jax.device_put(np.asarray(numbers, np.float32), plain(reference).sharding)

    def zeros(self, size: int, reference: Array) -> Array:
        if not stays(reference):
            return np.zeros(size)
        return jnp.zeros(size, jnp.float32, device=plain(reference).sharding)

    def signed_magnitudes(self, key: StreamKey, size: int, grain: float, reference: Array) -> Array:
        if not stays(reference):
            return counting.signed_magnitudes(key, size, grain)
        places = counting.starts(key, size).astype(np.int32)
        return _looked_up(self.vector(counting.table(grain), reference), places, size)

    def put(self, vector: Array, place: Any, numbers: Array | float) -> Array:
        if not isinstance(vector, np.ndarray):
            return vector.at[place].set(numbers)
        vector[place] = numbers
        return vector

    def unmade(self, make: Callable[..., Array], *vectors: Array) -> Array:
        if is_numpys(*vectors):
            return Algebra.unmade(self, make, *vectors)
        return make(*vectors)  # started here, and done when it is read

    def made(self, make: Callable[..., Array], *vectors: Array) -> Array:
        if is_numpys(*vectors):
            return Algebra.made(self, make, *vectors)
        return make(*vectors)

    def plus(self, vector: Array, factor: float, other: Array) -> Array:
        if is_numpys(vector):
            return Algebra.plus(self, vector, factor, other)
        return _plus(vector, factor, other)

    # -- numbers ---------------------------------------------------------------------------------

    def dot(self, one: Array, other: Array) -> float:
        if is_numpys(one, other):
            return Algebra.dot(self, one, other)
        return self.dots([(one, other)])[0]

    def total(self, vector: Array) -> float:
        if is_numpys(vector):
            return chunked.total(np, vector)
        return _summed(np.asarray(_rows_of(vector, 1.0))[0])

    def norm(self, vector: Array) -> float:
        if isinstance(vector, np.ndarray):
            return Algebra.norm(self, vector)
        return self.products([(vector, 1.0)])[0][1]

    def distance(self, one: Array, factor: float, other: Array) -> float:
        if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
            return Algebra.distance(self, one, factor, other)
        return self.norm(jnp.asarray(factor * one - other))

    def norm_of_product(self, one: Array, other: Array) -> float:
        return self.products([(one, other)])[0][1]

    def products(self, pairs: Sequence[tuple[Array, Array]]) -> list[tuple[float, float]]:
        if _are_short(pairs):
            return Algebra.products(self, pairs)
        found = []
        for (one, other), read in zip(pairs, _read(pairs), strict=True):
            if read is None:
                found += chunked.products(np, [(one, other)])
                continue
            total, root = _summed(read[0]), math.sqrt(_summed(read[1]))
            typical = root / math.sqrt(one.shape[0])
            if not (math.isfinite(total) and _SAFE[0] < typical < _SAFE[1]):
                wide = np.asarray(one, np.float64) * np.asarray(other, np.float64)
                total, root = chunked.total(np, wide), math.sqrt(chunked.dot(np, wide, wide))
            found.append((total, root))
        return found

    def dots(self, pairs: Sequence[tuple[Array, Array]]) -> list[float]:
        if _are_short(pairs):
            return Algebra.dots(self, pairs)
        found = []
        for (one, other), read in zip(pairs, _read(pairs), strict=True):
            if read is None:
                found.append(Algebra.dot(self, one, other))
                continue
            total = _summed(read[0])
            if not math.isfinite(total):  # beyond float32
                wide = np.asarray(one, np.float64), np.asarray(other, np.float64)
                total = Algebra.dot(self, *wide)
            found.append(total)
        return found

    def is_multiple(self, one: Array, factor: float, other: Array) -> bool:
        if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
            return Algebra.is_multiple(self, one, factor, other)
        return is_same(one, factor, other)

    def is_finite(self, vector: Array) -> bool:
        if isinstance(vector, np.ndarray):
            return Algebra.is_finite(self, vector)
        return bool(jnp.isfinite(vector).all())

    def largest(self, vector: Array) -> float:
        if is_numpys(vector):
            return Algebra.largest(self, vector)
        return float(_largest(vector))

    def excess(self, one: Array, other: Array, share: float, free: Array) -> Excess:
        if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
            return Algebra.excess(self, one, other, share, free)
        return Excess(*_excess(one, other, share, free).tolist())

    def to_numpy(self, vector: Array) -> np.ndarray[Any, Any]:
        return vector if isinstance(vector, np.ndarray) else np.asarray(vector, np.float64)


def _are_short(pairs: Sequence[tuple[Array, Array]]) -> bool:
    """Say whether there is nothing to be made, or read from a device."""
    vectors = [one for pair in pairs for one in pair]
    return not [one for one in vectors if not isinstance(one, np.ndarray) or one.size > SHORT]


def _read(pairs: Sequence[tuple[Array, Array]]) -> list[Any]:
    """Return sums and squares by rows of products, None for NumPy's own; started before read."""
    started = [None if is_numpys(one, other) else _rows_of(one, other) for one, other in pairs]
    read: list[Any] = jax.device_get(started)
    return read


def _summed(rows: Any) -> float:
    return float(np.sum(np.asarray(rows), dtype=np.float64))


@jax.jit
def _rows_of(one: Array, other: Array) -> Array:
    """Return sums of a product and of its squares, row by row: in one array, which is read once."""
    product = (one * other).astype(jnp.float32)
    whole = product.shape[0] // _ROW * _ROW
    rows, rest = product[:whole].reshape(-1, _ROW), product[whole:]

    def added(squared: Callable[[Array], Array]) -> Array:
        return jnp.append(squared(rows).sum(axis=1), squared(rest).sum())

    return jnp.stack([added(lambda part: part), added(lambda part: part * part)])


@jax.jit
def _plus(vector: Array, factor: float, other: Array) -> Array:
    return vector + factor * other


def is_same(one: Array, factor: float, other: Array) -> bool:
    """Say whether factor · one equals other, NaN counted equal to NaN."""
    return one.shape == other.shape and bool(_is_same(one, factor, other))


@jax.jit
def _is_same(one: Array, factor: float, other: Array) -> Array:
    scaled = factor * one
    return ((scaled == other) | (jnp.isnan(scaled) & jnp.isnan(other))).all()


@jax.jit
def _largest(vector: Array) -> Array:
    return jnp.max(jnp.abs(vector), initial=0.0)


@jax.jit
def _excess(one: Array, other: Array, share: float, free: Array) -> Array:
    apart, allowed = jnp.abs(one - other), share * jnp.abs(one) + free
    distance = apart.max()
    ratio = jnp.where(apart == 0, 0.0, apart / allowed)
    return jnp.stack([jnp.where(distance == 0, 0.0, ratio.max()), distance, allowed.max()])


def _look_up(numbers: Array, places: Array, size: int) -> Array:
    """Return the numbers of `_backends/arithmetic/counting.py`, given where its rows begin."""
    rows = numbers[places[:, None] + jnp.arange(ROW)]
    return rows.reshape(-1)[:size]


_looked_up = jax.jit(_look_up, static_argnums=2)
