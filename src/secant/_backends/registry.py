"""Find a value's framework from its type, through `sys.modules`, never by importing one."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Iterator

from .._errors import InputError
from .base import Backend

# framework module -> the module here that speaks for it
_KNOWN = {
    "torch": ("secant._backends.torch", "TorchBackend"),
    "jax": ("secant._backends.jax", "JaxBackend"),
}
_made: dict[str, Backend] = {}
_unusable: set[str] = set()
_by_type: dict[type, Backend | None] = {}


def register(framework: str, backend: Backend) -> None:
    """Add a backend: it is asked about values as soon as `framework` has been imported."""
    _made[framework] = backend
    _by_type.clear()


def backend_of(values: Iterable[object]) -> Backend:
    """Return the backend to which all values belong that are arrays of some framework."""
    found = None
    for value in values:
        kind = type(value)
        backend = _by_type[kind] if kind in _by_type else _look_up(value)
        if backend is not None and backend is not found:
            if found is not None:
                raise InputError(
                    "expected the inputs to hold arrays of one framework; got arrays of "
                    f"{found.name} and of {backend.name}. Convert one of them first"
                )
            found = backend
    if found is None:
        raise InputError(
            "expected the inputs to hold at least one array of a framework that secant knows "
            f"({', '.join(_frameworks())}); got none"
        )
    return found


def loaded() -> Iterator[Backend]:
    """Yield the backends of the frameworks that have been imported."""
    for framework in _frameworks():
        if framework in sys.modules and framework not in _unusable:
            try:
                yield _make(framework)
            except ImportError:  # too old, or broken: no reason to fail with another framework
                _unusable.add(framework)


def _look_up(value: object) -> Backend | None:
    found = next((backend for backend in loaded() if backend.is_array(value)), None)
    _by_type[type(value)] = found
    return found


def _frameworks() -> list[str]:
    return [*_KNOWN, *(_made.keys() - _KNOWN.keys())]


def _make(framework: str) -> Backend:
    if framework not in _made:
        module, name = _KNOWN[framework]
        _made[framework] = getattr(importlib.import_module(module), name)()
    return _made[framework]
