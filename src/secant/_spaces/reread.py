"""Coordinates that are read anew whenever they are asked for, and kept as long as anybody has them.

Those of half precision are twice as large as the arrays that they are read from.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any, SupportsIndex

from .._backends.arithmetic.counting import LONG
from .._backends.base import Array
from .._constants import COARSE
from .base import Space

Read = Callable[[int], "Array | None"]


def are_copies(space: Space) -> bool:
    """Say whether coordinates take so much more than what they are read from that it counts."""
    return space.size >= LONG and space.roundoff > COARSE


class VectorsOnDemand(list[Array]):
    """As many vectors, each read when it is asked for, unless it is put in here."""

    def __init__(self, read: Read, count: int) -> None:
        super().__init__([None] * count)
        self._read = read
        self._known: dict[int, weakref.ref[Any]] = {}

    def __getitem__(self, place: SupportsIndex | slice) -> Any:
        if isinstance(place, slice):
            return [self[k] for k in range(*place.indices(len(self)))]
        index = range(len(self))[place]
        kept = super().__getitem__(index)
        if kept is not None:
            return kept
        known = self._known[index]() if index in self._known else None
        if known is None:
            known = self._read(index)
            if known is not None:
                self._known[index] = weakref.ref(known)
        return known

    def __iter__(self) -> Iterator[Array]:
        return (self[k] for k in range(len(self)))
