"""Which framework a program's target belongs to; and that framework imported, by its name."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..._backends.base import Backend
from ..._backends.registry import backend_named, loaded
from ..._errors import InputError, expected, one_of

FRAMEWORKS = ("torch", "jax", "tinygrad", "numpy")
"""Those whose arrays can be made by name; where several are in question, the first one decides."""

# packages that compute with another's arrays
_SPEAKS = {"autograd": "numpy", "scipy": "numpy", "equinox": "jax", "flax": "jax", "optax": "jax"}


def start(framework: str) -> Backend:
    """Import a framework and return its backend, or say what to install."""
    if framework not in FRAMEWORKS:
        raise expected("framework", one_of(FRAMEWORKS), framework)
    try:
        importlib.import_module(framework)
    except ImportError as error:
        raise InputError(
            f"expected {framework} to be installed; it cannot be imported ({error}). "
            f'Try: pip install "secant[{framework}]"'
        ) from error
    return backend_named(framework, "framework")


def framework_of(target: Any, places: Iterable[str]) -> str:
    """Return the framework whose arrays a target takes, as far as can be told before a call.

    A module or a rule says so by its class, a framework's own function by the module it is in, one
    of `places`. Otherwise the names that the function's code mentions decide, then what its file
    has imported, then what is imported at all; NumPy comes last.
    """
    for backend in loaded():
        if backend.targets.is_own(target):
            return backend.name
    home = _foremost(place.partition(".")[0] for place in places)
    if home is not None:
        return home
    function = inspect.unwrap(target) if callable(target) else target
    function = getattr(function, "fun", function)  # what a rule of JAX is written around
    scope = getattr(function, "__globals__", None)
    if scope is None:  # a callable object: what its class was written beside
        scope = vars(sys.modules.get(type(function).__module__, sys))
    mentioned = _mentioned(function, scope)
    return (
        _foremost(map(_package, mentioned))
        or _foremost(map(_package, scope.values()))
        or _foremost(name for name in FRAMEWORKS if name in sys.modules)
        or FRAMEWORKS[-1]
    )


def _foremost(packages: Iterable[str]) -> str | None:
    found = {_SPEAKS.get(package, package) for package in packages}
    return next((framework for framework in FRAMEWORKS if framework in found), None)


def _mentioned(function: Callable[..., Any], scope: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the global things that a function's code names, also inside its inner functions."""
    codes = [getattr(function, "__code__", None)]
    while codes:
        code = codes.pop()
        if code is not None:
            yield from (scope[name] for name in code.co_names if name in scope)
            codes += [one for one in code.co_consts if inspect.iscode(one)]


def _package(thing: Any) -> str:
    """Return the package that a module, or what was defined in one, comes from."""
    name = thing.__name__ if inspect.ismodule(thing) else getattr(thing, "__module__", None)
    return name.partition(".")[0] if isinstance(name, str) else ""
