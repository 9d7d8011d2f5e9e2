"""Find a value's framework from its type, through `sys.modules`, never by importing one."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterable, Iterator

from .._errors import InputError, expected
from .base import Backend

# framework module -> the module here that speaks for it
_KNOWN = {
    "torch": ("secant._backends.torch.backend", "TorchBackend"),
    "jax": ("secant._backends.jax.backend", "JaxBackend"),
    "tinygrad": ("secant._backends.tinygrad", "TinygradBackend"),
}
# asked after all others, because theirs may look like these from outside; NumPy is always there
_LAST = {
    "numpy": ("secant._backends.arrays.numpy", "NumpyBackend"),
    "array_api": ("secant._backends.arrays.array_api", "ArrayApiBackend"),
}
_made: dict[str, Backend] = {}
_unusable: set[str] = set()
_by_type: dict[type, Backend | None] = {}


def register(framework: str, backend: Backend) -> None:
    """Add a backend: it is asked about values as soon as `framework` has been imported."""
    _made[framework] = backend
    _by_type.clear()


@contextlib.contextmanager
def standing_for(backend: Backend) -> Iterator[None]:
    """Let a backend speak for its framework meanwhile, whoever does otherwise."""
    made = dict(_made)
    register(backend.name, backend)
    try:
        yield
    finally:
        _made.clear()
        _made.update(made)
        _by_type.clear()


def backend_named(framework: str, setting: str) -> Backend:
    """Return the backend of a framework that has been imported, by the framework's name."""
    loaded = [name for name in _names() if name in sys.modules or name == "numpy"]
    if framework not in loaded:
        raise expected(
            setting, f"one of {', '.join(loaded)}, which are imported, or None", framework
        )
    return _make(framework)


def backend_of(values: Iterable[object], function: object = None) -> Backend:
    """Return the backend to which all values belong that are arrays of some framework.

    NumPy's arrays are found beside those of any framework: they decide where there are no others.
    Where there are none at all, a module may tell.
    """
    found = common = None
    for value in values:
        kind = type(value)
        backend = _by_type[kind] if kind in _by_type else _look_up(value)
        if backend is None or backend is found:
            continue
        if backend.is_common:
            common = common or backend
        elif found is not None:
            raise InputError(
                "expected the inputs to hold arrays of one framework; got arrays of "
                f"{found.name} and of {backend.name}. Convert one of them first"
            )
        else:
            found = backend
    chosen = found or common
    if chosen is None or (found is None and function is not None):
        own = (backend for backend in loaded() if backend.modules.is_module(function))
        chosen = next(own, chosen)
    if chosen is None:
        raise InputError(
            "expected the inputs to hold at least one array of a framework that secant knows "
            f"({', '.join(_names())}); got none. Pass numbers as an array, as np.array([...])"
        )
    return chosen


def loaded() -> Iterator[Backend]:
    """Yield the backends of the frameworks that have been imported."""
    for framework in _names():
        if (framework in sys.modules or framework in _LAST) and framework not in _unusable:
            try:
                yield _make(framework)
            except ImportError:  # too old, or broken: no reason to fail with another framework
                _unusable.add(framework)


def present_names() -> list[str]:
    """Return the names of the frameworks that have been imported, those beside NumPy."""
    known = (*_KNOWN, *_made) if len(_made) > len(_KNOWN) else _KNOWN
    return [name for name in known if name in sys.modules]


def _names() -> list[str]:
    own = [name for name in _made if name not in _KNOWN and name not in _LAST]
    return [*_KNOWN, *own, *_LAST]


def _look_up(value: object) -> Backend | None:
    found = next((backend for backend in loaded() if backend.is_array(value)), None)
    _by_type[type(value)] = found
    return found


def _make(framework: str) -> Backend:
    if framework not in _made:
        module, name = _KNOWN.get(framework) or _LAST[framework]
        _made[framework] = getattr(importlib.import_module(module), name)()
    return _made[framework]
