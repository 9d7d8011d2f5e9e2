"""JAX's modules as functions of their arrays: Equinox's, Flax NNX's, any callable that is a tree.

A module that is a tree is taken apart and put together again with other arrays. NNX's keep state
that calls write into (running statistics, counters of random streams), so each call gets a module
of its own, made from the same state: every call begins alike, and the user's module stays as it is.
"""

from __future__ import annotations

import contextlib
import functools
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from types import CellType, FunctionType
from typing import Any

import jax
import jax.numpy as jnp

from ...arithmetic.algebra import Array
from ...code import Code, code_of, common_steps
from ...interface.modules import Call, Mapped, Modules, Unfolded

_DEPTH = 3  # functions around functions, through which a module is looked for
_LIBRARIES = ("equinox", "flax", "jax", "jaxtyping")


class JaxModules(Modules):
    """Callables that are trees to JAX."""

    def is_module(self, function: object) -> bool:
        return is_module(function)

    def unfolded(self, function: Callable[..., Any]) -> Unfolded | None:
        found = unfold(function) if is_module(function) else None
        # a function in a wrapper holds no arrays; one of NNX's may hold other state
        return found if found is not None and (found.parameters or is_nnx(function)) else None

    def held_behind(self, function: Callable[..., Any]) -> str:
        held = (one for one in _modules_behind(function, _DEPTH) if unfold(one).parameters)
        name = next((type(one).__name__ for one in held), None)
        if name is None:
            return ""
        return (
            f"the arrays of `{name}` behind the function are held; to check their gradients too: "
            "secant.check(lambda module, x: module(x), module, x)"
        )

    def converted(self, function: Callable[..., Any], dtype: Any) -> Callable[..., Any]:
        if not is_module(function):
            return function
        found, wide = unfold(function), jnp.dtype(dtype)
        twin: Callable[..., Any] = found.made([one.astype(wide) for one in found.parameters])
        return twin

    def code_behind(self, function: Callable[..., Any], paths: Sequence[str]) -> Code | None:
        module = getattr(function, "__self__", None)
        if not is_module(module):
            return code_of(function)
        found: list[Any] = [module]
        for step in common_steps([re.findall(r"\w+|\[\d+\]", path)[:-1] for path in paths]):
            inner: Any = found[-1]
            inner = inner[int(step[1:-1])] if step[0] == "[" else getattr(inner, step, None)
            found.append(inner)
        modules = [one for one in found if is_module(one)]
        own = [one for one in modules if type(one).__module__.partition(".")[0] not in _LIBRARIES]
        return code_of(body_of(own[-1])) if own else None

    def record(
        self,
        function: Callable[..., Any],
        positional: Sequence[Any],
        named: Mapping[str, Any],
        mapped: Mapped,  # noqa: ARG002 arrays cannot be written into
        states: Callable[[], Any],
    ) -> list[Call]:
        from .record import record  # asked for by few

        return record(function, positional, named, states)


def is_module(value: object) -> bool:
    """Say whether a callable is a tree to JAX, and no function with some arguments filled in."""
    if not callable(value) or isinstance(value, (FunctionType, type, jax.tree_util.Partial)):
        return False
    return not jax.tree_util.all_leaves([value])


def _modules_behind(function: Any, depth: int) -> Iterator[Any]:
    """Yield the modules that a function has closed over, or finds among its globals."""
    if is_module(function):
        yield function
    if depth and isinstance(function, functools.partial):
        for one in (function.func, *function.args, *function.keywords.values()):
            yield from _modules_behind(one, depth - 1)
    elif depth and callable(function) and not isinstance(function, type):
        if (inner := getattr(function, "__wrapped__", None)) is not None:
            yield from _modules_behind(inner, depth - 1)
        if isinstance(function, FunctionType):
            cells = (
                cell.cell_contents for cell in function.__closure__ or () if not _is_empty(cell)
            )
            known = function.__globals__
            named = (known[name] for name in function.__code__.co_names if name in known)
            for one in (*cells, *named):
                if is_module(one) or isinstance(one, (FunctionType, functools.partial)):
                    yield from _modules_behind(one, depth - 1)


def _is_empty(cell: CellType) -> bool:
    try:
        return cell.cell_contents is cell
    except ValueError:  # nothing in it yet
        return True


def body_of(module: Any) -> Callable[..., Any]:
    """Return what is called when a module is."""
    body: Callable[..., Any] = getattr(type(module).__call__, "__func__", type(module).__call__)
    return getattr(body, "method", body).__get__(module)  # type: ignore[no-any-return]


def is_nnx(value: object) -> bool:
    """Say whether something is a module of Flax NNX."""
    nnx = sys.modules.get("flax.nnx")
    return nnx is not None and isinstance(value, nnx.Module)


def unfold(module: Any) -> JaxUnfolded:
    """Return a module as a function of its arrays."""
    return NnxUnfolded(module) if is_nnx(module) else JaxUnfolded(module)


class JaxUnfolded(Unfolded):
    """A module that is a tree: its floating and complex arrays are its parameters."""

    def __init__(self, module: Any) -> None:
        found, self._structure = jax.tree_util.tree_flatten_with_path(module)
        self._leaves = [leaf for _, leaf in found]
        self._places = [k for k, leaf in enumerate(self._leaves) if _is_parameter(leaf)]
        self.parameters = [self._leaves[k] for k in self._places]
        inner = getattr(module, "__wrapped__", None)  # of a compiled module
        known = _names(inner) if is_module(inner) else {}
        paths = [jax.tree_util.keystr(found[k][0]).removeprefix(".") for k in self._places]
        pairs = zip(paths, self.parameters, strict=True)
        self.names = [known.get(id(array), path) for path, array in pairs]
        self.body = body_of(inner if is_module(inner) else module)

    def made(self, parameters: Sequence[Array]) -> Any:
        """Return the module with other parameters."""
        leaves = list(self._leaves)
        for place, parameter in zip(self._places, parameters, strict=True):
            leaves[place] = parameter
        return jax.tree_util.tree_unflatten(self._structure, leaves)

    def call(
        self,
        parameters: Sequence[Array],
        positional: Sequence[Any],
        named: Mapping[str, Any],
    ) -> Any:
        return self.made(parameters)(*positional, **named)

    def holding(self, parameters: Sequence[Array]) -> AbstractContextManager[None]:  # noqa: ARG002
        return contextlib.nullcontext()  # a pull needs no second call

    def shielded(self, leaf: Any) -> Any:
        return leaf

    def wants_shield(self, error: BaseException) -> bool:  # noqa: ARG002 nothing is written into
        return False


class NnxUnfolded(JaxUnfolded):
    """A module of Flax NNX: what it declares as parameters, its other state as it is."""

    def __init__(self, module: Any) -> None:
        nnx = sys.modules["flax.nnx"]
        self._graph, self._state, self._rest = nnx.split(module, nnx.Param, ...)
        flat = list(nnx.to_flat_state(self._state))
        self._paths = [path for path, _ in flat]
        self._kinds = [variable for _, variable in flat]
        self.names = [spelt(path) for path in self._paths]
        self.parameters = [variable.get_value() for variable in self._kinds]
        self.body = body_of(module)
        has_state = any(_is_parameter(one) for one in jax.tree_util.tree_leaves(self._rest))
        self.notes = (_HELD,) if has_state else ()

    def made(self, parameters: Sequence[Array]) -> Any:
        nnx = sys.modules["flax.nnx"]
        pairs = zip(self._paths, self._kinds, parameters, strict=True)
        state = [(path, kind.replace(value)) for path, kind, value in pairs]
        return nnx.merge(self._graph, nnx.from_flat_state(state), _fresh(self._rest))


_HELD = "the module's other state (running statistics, random streams) begins alike in every call"


def _fresh(state: Any) -> Any:
    """Return a copy of a state, so that no call writes into another's."""
    return jax.tree_util.tree_map(lambda leaf: leaf, state)


def _names(module: Any) -> dict[int, str]:
    """Return the paths of a module's leaves, by their identity."""
    found, _ = jax.tree_util.tree_flatten_with_path(module)
    return {id(leaf): jax.tree_util.keystr(path).removeprefix(".") for path, leaf in found}


def _is_parameter(leaf: Any) -> bool:
    is_array = isinstance(leaf, jax.Array)
    return is_array and bool(jnp.issubdtype(leaf.dtype, jnp.inexact))


def spelt(path: Sequence[Any]) -> str:
    """Return a path as its user writes it: `layers[0].kernel`.

    >>> spelt(("layers", 0, "kernel"))
    'layers[0].kernel'
    """
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")


def submodules(module: Any) -> Iterator[tuple[str, Any]]:
    """Yield every module inside one, itself first, with its path."""
    if is_nnx(module):
        found = [(spelt(path), one) for path, one in sys.modules["flax.nnx"].iter_modules(module)]
        yield from sorted(found, key=lambda pair: pair[0] != "")
        return
    yield "", module
    pending = [("", module)]
    while pending:
        path, node = pending.pop(0)
        keyed, _ = jax.tree_util.default_registry.flatten_one_level_with_keys(node) or ([], None)
        for key, child in keyed:
            inner = f"{path}{jax.tree_util.keystr((key,))}".removeprefix(".")
            if jax.tree_util.all_leaves([child]):
                continue
            pending.append((inner, child))
            if is_module(child):
                yield inner, child
