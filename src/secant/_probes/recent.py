"""What was asked for lately, a few of each: outputs are asked one by one about the same lines.

Takes a key and how to make its value; gives the value that is known, or makes it and forgets the
one that was not asked for longest.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

from .._backends.base import Array

_MOST = 8  # a leaf's own direction, another that confirms, a few columns

Value = TypeVar("Value")


class Recent(Generic[Value]):
    """A few values by key, the oldest first."""

    def __init__(self, most: int = _MOST) -> None:
        self._known: dict[Hashable, Value] = {}
        self._most = most

    def of(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key, made where it is not known."""
        value = self._known.pop(key) if key in self._known else make()
        self._known[key] = value
        if len(self._known) > self._most:
            del self._known[next(iter(self._known))]
        return value

    def forget(self) -> None:
        """Forget all values."""
        self._known.clear()


class Known(dict[tuple[int, int], tuple[weakref.ref[Any], float]]):
    """Numbers that belong to vectors, known as long as these live."""

    def of(self, vector: Array, kind: int = 0) -> float | None:
        """Return the number of that kind, None where it is not known."""
        known = self.get((id(vector), kind))
        return None if known is None or known[0]() is not vector else known[1]

    def keep(self, vector: Array, kind: int, number: float) -> None:
        """Keep a number."""
        self[id(vector), kind] = weakref.ref(vector), number
