"""Find a value's framework from its type, through `sys.modules`, never by importing one."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable

from .._errors import InputError
from .base import Backend

# framework module -> the module here that speaks for it
_KNOWN = {"torch": ("secant._backends.torch", "TorchBackend")}
_made: dict[str, Backend] = {}
_by_type: dict[type, Backend | None] = {}


def register(framework: str, backend: Backend) -> None:
    """Add a backend: it is asked about values as soon as `framework` has been imported."""
    _made[framework] = backend
    _by_type.clear()


def backend_of(values: Iterable[object], function: object = None) -> Backend:
    """Return the backend to which the first recognised value belongs, or else the function."""
    for value in values:
        kind = type(value)
        backend = _by_type[kind] if kind in _by_type else _look_up(value)
        if backend is not None:
            return backend
    for framework in [*_KNOWN, *(_made.keys() - _KNOWN.keys())]:
        if framework in sys.modules and _make(framework).is_module(function):
            return _make(framework)
    raise InputError(
        "expected the inputs to hold at least one array of a framework that secant knows "
        f"({', '.join([*_KNOWN, *(_made.keys() - _KNOWN.keys())])}); got none"
    )


def _look_up(value: object) -> Backend | None:
    found = None
    for framework in [*_KNOWN, *(_made.keys() - _KNOWN.keys())]:
        if framework in sys.modules and _make(framework).is_array(value):
            found = _make(framework)
            break
    _by_type[type(value)] = found
    return found


def _make(framework: str) -> Backend:
    if framework not in _made:
        module, name = _KNOWN[framework]
        _made[framework] = getattr(importlib.import_module(module), name)()
    return _made[framework]
