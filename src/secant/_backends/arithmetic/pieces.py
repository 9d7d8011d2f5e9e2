"""Long vectors in pieces: what is worked on at a time, and vectors made a piece at a time."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

Vector = Any  # NumPy's, or of the namespace `xp` that is given with it

STEP = 1 << 15  # entries that are worked on at a time: a few vectors fit a core's own cache
_CHUNK = 1 << 23  # entries of a device's vector that are worked on at a time
_WHOLE = (slice(None),)
_IN_PLACE: dict[Any, Any] = {operator.sub: np.subtract, operator.add: np.add}


@dataclass(frozen=True, slots=True, weakref_slot=True)
class VectorInChunks:
    """A vector that is never there as a whole: a chunk of it is made where it is used."""

    make: Callable[..., Vector]
    vectors: tuple[Vector, ...]
    fill: Callable[..., None] | None = None  # the same of NumPy's vectors, in memory given first

    @property
    def shape(self) -> tuple[int, ...]:
        """Its length, as of a vector that is there."""
        shape: tuple[int, ...] = self.first.shape
        return shape

    @property
    def dtype(self) -> Any:
        """The dtype of what it is made of."""
        return self.first.dtype

    @property
    def first(self) -> Vector:
        """The first vector that it is made of, and that is there."""
        first = self.vectors[0]
        return first.first if isinstance(first, VectorInChunks) else first

    def __getitem__(self, part: slice) -> Vector:
        parts = [vector[part] for vector in self.vectors]
        if self.fill is None:
            return self.make(*parts)
        memory = np.empty_like(parts[0])
        self.fill(memory, *parts)
        return memory

    def whole(self, xp: Any) -> Vector:
        """Return it all in memory of its own; a device makes it at once, and copies nothing."""
        first = self.first
        if xp is not np or first.shape[0] <= STEP:
            return self[:]
        made = np.empty_like(first)
        for c in chunks(np, first):
            self.write(c, made[c])
        return made

    def write(self, part: slice, memory: Vector) -> None:
        """Make a chunk of NumPy's numbers in memory that is given."""
        if self.fill is not None:
            self.fill(memory, *(vector[part] for vector in self.vectors))
        elif self.make in _IN_PLACE:
            _IN_PLACE[self.make](*(vector[part] for vector in self.vectors), out=memory)
        else:
            memory[...] = self[part]


def chunks(xp: Any, vector: Vector) -> Iterator[slice]:
    """Yield the parts of a vector that are worked on at a time."""
    step = STEP if xp is np else _CHUNK
    size = vector.shape[0]
    return iter(
        [slice(k, k + step) for k in range(0, size, step)] if size > step else _WHOLE[:size]
    )


def plus(vector: Vector, factor: float, other: Vector) -> Vector:
    """Return vector + factor · other of NumPy's; the other one need not be made."""
    sums = np.empty(vector.shape, np.result_type(vector.dtype, other.dtype))
    for c in chunks(np, vector):
        part = sums[c]
        if isinstance(other, VectorInChunks):
            other.write(c, part)
        else:
            part[...] = other[c]
        if factor != 1.0:
            part *= factor
        part += vector[c]
    return sums


def in_double(vector: Vector) -> Vector:
    """Return a piece of NumPy's in float64: to convert it first is faster than to mix dtypes."""
    is_as_it_is = not isinstance(vector, np.ndarray) or vector.dtype == np.float64
    return vector if is_as_it_is else vector.astype(np.float64)
