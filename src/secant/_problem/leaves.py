"""The leaves of a function's arguments: the user's own arrays, and what calls get in their place.

That is private copies, each used again until a call has written into it; or, where the function
reads the user's own arrays behind its arguments, those (`behind.py`). Leaves that were made wider
are nobody else's: calls get them themselves, and what was written into is made again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .._backends.base import Array, Backend
from .behind import HiddenInputs

SINGLE = 2.0**-24  # the round-off of float32


class Leaves:
    """The leaves of one problem; *parts* are the differentiated ones, by their rank."""

    def __init__(
        self,
        backend: Backend,
        originals: Sequence[Any],
        chosen: Sequence[int],
        made: Mapping[int, Callable[[], Array]] | None = None,
    ) -> None:
        self._backend = backend
        self._made = dict(made or {})  # how leaves were made that nobody else has
        self.originals = list(originals)
        self.chosen = tuple(chosen)
        self.points = list(map(backend.detached, map(originals.__getitem__, chosen)))
        self.given: list[Any] = []
        self.behind: HiddenInputs | None = None
        self.mutated: set[int] = set()
        self._marked: set[int] = set()
        self.special: list[int] = []  # generators, which each call gets a copy of, and parameters
        self._arrays: list[int] = []  # the places of what may be written into
        for k, leaf in enumerate(self.originals):
            given = leaf
            if backend.is_array(leaf):
                given = leaf if k in self._made else backend.copy(leaf)
                if k in self.chosen:
                    given = backend.leaf(given)
                    if backend.is_marked(leaf):
                        self._marked.add(k)
                self._arrays.append(k)
            if k in self._marked or backend.private(leaf) is not leaf:
                self.special.append(k)
            self.given.append(given)
        self._watch()

    # -- what a call gets ------------------------------------------------------------------------

    def parts(self) -> list[Array]:
        """Return the differentiated leaves as calls get them."""
        return list(map(self.given.__getitem__, self.chosen))

    def own(self) -> list[Array]:
        """Return the user's own arrays of the differentiated leaves."""
        return list(map(self.originals.__getitem__, self.chosen))

    def with_values(self, values: Mapping[int, Array]) -> list[Any]:
        """Return all leaves as a call gets them, some parts with other values."""
        given = list(self.given)
        for part, value in values.items():
            given[self.chosen[part]] = value
        return given

    def prepared(self, given: Sequence[Any]) -> list[Any]:
        """Return the leaves of one call, those copied that every call changes."""
        backend, leaves = self._backend, list(given)
        for k in self.special:
            leaves[k] = (
                backend.marked_like(leaves[k], self.originals[k])
                if k in self._marked
                else backend.private(leaves[k])
            )
        return leaves

    def detached(self) -> list[Any]:
        """Return all leaves as calls get them, without a record."""
        given = list(self.given)
        for place in self.chosen:
            given[place] = self._backend.detached(given[place])
        return given

    def fresh(self, values: Sequence[Array] | None = None) -> list[Any]:
        """Return copies of all leaves, the parts with other values where some are given."""
        backend = self._backend
        here = self.points if values is None else values
        leaves = dict(zip(self.chosen, here, strict=True))
        every = (leaves.get(k, leaf) for k, leaf in enumerate(self.originals))
        return [
            backend.copy(leaf) if backend.is_array(leaf) else backend.private(leaf)
            for leaf in every
        ]

    def widened(self, dtype: str) -> tuple[list[Any], dict[int, Callable[[], Array]]]:
        """Return all leaves, every inexact one in a wider dtype, and how wider ones were made."""
        backend, leaves = self._backend, list(self.originals)
        made: dict[int, Callable[[], Array]] = {}
        for k, leaf in enumerate(self.originals if dtype else ()):
            if backend.is_array(leaf) and backend.is_inexact(leaf):
                make = functools.partial(widened, backend, leaf, dtype)
                leaves[k] = make()
                if backend.roundoff(leaves[k]) < backend.roundoff(leaf):
                    made[k] = make
        return leaves, made

    # -- what a call does to them ----------------------------------------------------------------

    def _watch(self) -> None:
        """Note what tells whether a call has written into an array."""
        self._watched = list(map(self.given.__getitem__, self._arrays))
        self._stamps = list(map(self._backend.stamp, self._watched))

    def restore_mutated(self) -> bool:
        """Give every leaf its value back that a call has written into; say whether points changed.

        Those that calls got themselves are made again.
        """
        backend, now = self._backend, list(map(self._backend.stamp, self._watched))
        if now == self._stamps:
            return False
        made = len(self._made)
        for k, stamp, before in zip(self._arrays, now, self._stamps, strict=True):
            if stamp != before:
                self.mutated.add(k)
                if k in self._made:
                    self.originals[k] = self._made.pop(k)()
                    if k in self.chosen:
                        self.points[self.chosen.index(k)] = backend.detached(self.originals[k])
                if self.given[k] is not self.originals[k]:  # which is put back where it was moved
                    fresh = backend.copy(self.originals[k])
                    self.given[k] = backend.leaf(fresh) if k in self.chosen else fresh
        self._watch()
        return len(self._made) < made

    # -- behind the arguments --------------------------------------------------------------------

    def read_behind(self, behind: HiddenInputs | None) -> None:
        """From now on move these arrays in place; with None, copies of them again."""
        backend, self.behind = self._backend, behind
        for part, place in enumerate(self.chosen):
            is_own = behind is not None and part in behind.own
            if not is_own and self.given[place] is not self.originals[place]:
                continue
            fresh = backend.copy(self.originals[place])
            self.given[place] = self.originals[place] if is_own else backend.leaf(fresh)
            self.points[part] = backend.detached(fresh)
        self._watch()


def widened(backend: Backend, array: Array, dtype: str) -> Array:
    """Return an array in a wider dtype, float64 or float32, unless it is as wide as that.

    With "" it stays as it is.
    """
    if dtype == "float64":
        return backend.widened(array)
    is_wide = not dtype or backend.roundoff(array) <= SINGLE
    return array if is_wide else backend.cast(array, dtype)
