"""Arguments and modules whose arrays are spread over processes, as functions of what is held here.

Only local arrays are leaves: they are what moves. For a call each is put back into an array that
is spread as the original was, and the record leads through that.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from .._backends.base import Array, Backend
from .._backends.interface.modules import Unfolded
from .._backends.interface.processes import Placed
from .._problem.trees import Arguments

Rebuilt = Callable[[Array], Array]


class _Spread(Arguments):
    """Arguments some of whose leaves are the local parts of what a call gets."""

    rebuilders: Mapping[int, Rebuilt]

    def rebuild(self, leaves: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return super().rebuild(_spread(leaves, self.rebuilders))


def _spread(leaves: Sequence[Any], rebuilders: Mapping[int, Rebuilt]) -> list[Any]:
    return [rebuilders[k](leaf) if k in rebuilders else leaf for k, leaf in enumerate(leaves)]


@dataclass(frozen=True, slots=True)
class Localised:
    """Arguments as leaves that this process holds, and which of them are parts of others."""

    arguments: Arguments
    placed: dict[int, Placed]


def localised(backend: Backend, arguments: Arguments) -> Localised:
    """Return arguments with every leaf that is spread over processes replaced by its own part."""
    placed = {
        k: found
        for k, leaf in enumerate(arguments.leaves)
        if backend.is_array(leaf) and (found := backend.processes.shard_of(leaf)) is not None
    }
    if not placed:
        return Localised(arguments, {})
    spread: Any = copy.copy(arguments)
    spread.__class__ = _Spread
    spread.is_flat = False  # what is called is rebuilt first
    spread.rebuilders = {k: one.rebuilt for k, one in placed.items()}
    spread.leaves = [
        _marked(backend, leaf, placed[k].local) if k in placed else leaf
        for k, leaf in enumerate(arguments.leaves)
    ]
    return Localised(spread, placed)


def _marked(backend: Backend, leaf: Array, local: Array) -> Array:
    plain = backend.detached(local)
    return backend.leaf(plain) if backend.wants_gradient(leaf) else plain


class LocalisedModule(Unfolded):
    """A module as a function of what this process holds of its parameters."""

    def __init__(self, backend: Backend, unfolded: Unfolded) -> None:
        self._inside = unfolded
        placed = [backend.processes.shard_of(one) for one in unfolded.parameters]
        self._rebuilders = {k: one.rebuilt for k, one in enumerate(placed) if one is not None}
        self.placed = {k: one for k, one in enumerate(placed) if one is not None}
        self.names = unfolded.names
        self.body = unfolded.body
        self.notes = unfolded.notes
        self.parameters = [
            own if one is None else backend.detached(one.local)
            for own, one in zip(unfolded.parameters, placed, strict=True)
        ]

    def holding(self, parameters: Sequence[Array]) -> AbstractContextManager[None]:
        return self._inside.holding(_spread(parameters, self._rebuilders))

    def call(
        self, parameters: Sequence[Array], positional: Sequence[Any], named: Mapping[str, Any]
    ) -> Any:
        return self._inside.call(_spread(parameters, self._rebuilders), positional, named)

    def shielded(self, leaf: Any) -> Any:
        return self._inside.shielded(leaf)

    def wants_shield(self, error: BaseException) -> bool:
        return self._inside.wants_shield(error)


def localised_module(backend: Backend, unfolded: Unfolded) -> LocalisedModule:
    """Return a module with every parameter that is spread over processes replaced by its part."""
    return LocalisedModule(backend, unfolded)
