"""Casts to lower precision, seen while a function runs.

A dispatch mode would be shown every operator, each at several times what it costs by itself. Torch
keeps a place in its dispatcher that nothing uses; what is registered there for the one operator
that casts is called in a thread that asks for it, and all other operators pass by at no cost.
"""

from __future__ import annotations

import contextlib
from typing import Any

import torch

from ..arrays.dtypes import loses_digits
from .uncast import Casts, skip_compiling

Noted = dict[str, float]
"""Dtypes of less precision that were cast to, with their round-offs."""

_COPY = torch.ops.aten._to_copy.default
_C: Any = torch._C
_PLACE = "TESTING_ONLY_GenericMode"
_set: Any = _C._dispatch_tls_set_dispatch_key_included
_noted: Noted | None = None  # of the call that is watched; one check at a time has its turn


class Watching:
    """While this is entered, casts to fewer digits than there are are noted."""

    __slots__ = ("_before", "_noted")

    def __init__(self, noted: Noted) -> None:
        self._noted = noted

    def __enter__(self) -> None:
        self._before = _noted
        watch(self._noted)

    def __exit__(self, *raised: object) -> None:
        watch(self._before)


def watched() -> Noted | None:
    """Return where casts are noted at the moment, None where they are not."""
    return _noted


def watch(noted: Noted | None) -> None:
    """From now on note casts there, or nowhere."""
    global _noted
    _noted = noted
    if _key is not None:
        _set(_key, noted is not None)


def watching_casts(noted: Noted) -> contextlib.AbstractContextManager[Any]:
    """Note the dtypes of less precision that are cast to meanwhile, with their round-offs."""
    return Casts(noted, is_left_out=False) if _key is None else Watching(noted)


def _cast(*arguments: Any, **settings: Any) -> Any:
    noted = _noted
    before: Any = getattr(arguments[0], "dtype", None)  # a number is no tensor
    after: Any = settings.get("dtype")
    if noted is not None and None not in (before, after) and loses_digits(before, after):
        noted[str(after).removeprefix("torch.")] = torch.finfo(after).eps / 2
    _set(_key, False)
    try:
        return _COPY(*arguments, **settings)
    finally:
        _set(_key, True)


def _registered() -> Any:
    """Return the place in the dispatcher, None where this torch has no such thing."""
    try:
        key = _C._dispatch_key_parse(_PLACE)
        make: Any = torch.library.Library
        every, casts = (make(name, "IMPL", _PLACE) for name in ("_", "aten"))
        every.fallback(torch.library.fallthrough_kernel, _PLACE)
        casts.impl("_to_copy", _cast, _PLACE)
        # operators that take functions, those to come and those that are there, let it pass too
        operators: Any = torch._ops
        operators._HIGHER_ORDER_OP_DEFAULT_FALLTHROUGH_DISPATCH_KEYS.append(key)
        for operator in operators._higher_order_ops.values():
            operator.fallthrough(key)
    except (AttributeError, RuntimeError):
        return None
    skip_compiling(_cast)
    _libraries.extend((every, casts))  # which would take back what they register
    return key


_libraries: list[Any] = []
_key: Any = _registered()
