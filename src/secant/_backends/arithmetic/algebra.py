"""Coordinate arithmetic: what secant does with vectors, once for every framework.

A *vector* is a flat float64 array of real coordinates; float32, where that holds them and they are
many. It is NumPy's in main memory, whatever the framework, because on small problems, which most
checks are, a framework's own operations cost several times as much per call. A vector on a device
is the framework's own, whose namespace speaks as the Array API does, with `frexp`, `ldexp` and the
methods `max`, `min`, `all`, `argmax` beside.
Sums and products of vectors are written with Python's operators, everything else is here.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..arithmetic import chunked, counting, pieces
from .chunked import SHORT, excess, is_same
from .counting import StreamKey
from .magnitudes import Magnitudes, magnitudes_of
from .pieces import STEP, VectorInChunks, chunks, in_double

Array = Any
"""A framework's array; only its backend knows more about it."""
Numbers = np.ndarray[Any, Any]


class Excess(NamedTuple):
    """How far two vectors are apart: the largest distance, plain and beside what is allowed."""

    ratio: float  # 0 where they are equal, whatever is allowed there
    distance: float
    allowed: float  # the most that is allowed anywhere


class Algebra:
    """Vectors; a framework with vectors on a device says how they get there and come back."""

    namespace: ClassVar[Any] = np  # of vectors that are not NumPy's

    # -- where vectors are -----------------------------------------------------------------------

    def vector(self, numbers: Numbers, reference: Array) -> Array:
        """Return NumPy numbers as float64 coordinates on the device of `reference`."""
        return numbers

    def zeros(self, size: int, reference: Array) -> Array:
        """Return so many zeros as coordinates on the device of `reference`."""
        return self.vector(np.zeros(size), reference)

    def signed_magnitudes(self, key: StreamKey, size: int, grain: float, reference: Array) -> Array:
        """Return numbers at random from a counter as coordinates on the device of `reference`."""
        return self.vector(counting.signed_magnitudes(key, size, grain), reference)

    def to_numpy(self, vector: Array) -> Numbers:
        """Return coordinates as a NumPy array, for reports and diagnosis."""
        return np.asarray(vector, np.float64)

    def _space(self, vector: Array) -> Any:
        if isinstance(vector, VectorInChunks):
            vector = vector.first
        return np if isinstance(vector, np.ndarray) else self.namespace

    def unmade(self, make: Callable[..., Array], *vectors: Array) -> Array:
        """Return what is made of vectors entry by entry: where it is long, not before it is used.

        It may then stand where contractions take a vector, and for nothing else.
        """
        return make(*vectors) if vectors[0].shape[0] <= STEP else VectorInChunks(make, vectors)

    def made(self, make: Callable[..., Array], *vectors: Array) -> Array:
        """Return what is made of vectors entry by entry, all of it."""
        if vectors[0].shape[0] <= STEP:
            return make(*vectors)
        return VectorInChunks(make, vectors).whole(self._space(vectors[0]))

    def whole(self, vector: Array) -> Array:
        """Return a vector that may not be made yet."""
        return vector.whole(self._space(vector)) if isinstance(vector, VectorInChunks) else vector

    # -- rows and entries ------------------------------------------------------------------------

    def stack(self, rows: Sequence[Array]) -> Array:
        """Return vectors as the rows of a matrix."""
        return self._space(rows[0]).stack(list(rows))

    def join(self, matrices: Sequence[Array]) -> Array:
        """Return matrices of equal width, one below the other."""
        return self._space(matrices[0]).concatenate(list(matrices))

    def rows_with(self, vector: Array, places: Sequence[int], values: Array | float) -> Array:
        """Return copies of the vector as rows, row k with entry places[k] set to values[k]."""
        rows = self._space(vector).tile(vector, (len(places), 1))
        return self.put(rows, (list(range(len(places))), list(places)), values)

    def select(self, vector: Array, places: Sequence[int]) -> Array:
        """Return some entries of a vector."""
        index = np.asarray(places, np.intp)
        if isinstance(vector, np.ndarray):
            return vector[index]
        return vector[self.namespace.asarray(index, device=vector.device)]

    # -- ordinary arrays, of which the same few kinds come by the thousand -------------------------

    def kind(self, array: Array) -> tuple[Any, ...] | None:
        """Return what small arrays share that differ in their numbers alone; None: not known."""
        return None

    def maker(self, reference: Array) -> Callable[[Array], Array]:
        """Return `unflatten` for one reference."""
        backend: Any = self  # an algebra is a part of one
        return functools.partial(backend.unflatten, reference=reference)

    def passing(self, reference: Array) -> Callable[[Array], Array]:
        """Return the same, of arrays that nothing but one evaluation or pull gets to see."""
        backend: Any = self
        made: Callable[[Array], Array] = backend.maker(reference)
        return made

    def reader(self, reference: Array) -> Callable[[Any], Array | None] | None:
        """Return `flatten` for values like a real reference, which answers None for all others."""
        return None

    # -- numbers ---------------------------------------------------------------------------------

    def dot(self, one: Array, other: Array) -> float:
        """Return the inner product of two vectors."""
        if isinstance(one, np.ndarray):
            if one.size <= SHORT:
                return float(one.dot(other))
            return chunked.dot(np, one, other)
        return chunked.dot(self._space(one), one, other)

    def total(self, vector: Array) -> float:
        """Return the sum of the entries."""
        return chunked.total(self._space(vector), vector)

    def norm(self, vector: Array) -> float:
        """Return the Euclidean norm."""
        if isinstance(vector, np.ndarray) and vector.size <= SHORT:
            return math.sqrt(vector.dot(vector))
        return chunked.root_of_squares(self._space(vector), lambda c: vector[c], vector)

    def distance(self, one: Array, factor: float, other: Array) -> float:
        """Return ‖factor · one − other‖."""
        if isinstance(one, np.ndarray) and one.size <= SHORT:
            apart = factor * one - other
            return math.sqrt(apart.dot(apart))

        def apart_in(c: slice) -> Array:
            part = in_double(one[c])
            return (part if factor == 1.0 else factor * part) - in_double(other[c])

        return chunked.root_of_squares(self._space(one), apart_in, one)

    def norm_of_product(self, one: Array, other: Array) -> float:
        """Return ‖one ∘ other‖."""
        if isinstance(one, np.ndarray) and one.size <= SHORT:
            product = one * other
            return math.sqrt(product.dot(product))
        return chunked.root_of_squares(
            self._space(one), lambda c: in_double(one[c]) * in_double(other[c]), one
        )

    def products(self, pairs: Sequence[tuple[Array, Array]]) -> list[tuple[float, float]]:
        """Return ⟨a, b⟩ and ‖a ∘ b‖ of pairs of vectors; on a device they are read at once."""
        found = []
        for one, other in pairs:
            if not isinstance(one, np.ndarray) or one.size > SHORT:
                return chunked.products(self._space(one), pairs)
            product = one * other
            found.append((float(one.dot(other)), math.sqrt(product.dot(product))))
        return found

    def dots(self, pairs: Sequence[tuple[Array, Array]]) -> list[float]:
        """Return the inner products of pairs of vectors; on a device they are read at once."""
        found = []
        for one, other in pairs:
            if not isinstance(one, np.ndarray) or one.size > SHORT:
                return chunked.dots(self._space(one), pairs)
            found.append(float(one.dot(other)))
        return found

    def is_multiple(self, one: Array, factor: float, other: Array) -> bool:
        """Say whether factor · one equals other, NaN counted equal to NaN."""
        if one.shape != other.shape:
            return False
        if isinstance(one, np.ndarray) and one.size <= SHORT:
            return is_same(np, factor * one, other)
        xp = self._space(one)
        return all(
            is_same(xp, one[c] if factor == 1.0 else factor * one[c], other[c])
            for c in chunks(xp, one)
        )

    def largest(self, vector: Array) -> float:
        """Return the largest absolute entry, 0 for an empty vector."""
        if not vector.shape[0]:
            return 0.0
        if isinstance(vector, np.ndarray) and vector.size <= STEP:
            return max(float(vector.max()), -float(vector.min()))
        if isinstance(vector, (np.ndarray, VectorInChunks)):
            parts = [self.largest(vector[c]) for c in chunks(self._space(vector), vector)]
            return float(np.max(parts))
        return float(self.namespace.linalg.vector_norm(vector, ord=math.inf))

    def place_of_largest(self, vector: Array) -> int:
        """Return the place of the largest coordinate, the first of equals."""
        return int(vector.argmax())

    def magnitudes(self, vector: Array) -> Magnitudes:
        """Return how large the entries are that are finite and not zero."""
        return magnitudes_of(self._space(vector), vector, self.dot)

    def is_finite(self, vector: Array) -> bool:
        """Say whether every entry is finite; one pass over a vector whose entries are proves it."""
        if isinstance(vector, np.ndarray):
            if vector.size <= SHORT and math.isfinite(vector.dot(vector)):
                return True
            return chunked.is_square_finite(vector) or bool(np.isfinite(vector).all())
        xp = self.namespace
        return math.isfinite(chunked.total(xp, vector)) or bool(xp.isfinite(vector).all())

    def plus(self, vector: Array, factor: float, other: Array) -> Array:
        """Return vector + factor · other, in new memory; the other one need not be made."""
        if vector.shape[0] <= STEP:
            if other.dtype is not vector.dtype and isinstance(other, np.ndarray):
                other = other.astype(vector.dtype)
            return other * factor + vector
        if isinstance(vector, np.ndarray):
            return pieces.plus(vector, factor, other)
        return self.made(lambda one, move: move * factor + one, vector, other)

    def add(self, vector: Array, factor: float, other: Array) -> Array:
        """Return vector + factor · other, in the vector's own memory where that can be."""
        vector += other * factor
        return vector

    def put(self, vector: Array, place: Any, numbers: Array | float) -> Array:
        """Return the vector with numbers put in a place, in its own memory where that can be."""
        vector[place] = numbers
        return vector

    def ones(self, vector: Array) -> Array:
        """Return as many ones."""
        return self._space(vector).ones_like(vector)

    def finite_mask(self, vector: Array) -> Array:
        """Return 1.0 where the entry is finite and 0.0 elsewhere."""
        xp = self._space(vector)
        return xp.isfinite(vector) * xp.ones_like(vector)

    def where_finite(self, vector: Array) -> Array:
        """Return the vector with its infinities and NaNs replaced by 0."""
        xp = self._space(vector)
        return xp.where(xp.isfinite(vector), vector, 0.0)

    def absolute(self, vector: Array) -> Array:
        """Return the absolute values."""
        return abs(vector)

    def apart(self, one: Array, other: Array) -> Array:
        """Return |one − other|, 0 where the first is not finite."""
        xp = self._space(one)
        return xp.where(xp.isfinite(one), abs(one - other), 0.0)

    def larger(self, one: Array, other: Array) -> Array:
        """Return the larger of two vectors, entry by entry."""
        return self._space(one).maximum(one, other)

    def signs(self, vector: Array) -> Array:
        """Return the signs of the entries, 0 of those that are 0."""
        return self._space(vector).sign(vector)

    def copysign(self, sizes: Array, signs: Array) -> Array:
        """Return the absolute values of one vector with the signs of another."""
        return self._space(sizes).copysign(sizes, signs)

    def excess(self, one: Array, other: Array, share: float, free: Array) -> Excess:
        """Hold |one − other| against share · |one| + free, entry by entry."""
        xp = self._space(one)
        rows = [
            excess(xp, one[c], other[c], share, free[c] if getattr(free, "shape", ()) else free)
            for c in chunks(xp, one)
        ]
        rows = rows if xp is np else xp.stack(rows).tolist()
        return Excess(*np.max(rows, axis=0).tolist())

    def gaps(self, vector: Array, gap: float, least: float) -> Array:
        """Return the gap (ulp) at each coordinate of a dtype: its gap at 1, its least number."""
        xp = self._space(vector)
        _, exponents = xp.frexp(xp.clip(abs(vector), least, None))
        return xp.ldexp(xp.full_like(vector, gap), exponents - 1)
