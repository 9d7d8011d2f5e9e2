"""Who wants to hear of every check: a test runner's plugin, which sums up all that a run asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from ._errors import SecantError

Listener = Callable[[str, Any, Callable[..., Any], Sequence[Any], Mapping[str, Any]], None]
"""Hears the verb, its result or the error that refused it, the function, inputs and settings."""

Result = TypeVar("Result")

listeners: list[Listener] = []


def told(
    verb: str,
    ask: Callable[[], Result],
    function: Callable[..., Any],
    inputs: Sequence[Any],
    settings: Mapping[str, Any],
) -> Result:
    """Ask, and tell the listeners what came of it."""
    if not listeners:
        return ask()
    heard: Any = None
    try:
        heard = result = ask()
    except SecantError as error:
        heard = error
        raise
    finally:
        for listener in tuple(listeners) if heard is not None else ():
            listener(verb, heard, function, inputs, settings)
    return result
