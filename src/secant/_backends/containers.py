"""Containers that optree does not know by itself, made known when one is first met.

A leaf of a class that nobody has seen is shown to every framework that is loaded; one that regards
it as a container registers it. Dataclasses and mappings of any class are containers, too. All under
a name of our own, so that nobody else's trees change. A dataclass is rebuilt without its
`__init__`, which may compute what is already there.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import optree

from .._errors import InputError
from .registry import loaded

NAMESPACE = "secant"
_met: set[type] = set()  # classes that were looked at
_leaves: set[type] = set()  # and are no containers
_SEQUENCES = (tuple, list)
_flat: dict[tuple[type, int], Any] = {}  # structures of tuples and lists of leaves, by length
_MOST_KEPT = 64
_register: Any = optree.register_pytree_node


def flatten(tree: Any) -> tuple[list[Any], Any]:
    """Return the leaves of a tree and its structure, through containers of every kind."""
    kind = type(tree), len(tree) if type(tree) in _SEQUENCES else 0
    if kind in _flat and are_leaves(tree):
        return list(tree), _flat[kind]  # what most functions answer, at every call
    try:
        leaves, structure = optree.tree_flatten(tree, namespace=NAMESPACE)
        while not _met.issuperset(map(type, leaves)) and _has_opened(leaves):
            leaves, structure = optree.tree_flatten(tree, namespace=NAMESPACE)
    except RecursionError as error:
        raise InputError(
            "expected containers that end: these hold themselves, or are nested more than "
            f"{optree.MAX_RECURSION_DEPTH:,} deep"
        ) from error
    if 0 < kind[1] == len(leaves) <= _MOST_KEPT and all(map(operator.is_, tree, leaves)):
        _leaves.update(map(type, leaves))
        _flat[kind] = structure
    return leaves, structure


def are_leaves(values: Sequence[Any]) -> bool:
    """Say whether all values are of classes that were seen to be no containers."""
    return _leaves.issuperset(map(type, values))


def _has_opened(leaves: Sequence[Any]) -> bool:
    """Look at leaves of unknown classes; say whether one of them is a container after all."""
    for leaf in leaves:
        kind = type(leaf)
        if kind not in _met:
            if any(backend.open_container(leaf) for backend in loaded()):
                return True
            _met.add(kind)
            if _learn(kind):
                return True
    return False


def mapped(change: Callable[[Any], Any], tree: Any) -> Any:
    """Return a tree with every leaf changed, `None`s left alone."""
    leaves, structure = flatten(tree)
    return optree.tree_unflatten(structure, [change(leaf) for leaf in leaves])


def _learn(kind: type) -> bool:
    """Say whether a leaf's class is a container after all that was not known as one."""
    if issubclass(kind, Mapping):
        _register(kind, _mapped, _Remap(kind), namespace=NAMESPACE)
        return True
    if not hasattr(kind, "__dataclass_fields__"):
        return False
    entry = optree.GetAttrEntry
    _register(kind, _fields, _Rebuild(kind), path_entry_type=entry, namespace=NAMESPACE)
    return True


def _fields(value: Any) -> tuple[tuple[Any, ...], tuple[str, ...], tuple[str, ...]]:
    names = tuple(name for name in value.__dataclass_fields__ if hasattr(value, name))
    return tuple(getattr(value, name) for name in names), names, names


def _mapped(value: Any) -> tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]:
    return tuple(value.values()), tuple(value), tuple(value)


class _Rebuild:
    """Makes an instance of a dataclass of its fields' values."""

    def __init__(self, kind: type) -> None:
        self._kind = kind

    def __call__(self, names: Sequence[str], values: Sequence[Any]) -> Any:
        made: Any = object.__new__(self._kind)
        for name, value in zip(names, values, strict=True):
            object.__setattr__(made, name, value)
        return made


class _Remap:
    """Makes a mapping of keys and values; one that cannot be made of them is made a dict."""

    def __init__(self, kind: type) -> None:
        self._kind: Any = kind

    def __call__(self, keys: Sequence[Any], values: Sequence[Any]) -> Any:
        items = dict(zip(keys, values, strict=True))
        if hasattr(self._kind, "__dataclass_fields__"):
            return self._kind(**items)
        return self._kind(items)
