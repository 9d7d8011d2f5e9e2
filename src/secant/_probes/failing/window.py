"""A window of a leaf that is too large to be copied: the part of it that a diagnosis looks through.

A direction that is zero outside the window asks about what is inside alone, so that every relation
between claim and measurement shows there as it does in the whole. It is cut out on the device.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..._backends.base import Array
from ..._spaces.base import Space
from ..._verdict.evidence import Numbers

_MOST = 1 << 16  # entries that are copied


@dataclass(frozen=True, slots=True)
class Window:
    """Some indices along each dimension of a leaf."""

    shape: tuple[int, ...]  # of the leaf
    cuts: tuple[slice, ...]
    is_whole: bool
    most: int = _MOST

    @classmethod
    def around(cls, space: Space, place: int | None) -> Window:
        """Return a window that holds one coordinate, with the last dimensions whole."""
        shape, room = space.shape, _MOST
        is_whole = space.size <= _MOST or space.size % max(math.prod(shape), 1) != 0
        if is_whole:
            return cls(shape, (slice(None),) * len(shape), is_whole=True)
        entry = (place or 0) // (space.size // math.prod(shape))
        cuts: list[slice] = []
        for size, index in zip(
            reversed(shape), reversed(np.unravel_index(entry, shape)), strict=True
        ):
            kept = min(size, room)
            start = min(int(index) // kept * kept, size - kept)
            cuts.insert(0, slice(start, start + kept))
            room //= kept
        return cls(shape, tuple(cuts), is_whole=False)

    def fits(self, shape: Sequence[int]) -> bool:
        """Say whether a leaf of this shape is spread along this one's dimensions."""
        own = self.shape[len(self.shape) - len(shape) :]
        return len(shape) <= len(self.shape) and all(
            k in (1, size) for k, size in zip(shape, own, strict=True)
        )

    def cut(self, space: Space, vector: Array) -> Numbers:
        """Return what a vector of a leaf that fits holds inside, complex if the leaf is."""
        if self.is_whole:
            return space.shaped(space.backend.to_numpy(vector))
        inside = self._inside(space, vector)
        shape = tuple(int(k) for k in inside.shape)
        numbers = np.ascontiguousarray(space.backend.to_numpy(inside.reshape(-1))).reshape(shape)
        return numbers.view(np.complex128)[..., 0] if len(shape) > len(space.shape) else numbers

    def _inside(self, space: Space, vector: Array) -> Array:
        """Return the part of a vector on its own device; a last axis holds (real, imaginary)."""
        return vector.reshape(self._shape(space))[self._own(space)]

    def _shape(self, space: Space) -> tuple[int, ...]:
        is_complex = space.size == 2 * math.prod(space.shape)
        return (*space.shape, 2) if is_complex else space.shape

    def _own(self, space: Space) -> tuple[slice, ...]:
        cuts = self.cuts[len(self.cuts) - len(space.shape) :]
        return tuple(c if k > 1 else slice(None) for c, k in zip(cuts, space.shape, strict=True))

    def spread(self, space: Space, numbers: Numbers) -> Array:
        """Return the vector of a leaf that holds these numbers inside, and zeros elsewhere."""
        flat = np.ascontiguousarray(numbers).reshape(-1)
        flat = flat.view(np.float64) if np.iscomplexobj(flat) else flat
        if self.is_whole:
            return space.backend.vector(flat, space.reference)
        whole = space.backend.zeros(space.size, space.reference).reshape(self._shape(space))
        inside = space.backend.vector(flat, space.reference)
        own = self._own(space)
        return space.backend.put(whole, own, inside.reshape(whole[own].shape)).reshape(-1)

    def restricted(self, space: Space, vector: Array) -> Array:
        """Return a vector with zeros outside."""
        return vector if self.is_whole else self.spread(space, self.cut(space, vector))
