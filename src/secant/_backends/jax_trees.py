"""JAX's containers: whatever is registered with JAX as a tree is opened, with paths in its habit.

Equinox modules, Flax structures, BCOO matrices and registered dataclasses are nodes to JAX and
leaves to optree. A class that is met for the first time is made known to optree, in secant's own
namespace, with JAX's own way of taking it apart.
"""

from __future__ import annotations

from typing import Any

import jax
import optree

from .containers import NAMESPACE


class _Entry(optree.PyTreeEntry):
    """One step of a path, spelt as JAX spells it: `.weight`, `['kernel']`, `[3]`."""

    def __call__(self, obj: Any) -> Any:
        children, _ = jax.tree_util.default_registry.flatten_one_level_with_keys(obj)
        return dict(children)[self.entry]

    def codify(self, node: str = "") -> str:
        return f"{node}{self.entry}"


def open_container(value: object) -> bool:
    """Make the class of a value known as a container, if JAX regards it as one."""
    if jax.tree_util.all_leaves([value]):
        return False
    kind: Any = type(value)
    optree.register_pytree_node(
        kind, _flatten, _unflatten, path_entry_type=_Entry, namespace=NAMESPACE
    )
    return True


def _flatten(node: Any) -> tuple[list[Any], Any, list[Any]]:
    """Return the children, the node without them, and the key of each child."""
    keyed, _ = jax.tree_util.default_registry.flatten_one_level_with_keys(node)
    structure = jax.tree_util.tree_structure(node, is_leaf=lambda one: one is not node)
    return [child for _, child in keyed], structure, [key for key, _ in keyed]


def _unflatten(structure: Any, children: Any) -> Any:
    return jax.tree_util.tree_unflatten(structure, list(children))
