"""JAX's containers: whatever is registered with JAX as a tree is opened, with paths in its habit.

Equinox modules, Flax structures, BCOO matrices and registered dataclasses are nodes to JAX and
leaves to optree. A class that is met for the first time is made known to optree, in secant's own
namespace, with JAX's own way of taking it apart.
"""

from __future__ import annotations

from typing import Any

import jax
import optree

from ...containers import NAMESPACE


class _Entry(optree.PyTreeEntry):
    """One step of a path, spelt as JAX spells it: `.weight`, `['kernel']`, `[3]`."""

    def __call__(self, obj: Any) -> Any:
        children, _, keys = _flatten(obj)
        return dict(zip(keys, children, strict=True))[self.entry]

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
    return [child for _, child in keyed], structure, [_key(node, *pair) for pair in keyed]


def _key(node: Any, key: Any, child: Any) -> Any:
    """Return how a child is reached: by attribute, where its place is all that JAX was told."""
    if not isinstance(key, jax.tree_util.FlattenedIndexKey):
        return key
    names = [name for name, value in getattr(node, "__dict__", {}).items() if value is child]
    return jax.tree_util.GetAttrKey(names[0]) if len(names) == 1 else key


def _unflatten(structure: Any, children: Any) -> Any:
    return jax.tree_util.tree_unflatten(structure, list(children))
