"""Long vectors, a chunk at a time: NumPy's in main memory, others by their Array API namespace.

Sums end in float64. On a device the entries of a long vector of float32 are added up by rows in
float32 first: what that rounds is less than their own rounding, and to widen them all takes longer
than a kernel does.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .pieces import VectorInChunks, chunks, in_double

Vector = Any  # NumPy's, or of the namespace `xp` that is given with it
Pair = tuple[Vector, Vector]

SHORT = 1 << 13  # below where linear algebra starts threads
_FEW = 1 << 10  # entries whose bytes are copied sooner than compared
_LONG = 1 << 18  # entries of a vector that is added up by rows
_ROW = 1 << 10
_SAFE = 2.0**-56, 2.0**56  # typical entries whose squares float32 holds


def total(xp: Any, vector: Vector) -> float:
    """Return the sum of a vector's entries."""
    if xp is not np and not isinstance(vector, VectorInChunks):
        return float(_total(xp, vector))
    return sum(float(_total(xp, vector[c])) for c in chunks(xp, vector))


def dot(xp: Any, one: Vector, other: Vector) -> float:
    """Return the inner product, in chunks, whose rounding errors do not pile up."""
    if xp is np:
        return math.fsum(_dot(one[c], other[c]) for c in chunks(xp, one))
    sums = [_total(xp, one[c] * other[c]) for c in chunks(xp, one)]
    product = float(xp.sum(xp.stack(sums))) if sums else 0.0
    if math.isfinite(product) or one.dtype == other.dtype == xp.float64:
        return product
    return dot(xp, widened(xp, one), widened(xp, other))  # products may be beyond float32


def products(xp: Any, pairs: Sequence[Pair]) -> list[tuple[float, float]]:
    """Return ⟨a, b⟩ and ‖a ∘ b‖ of every pair; on a device they are read at once."""
    if xp is np:
        return _products(pairs)
    found = _read(xp, pairs, (_total, norm_of))
    totals = [sum(parts) for parts in found[0]]
    roots = [math.hypot(*parts) for parts in found[1]]
    for place, (one, other) in enumerate(pairs):
        if not (math.isfinite(totals[place]) and is_safe(xp, one, roots[place])):
            one, other = widened(xp, one), widened(xp, other)
            totals[place], roots[place] = dot(xp, one, other), float(norm_of(xp, one * other))
    return list(zip(totals, roots, strict=True))


def dots(xp: Any, pairs: Sequence[Pair]) -> list[float]:
    """Return the inner product of every pair; on a device they are read at once."""
    if xp is np:
        sums: list[list[float]] = [[] for _ in pairs]
        for place, one, other in _parts(np, pairs):
            sums[place].append(_dot(one, other))
        return [math.fsum(parts) for parts in sums]
    (found,) = _read(xp, pairs, (_total,))
    totals = [sum(parts) for parts in found]
    return [
        total if math.isfinite(total) else dot(xp, *pair)
        for total, pair in zip(totals, pairs, strict=True)
    ]


def _read(
    xp: Any, pairs: Sequence[Pair], contractions: Sequence[Callable[[Any, Vector], Any]]
) -> list[list[list[float]]]:
    """Return what contractions make of the products of pairs: of each, by pair, of its chunks."""
    asked, numbers = [], []
    for place, one, other in _parts(xp, pairs):
        product = one * other
        del one, other  # made for this pair alone, perhaps
        asked.append(place)
        numbers += [contraction(xp, product) for contraction in contractions]
        del product  # before the next one is made
    read = iter(xp.stack(numbers).tolist() if numbers else ())
    found: list[list[list[float]]] = [[[] for _ in pairs] for _ in contractions]
    for place in asked:
        for each in found:
            each[place].append(next(read))
    return found


def _parts(xp: Any, pairs: Sequence[Pair]) -> Iterator[tuple[int, Vector, Vector]]:
    """Yield parts of pairs of vectors, with the pair's place; what is in several is made once."""
    alike: dict[int, list[int]] = {}
    for place, (one, _) in enumerate(pairs):
        alike.setdefault(one.shape[0], []).append(place)
    for places in alike.values():
        uses = Counter(id(vector) for place in places for vector in pairs[place])
        for c in chunks(xp, pairs[places[0]][0]):
            made: dict[int, Vector] = {}
            for place in places:
                both = []
                for vector in pairs[place]:
                    part = made.get(id(vector))
                    if part is None:
                        part = vector[c]
                        if uses[id(vector)] > 1:
                            made[id(vector)] = part
                    both.append(part)
                one, other = both
                del both, part
                yield place, one, other
                del one, other


def root_of_squares(xp: Any, part: Callable[[slice], Vector], vector: Vector) -> float:
    """Return the norm of a vector of that length that is never there as a whole."""
    if xp is np:
        parts = (part(c) for c in chunks(xp, vector))
        return math.sqrt(math.fsum(_dot(one, one) for one in parts))
    found = _root(xp, [norm_of(xp, part(c)) for c in chunks(xp, vector)])
    if is_safe(xp, vector, found):
        return found
    wide = (widened(xp, part(c)) for c in chunks(xp, vector))
    return _root(xp, list(map(xp.linalg.vector_norm, wide)))


def _root(xp: Any, norms: Sequence[Any]) -> float:
    """Return the norm of parts whose norms these are, read at once."""
    return math.hypot(*xp.stack(norms).tolist()) if norms else 0.0


def is_same(xp: Any, one: Vector, other: Vector) -> bool:
    """Say whether all entries are equal, NaN counted equal to NaN."""
    if xp is np and one.size <= _FEW and one.tobytes() == other.tobytes():
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


def excess(xp: Any, one: Vector, other: Vector, share: float, free: Any) -> Vector:
    """Hold |one − other| against share · |one| + free: the ratio, the distance, what is allowed."""
    one, other = in_double(one), in_double(other)
    apart, allowed = abs(one - other), share * abs(one) + free
    largest = apart.max(), allowed.max()
    if not isinstance(free, float) or free == 0:
        allowed = xp.where(apart == 0, 1.0, allowed)  # 0 where nothing is allowed either
    return xp.stack([(apart / allowed).max(), *largest])


def powers(vector: Vector) -> Vector:
    """Return the power of two at or below each entry's size; of entries of 0, the largest."""
    sizes = np.where(np.isfinite(vector), abs(vector), 0.0)
    sizes[sizes == 0] = sizes.max(initial=0.0) or 1.0
    return np.ldexp(0.5, np.frexp(sizes)[1])


def _products(pairs: Sequence[Pair]) -> list[tuple[float, float]]:
    totals: list[list[float]] = [[] for _ in pairs]
    squares: list[list[float]] = [[] for _ in pairs]
    for place, one, other in _parts(np, pairs):
        product = in_double(one) * in_double(other)
        totals[place].append(np.add.reduce(product))
        squares[place].append(_dot(product, product))
    both = zip(totals, squares, strict=True)
    return [(math.fsum(total), math.sqrt(math.fsum(square))) for total, square in both]


def _dot(one: Vector, other: Vector) -> float:
    """Return the inner product of a chunk in float64."""
    wide = in_double(one)
    return _dot_by_parts(wide, wide if other is one else in_double(other))


def _dot_by_parts(one: Vector, other: Vector) -> float:
    """Return an inner product in the dtype it is of, in parts for which no thread is started."""
    if one.size <= SHORT:
        return float(one.dot(other))
    parts = (slice(k, k + SHORT) for k in range(0, one.size, SHORT))
    return math.fsum([float(one[c].dot(other[c])) for c in parts])


def is_square_finite(vector: Vector) -> bool:
    """Say whether squares of NumPy's numbers add up to no infinity, in the dtype they are of."""
    return all(math.isfinite(_dot_by_parts(vector[c], vector[c])) for c in chunks(np, vector))


def is_safe(xp: Any, vector: Vector, root: float) -> bool:
    """Say whether squares of a vector's entries were held, given the root of their sum."""
    return not _is_long(xp, vector) or _SAFE[0] < root / math.sqrt(vector.shape[0]) < _SAFE[1]


def _total(xp: Any, vector: Vector) -> Any:
    if not _is_long(xp, vector):
        return xp.sum(vector, dtype=xp.float64)
    rows, rest = _rows(xp, vector)
    sums = xp.sum(rows, axis=1)
    return xp.sum(xp.concat([sums, rest]) if rest.shape[0] else sums, dtype=xp.float64)


def norm_of(xp: Any, vector: Vector) -> Any:
    if _is_long(xp, vector):
        rows, rest = _rows(xp, vector)
        norms = xp.linalg.vector_norm(rows, axis=1)
        # of so few float32 adds them up well; one launch less counts
        return xp.linalg.vector_norm(xp.concat([norms, rest]) if rest.shape[0] else norms)
    return xp.linalg.vector_norm(widened(xp, vector))


def widened(xp: Any, vector: Vector) -> Vector:
    return xp.asarray(vector, dtype=xp.float64)


def _is_long(xp: Any, vector: Vector) -> bool:
    return bool(vector.shape[0] >= _LONG and vector.dtype != xp.float64)


def _rows(xp: Any, vector: Vector) -> tuple[Vector, Vector]:
    """Return a vector as rows, and what does not fill one."""
    whole = vector.shape[0] // _ROW * _ROW
    return xp.reshape(vector[:whole], (-1, _ROW)), vector[whole:]
