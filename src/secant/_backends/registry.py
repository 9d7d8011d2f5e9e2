"""Find a value's framework from its type, through `sys.modules`, never by importing one."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable

from .._errors import InputError, expected
from .base import Backend

# framework module -> the module here that speaks for it
_KNOWN = {"torch": ("secant._backends.torch", "TorchBackend")}
# asked after all others, because theirs may look like these from outside; NumPy is always there
_LAST = {
    "numpy": ("secant._backends.numpy", "NumpyBackend"),
    "array_api": ("secant._backends.array_api", "ArrayApiBackend"),
}
_made: dict[str, Backend] = {}
_by_type: dict[type, Backend | None] = {}


def register(framework: str, backend: Backend) -> None:
    """Add a backend: it is asked about values as soon as `framework` has been imported."""
    _made[framework] = backend
    _by_type.clear()


def backend_named(framework: str, setting: str) -> Backend:
    """Return the backend of a framework that has been imported, by the framework's name."""
    loaded = [name for name in _names() if name in sys.modules or name == "numpy"]
    if framework not in loaded:
        raise expected(
            setting, f"one of {', '.join(loaded)}, which are imported, or None", framework
        )
    return _make(framework)


def backend_of(values: Iterable[object]) -> Backend:
    """Return the backend to which the first recognised value belongs.

    NumPy's arrays are found beside those of any framework: they decide where there are no others.
    """
    common = None
    for value in values:
        kind = type(value)
        backend = _by_type[kind] if kind in _by_type else _look_up(value)
        if backend is None:
            continue
        if not backend.is_common:
            return backend
        common = common or backend
    if common is not None:
        return common
    raise InputError(
        "expected the inputs to hold at least one array of a framework that secant knows "
        f"({', '.join(_names())}); got none"
    )


def _names() -> list[str]:
    return [*_KNOWN, *(_made.keys() - _KNOWN.keys() - _LAST.keys()), *_LAST]


def _look_up(value: object) -> Backend | None:
    found = None
    for framework in _names():
        is_there = framework in sys.modules or framework in _LAST
        if is_there and _make(framework).is_array(value):
            found = _make(framework)
            break
    _by_type[type(value)] = found
    return found


def _make(framework: str) -> Backend:
    if framework not in _made:
        module, name = _KNOWN.get(framework) or _LAST[framework]
        _made[framework] = getattr(importlib.import_module(module), name)()
    return _made[framework]
