"""Every check of a run, also those made without the fixture: secant tells of what it was asked."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from .waiting import Waiting

Heard = Callable[[str, Any, Callable[..., Any], Sequence[Any], Mapping[str, Any]], None]

_IS_DEAF: ContextVar[bool] = ContextVar("secant_is_not_listened_to", default=False)


@contextmanager
def unheard() -> Iterator[None]:
    """Make checks of which nobody is told: they are part of something that is told as a whole."""
    token = _IS_DEAF.set(True)
    try:
        yield
    finally:
        _IS_DEAF.reset(token)


class Hearing:
    """Between `open` and `close`, hears of every check as soon as secant is loaded."""

    def __init__(self, heard: Heard) -> None:
        self._heard = heard
        self._waiting = Waiting({"secant._hearing"}, self._join)
        self._joined: list[list[Heard]] = []

    def open(self) -> None:
        """Listen from now on."""
        self._waiting.open()

    def close(self) -> None:
        """Listen no longer."""
        self._waiting.close()
        for listeners in self._joined:
            if self._hear in listeners:
                listeners.remove(self._hear)

    def _join(self, module: types.ModuleType) -> None:
        module.listeners.append(self._hear)
        self._joined.append(module.listeners)

    def _hear(
        self,
        verb: str,
        result: Any,
        function: Callable[..., Any],
        inputs: Sequence[Any],
        settings: Mapping[str, Any],
    ) -> None:
        is_last = any(listeners[-1:] == [self._hear] for listeners in self._joined)
        if is_last and not _IS_DEAF.get():  # a run inside a run hears its own checks
            self._heard(verb, result, function, inputs, settings)
