"""Containers that a framework knows and optree does not, made known when one is first met.

Standard containers need nothing. A leaf of a class that nobody has seen is shown once to every
framework that is loaded; one that regards it as a container registers it with optree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import optree

from .registry import loaded

NAMESPACE = "secant"
_leaves: set[type] = set()  # classes that are containers to nobody


def flatten(tree: Any) -> tuple[list[Any], Any]:
    """Return the leaves of a tree and its structure, containers of loaded frameworks opened."""
    leaves, structure = optree.tree_flatten(tree, namespace=NAMESPACE)
    while _has_opened(leaves):
        leaves, structure = optree.tree_flatten(tree, namespace=NAMESPACE)
    return leaves, structure


def _has_opened(leaves: Sequence[Any]) -> bool:
    """Show leaves of unknown classes to the frameworks; say whether one of them is a container."""
    for leaf in leaves:
        kind = type(leaf)
        if kind not in _leaves:
            if any(backend.open_container(leaf) for backend in loaded()):
                return True
            _leaves.add(kind)
    return False
