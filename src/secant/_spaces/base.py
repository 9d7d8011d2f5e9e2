"""A space turns a leaf into real coordinates and back, and moves a point along a direction.

Laws (tests/spaces): `coordinates` is linear, ⟨coordinates(a), coordinates(b)⟩ is the framework's
own real inner product, and `assemble(coordinates(a)) == a` for every a of the leaf's dtype.
"""

from __future__ import annotations

import abc
import copy
import functools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .._backends.arithmetic.pieces import STEP, VectorInChunks
from .._backends.base import Array, Backend

_WIDE = 8  # bytes of a number of float64


class DeferredVector(functools.partial[Array]):
    """A long array that is made when it is called for."""


class PointPair(NamedTuple):
    """Two points around the base point and the displacement between them that really exists.

    Of long ones a point is made by a call, just before it is used, and the displacement by parts.
    """

    ahead: Array | DeferredVector
    behind: Array | DeferredVector
    displacement: Array  # coordinates of ahead − behind, exact


class Space(abc.ABC):
    """The real coordinates of one leaf."""

    size: int  # how many there are
    is_in_order = False  # known to be stored in the order of its entries: as `assemble` makes it
    has_infinities: ClassVar[bool] = (
        False  # entries that are no coordinates, since they are infinite
    )

    def __init__(self, backend: Backend, reference: Array) -> None:
        self.backend = backend
        self.reference = reference
        self.signature = backend.signature(reference)
        self.roundoff = backend.roundoff(reference)
        self.is_exact = backend.is_exact(reference)

    @abc.abstractmethod
    def coordinates(self, array: Array) -> Array:
        """Return the real coordinates of an array of this space, as a flat float64 vector."""

    @abc.abstractmethod
    def shaped(self, numbers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return coordinates as a NumPy array of the leaf's own shape, complex if the leaf is."""

    @abc.abstractmethod
    def entry(self, index: int) -> tuple[int, str]:
        """Return which entry coordinate `index` belongs to, and which part of it, `.imag`."""

    @abc.abstractmethod
    def conjugated(self, vector: Array) -> Array | None:
        """Return the coordinates of the complex conjugate, None where the leaf is real."""

    def rounding_by(self, roundoff: float) -> Space:
        """Return the space of numbers that are rounded by this much, or more."""
        coarser = copy.copy(self)
        coarser.roundoff = max(self.roundoff, roundoff)
        return coarser

    def is_like(self, other: Space) -> bool:
        """Say whether coordinates of the two spaces may stand for each other."""
        return self.size == other.size and self.signature == other.signature

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape that `shaped` gives, in which places are spoken of."""
        return tuple(self.signature.shape)

    @property
    def can_be_batched(self) -> bool:
        """Whether a batch of such arrays is one array with an axis more."""
        return True

    @property
    def remark(self) -> str:
        """What explains outputs that change when such a leaf is moved; nothing for most."""
        return ""

    def unstored(self) -> np.ndarray[Any, Any] | None:
        """Return which entries are coordinates without being stored; None where all are."""
        return None

    def admission(self) -> Callable[[Array], bool]:
        """Return what says whether a later value is like the first, coordinate by coordinate."""
        return functools.partial(self.backend.has_signature, signature=self.signature)

    def reader(self) -> Callable[[Any], Array | None]:
        """Return what reads the coordinates of a later value; None where it may not be alike."""
        admits, coordinates = self.admission(), self.coordinates
        return lambda array: coordinates(array) if admits(array) else None

    def label(self, index: int) -> str:
        """Return coordinate `index` as the user would write it, `[3, 1]` or `[3].imag`."""
        entry, part = self.entry(index)
        return index_label(entry, self.signature.shape) + part

    def labels(self) -> Sequence[str]:
        """Return the labels of all coordinates."""
        return [self.label(index) for index in range(self.size)]

    def unit(self, place: int) -> Array:
        """Return the direction of one coordinate."""
        return self.backend.put(self.backend.zeros(self.size, self.reference), place, 1.0)

    def assemble(self, vector: Array) -> Array:
        """Return the array of this space with the given coordinates, rounded to its dtype."""
        return self.backend.unflatten(vector, self.reference)

    def passing(self, vector: Array) -> Array:
        """Return the same for one evaluation or one pull, which see it as an array like any."""
        return self.assemble(vector)

    def moved(self, point: Array, direction: Array, step: float) -> Array:
        """Return what the dtype makes of a move by step·direction, all in coordinates.

        e = fl(x + t u) − x is the displacement that exists.
        """
        target = self.backend.plus(point, step, direction)
        if not self.is_exact:
            target = self._rounded(target)
        target -= point
        return target

    def move(self, point: Array, direction: Array, step: float) -> Array:
        """Return the same, where it is long and its rounding is known not before it is used."""
        if self.size <= STEP or (rounded := self._rounding()) is None:
            return self.moved(point, direction, step)
        make = functools.partial(_moved, self.backend, rounded, step)
        can_fill = self.is_exact and isinstance(point, np.ndarray)
        fill = functools.partial(_move_in_place, step) if can_fill else None
        return VectorInChunks(make, (point, direction), fill)

    def beside(self, point: Array, move: Array, times: float) -> Array:
        """Return the value so many moves away from a point."""
        short = self.size <= STEP
        value = self.passing(
            point + move * times if short else self.backend.plus(point, times, move)
        )
        return value if self.is_in_order else self.backend.like_layout(value, self.reference)

    def pair(self, point: Array, move: Array, times: float = 1.0) -> PointPair:
        """Return the points x ± e: mirrored, so that even Taylor terms cancel in any dtype."""
        if self.size > STEP and (rounded := self._rounding()) is not None:
            apart = functools.partial(_apart, self.backend, rounded, times)
            ahead, behind = (
                DeferredVector(self.beside, point, move, sign * times) for sign in (1, -1)
            )
            return PointPair(ahead, behind, VectorInChunks(apart, (point, move)))
        one, other = self.beside(point, move, times), self.beside(point, move, -times)
        ahead, behind = self.coordinates(one), self.coordinates(other)
        return PointPair(one, other, self.backend.unmade(operator.sub, ahead, behind))

    def exactly(self, make: Callable[..., Array], *vectors: Array) -> Array:
        """Return what is made of vectors entry by entry as the dtype holds it.

        Where it is long it may not be made before it is used.
        """
        rounded = self._rounding()
        if self.size <= STEP or rounded is None:
            return self._rounded(make(*vectors))
        return self.backend.unmade(lambda *parts: rounded(make(*parts)), *vectors)

    def _rounding(self) -> Callable[[Array], Array] | None:
        """Return what the dtype makes of some coordinates; None where that is asked of all."""
        return _as_they_are if self.is_exact else self.backend.rounding(self.reference)

    def _rounded(self, vector: Array) -> Array:
        """Return the coordinates that the dtype makes of these."""
        return vector if self.is_exact else self.coordinates(self.passing(vector))

    def spare(self, vector: Array) -> Array:
        """Return coordinates of which an array may be made that is written into: copied if need be.

        An array that is made of fewer digits has memory of its own.
        """
        is_widened = self.is_exact and isinstance(vector, np.ndarray) and vector.itemsize < _WIDE
        return vector if is_widened else vector + 0

    def value(self, vector: Array) -> Array:
        """Return the array with the given coordinates, stored as the leaf is."""
        value = self.assemble(vector)
        return value if self.is_in_order else self.backend.like_layout(value, self.reference)


def _as_they_are(vector: Array) -> Array:
    return vector


def _moved(
    backend: Backend, rounded: Callable[[Array], Array], step: float, point: Array, direction: Array
) -> Array:
    move = rounded(backend.plus(point, step, direction))
    move -= point
    return move


def _move_in_place(step: float, move: Array, point: Array, direction: Array) -> None:
    """Write the same into NumPy's memory, in float64, which rounds by itself."""
    move[...] = direction
    move *= step
    move += point
    move -= point


def _apart(
    backend: Backend, rounded: Callable[[Array], Array], times: float, point: Array, move: Array
) -> Array:
    apart = rounded(backend.plus(point, times, move))
    apart -= rounded(backend.plus(point, -times, move))
    return apart


def index_label(index: int, shape: tuple[int, ...]) -> str:
    """Spell a flat index as `[i, j]`; a 0-d array has none.

    >>> index_label(5, (2, 3)), index_label(0, ())
    ('[1, 2]', '')
    """
    places = []
    for size in reversed(shape):
        places.append(index % size)
        index //= size
    return f"[{', '.join(map(str, reversed(places)))}]" if shape else ""


@functools.lru_cache(maxsize=64)
def index_labels(shape: tuple[int, ...]) -> tuple[str, ...]:
    """Spell all flat indices of a small array."""
    return tuple(index_label(index, shape) for index in range(math.prod(shape)))


def count(shape: tuple[int, ...]) -> int:
    """Return the number of entries of an array of this shape."""
    return math.prod(shape)
