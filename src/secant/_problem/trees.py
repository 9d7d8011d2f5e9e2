"""Nested containers: flatten, rebuild, and name each leaf as the user would write it."""

from __future__ import annotations

import functools
import inspect
import operator
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import optree

from .._backends.base import Backend
from .._backends.containers import NAMESPACE, are_leaves, flatten


class Arguments:
    """Positional and keyword arguments as leaves, and the way back."""

    def __init__(self, inputs: Sequence[Any], keywords: Mapping[str, Any]) -> None:
        self.candidates: tuple[Any, list[int]] = None, []  # leaves, and which to differentiate
        self.is_flat = not keywords and are_leaves(inputs)  # every argument is a leaf
        self._structure: Any = None  # of arguments that are all leaves there is none
        if self.is_flat:
            self.leaves: list[Any] = list(inputs)
            return
        positional = tuple(inputs)
        self.leaves, self._structure = flatten((positional, dict(keywords)))
        if not keywords and len(self.leaves) == len(inputs):
            self.is_flat = all(map(operator.is_, self.leaves, inputs))
            flatten(positional)  # from which it is known the next time

    def rebuild(self, leaves: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments with other leaves in their places."""
        if self._structure is None or self.is_flat:
            return tuple(leaves), {}
        arguments: Any = optree.tree_unflatten(self._structure, leaves)
        return arguments[0], arguments[1]

    def positional(self) -> list[Any]:
        """Return the structure of every positional argument; their leaves come first, in order."""
        if self._structure is None or self.is_flat:
            return [ONE_LEAF] * len(self.leaves)
        every: list[Any] = self._structure.children()[0].children()
        return every

    def convert(self, backend: Backend, dtype: Any) -> None:
        """Let every inexact leaf be of another dtype; those that are marked stay so."""
        for k, leaf in enumerate(self.leaves):
            if backend.is_array(leaf) and backend.is_inexact(leaf):
                cast = backend.cast(leaf, dtype)
                self.leaves[k] = backend.leaf(cast) if backend.wants_gradient(leaf) else cast

    def paths(self, function: Callable[..., Any]) -> list[str]:
        """Return each leaf's path, beginning with the parameter's name."""
        names = parameter_names(function)
        if self._structure is None or self.is_flat:
            own = names[: len(self.leaves)]
            unnamed = range(len(own), len(self.leaves))
            return own + [f"input{k}" for k in unnamed] if unnamed else own
        return [_argument_path(accessor, names) for accessor in self._structure.accessors()]


_ANY: Any = 0
ONE_LEAF: Any = optree.tree_structure(_ANY, namespace=NAMESPACE)
"""The structure of an output that is a single leaf."""


def flatten_output(value: Any) -> tuple[list[Any], Any]:
    """Return an output's leaves and its structure."""
    return flatten(value)


def unflatten_output(structure: Any, leaves: Sequence[Any]) -> Any:
    """Return leaves in containers of this structure."""
    value: Any = optree.tree_unflatten(structure, leaves)
    return value


def split_like(structure: Any, value: Any) -> list[Any] | None:
    """Return what a value has in the place of every leaf, None where it is of another structure.

    None in the place of a container stands for None in all of its leaves.
    """
    if value is None:
        return [None] * int(structure.num_leaves)
    if structure.is_leaf():
        return [value]
    try:
        leaves: list[Any] = structure.flatten_up_to(value)
    except (TypeError, ValueError):
        return None
    return leaves


def output_paths(structure: Any) -> list[str]:
    """Return each output leaf's path: `out`, `out[1]`, `out["loss"]`."""
    if structure is ONE_LEAF or structure.is_leaf():
        return ["out"]
    try:  # the same few structures come by the thousand
        return _known_paths(structure)
    except TypeError:  # one whose containers cannot be hashed
        return _output_paths(structure)


def _output_paths(structure: Any) -> list[str]:
    return [_spelt(accessor.codify("out")) for accessor in structure.accessors()]


_known_paths = functools.lru_cache(maxsize=64)(_output_paths)


def spell_structure(structure: Any) -> str:
    """Spell an output's structure with a star for every leaf: `(*, *)`, `None`."""
    return str(structure).removeprefix("PyTreeSpec(").removesuffix(")")


def function_name(function: Callable[..., Any]) -> str:
    """Return what a user would call the function; `Rule.apply` goes by the name of its rule."""
    while isinstance(function, functools.partial):
        function = function.func
    if not hasattr(function, "__name__"):
        function = getattr(function, "__wrapped__", function)  # a module in a wrapper
    name = getattr(function, "__name__", None) or type(function).__name__
    owner = getattr(function, "__self__", None)
    return owner.__name__ if name == "apply" and isinstance(owner, type) else name


def call_name(function: Callable[..., Any]) -> str:
    """Return the expression a user would pass to `check` again."""
    is_object = not isinstance(function, functools.partial) and not hasattr(function, "__name__")
    if _is_module(function) or is_object:
        return "module"
    name = function_name(function)
    return f"{name}.apply" if getattr(function, "__name__", None) == "apply" != name else name


def parameter_names(function: Callable[..., Any]) -> list[str]:
    """Return the names of the positional parameters, as far as the function tells."""
    owner: Any = getattr(function, "__self__", None)
    if getattr(function, "__name__", None) == "apply" and hasattr(owner, "forward"):
        names = parameter_names(owner.forward)  # a rule's own parameters, without its context
        return names[1:] if names[:1] == ["ctx"] else names
    if isinstance(function, types.BuiltinFunctionType):
        return []
    if _is_module(function):
        return parameter_names(function.forward)  # type: ignore[attr-defined]
    code = getattr(function, "__code__", None)
    is_plain = owner is None or isinstance(function, types.MethodType)
    if code is not None and is_plain and not hasattr(function, "__wrapped__"):
        own = 0 if owner is None else 1  # a signature costs fifty times as much
        return list(code.co_varnames[own : code.co_argcount])
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    named = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [parameter.name for parameter in parameters if parameter.kind in named]


def _is_module(function: Any) -> bool:
    """Say whether an object with a `forward` of its own is called, and not a function."""
    is_object = getattr(function, "__name__", None) is None and not isinstance(function, type)
    return is_object and callable(getattr(function, "forward", None))


def _argument_path(accessor: Any, names: Sequence[str]) -> str:
    kind, place = accessor[0].entry, accessor[1].entry
    if kind == 1:
        root = str(place)
    else:
        root = names[place] if place < len(names) else f"input{place}"
    return _spelt(accessor[2:].codify(root)) if len(accessor) > 2 else root


def _spelt(path: str) -> str:
    """Spell keys in double quotes."""
    return path.replace("['", '["').replace("']", '"]')
