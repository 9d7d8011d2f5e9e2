"""Long vectors, a chunk at a time: NumPy's in main memory, others by their Array API namespace.

Sums end in float64. On a device the entries of a long vector of float32 are added up by rows in
float32 first: what that rounds is less than their own rounding, and to widen them all takes longer
than a kernel does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Vector = Any  # NumPy's, or of the namespace `xp` that is given with it

SHORT = 1 << 13  # fits a core's own cache, and is below where linear algebra starts threads
_CHUNK = 1 << 24  # entries of a device's vector that are worked on at a time
_WHOLE = (slice(None),)
_LONG = 1 << 18  # entries of a vector that is added up by rows
_ROW = 1 << 10
_SAFE = 2.0**-56, 2.0**56  # typical entries whose squares float32 holds


def chunks(xp: Any, vector: Vector) -> Iterator[slice]:
    """Yield the parts of a vector that are worked on at a time."""
    step = SHORT if xp is np else _CHUNK
    size = vector.shape[0]
    return iter(
        [slice(k, k + step) for k in range(0, size, step)] if size > step else _WHOLE[:size]
    )


def total(xp: Any, vector: Vector) -> float:
    """Return the sum of a vector's entries."""
    return float(_total(xp, vector))


def dot(xp: Any, one: Vector, other: Vector) -> float:
    """Return the inner product, in chunks, whose rounding errors do not pile up."""
    if xp is np:
        return math.fsum(one[c].dot(other[c]) for c in chunks(xp, one))
    sums = [_total(xp, one[c] * other[c]) for c in chunks(xp, one)]
    product = float(xp.sum(xp.stack(sums))) if sums else 0.0
    if math.isfinite(product) or one.dtype == other.dtype == xp.float64:
        return product
    return dot(xp, _wide(xp, one), _wide(xp, other))  # products may be beyond float32


def root_of_squares(xp: Any, part: Callable[[slice], Vector], vector: Vector) -> float:
    """Return the norm of a vector of that length that is never there as a whole."""
    if xp is np:
        parts = (part(c) for c in chunks(xp, vector))
        return math.sqrt(math.fsum(one.dot(one) for one in parts))
    found = math.hypot(*(float(_norm(xp, part(c))) for c in chunks(xp, vector)))
    typical = found / math.sqrt(vector.shape[0] or 1)
    if not _is_long(xp, vector) or _SAFE[0] < typical < _SAFE[1]:
        return found
    wide = (_wide(xp, part(c)) for c in chunks(xp, vector))
    return math.hypot(*(float(xp.linalg.vector_norm(one)) for one in wide))


def is_same(xp: Any, one: Vector, other: Vector) -> bool:
    """Say whether all entries are equal, NaN counted equal to NaN."""
    if xp is np and one.tobytes() == other.tobytes():
        return True
    same = one == other
    return bool(same.all()) or bool((same | (xp.isnan(one) & xp.isnan(other))).all())


def is_equal(one: Vector, other: Vector) -> bool:
    """Say whether two arrays of NumPy are equal, NaN counted equal to NaN."""
    if one.shape != other.shape:
        return False
    if one.size <= SHORT and one.tobytes() == other.tobytes():
        return True
    if one.size <= SHORT or one.ndim != 1:
        return is_same(np, one, other)
    return all(is_same(np, one[c], other[c]) for c in chunks(np, one))


def powers(vector: Vector) -> Vector:
    """Return the power of two at or below each entry's size; of entries of 0, the largest."""
    sizes = np.where(np.isfinite(vector), abs(vector), 0.0)
    sizes[sizes == 0] = sizes.max(initial=0.0) or 1.0
    return np.ldexp(0.5, np.frexp(sizes)[1])


def _total(xp: Any, vector: Vector) -> Any:
    if not _is_long(xp, vector):
        return xp.sum(vector, dtype=xp.float64)
    rows, rest = _rows(xp, vector)
    return xp.sum(xp.concat([xp.sum(rows, axis=1), rest]), dtype=xp.float64)


def _norm(xp: Any, vector: Vector) -> Any:
    if _is_long(xp, vector):
        rows, rest = _rows(xp, vector)
        vector = xp.concat([xp.linalg.vector_norm(rows, axis=1), rest])
    return xp.linalg.vector_norm(_wide(xp, vector))


def _wide(xp: Any, vector: Vector) -> Vector:
    return xp.asarray(vector, dtype=xp.float64)


def _is_long(xp: Any, vector: Vector) -> bool:
    return bool(vector.shape[0] >= _LONG and vector.dtype != xp.float64)


def _rows(xp: Any, vector: Vector) -> tuple[Vector, Vector]:
    """Return a vector as rows, and what does not fill one."""
    whole = vector.shape[0] // _ROW * _ROW
    return xp.reshape(vector[:whole], (-1, _ROW)), vector[whole:]
