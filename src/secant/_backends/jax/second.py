"""Higher orders for JAX's drop-in: pushes and pulls as functions, to be checked like any other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .calls import is_inexact

Function = Callable[..., Any]


def as_arrays(arguments: Sequence[Any]) -> tuple[Any, ...]:
    """Return the arguments with every number made an array, as JAX reads them."""
    return tuple(jax.tree_util.tree_map(_as_array, argument) for argument in arguments)


def _as_array(leaf: Any) -> Any:
    is_number = isinstance(leaf, (float, complex, np.generic, np.ndarray))
    return jnp.asarray(leaf) if is_number else leaf


def linearised(function: Function) -> Function:
    """Return the same function, whose push goes through `jax.linearize`."""
    same = jax.custom_jvp(function)

    def push(primals: Any, tangents: Any) -> Any:
        output, linear = jax.linearize(function, *primals)
        return output, linear(*tangents)

    same.defjvp(push)
    return same


def pushing(function: Function) -> Function:
    """Return (arguments, tangents of their inexact leaves) ↦ tangents of the inexact outputs."""

    def pushed(arguments: tuple[Any, ...], tangents: list[Any]) -> list[Any]:
        call, point = _in_inexact(function, arguments)
        return list(jax.jvp(call, point, tangents)[1])

    return pushed


def pulling(function: Function) -> Function:
    """Return (arguments, cotangents of the inexact outputs) ↦ gradients of the inexact leaves."""

    def pulled(arguments: tuple[Any, ...], cotangents: list[Any]) -> list[Any]:
        call, point = _in_inexact(function, arguments)
        return list(jax.vjp(call, *point)[1](cotangents))

    return pulled


def inputs_of(arguments: tuple[Any, ...]) -> list[Any]:
    """Return the inexact leaves of the arguments."""
    return [leaf for leaf in jax.tree_util.tree_leaves(arguments) if _is_inexact(leaf)]


def outputs_of(function: Function, arguments: tuple[Any, ...]) -> list[Any]:
    """Return the inexact outputs."""
    call, point = _in_inexact(function, arguments)
    return list(call(*point))


def drawn(likes: Sequence[Any], numbers: np.random.Generator) -> list[Any]:
    """Return arrays of the same shapes and dtypes, entries within (−1, 1)."""
    arrays = []
    for like in likes:
        values = numbers.uniform(-1.0, 1.0, (2, *like.shape))
        is_complex = jnp.issubdtype(like.dtype, jnp.complexfloating)
        entries = values[0] + 1j * values[1] if is_complex else values[0]
        arrays.append(jnp.asarray(entries.astype(like.dtype)))
    return arrays


def _in_inexact(function: Function, arguments: tuple[Any, ...]) -> tuple[Function, list[Any]]:
    """Return the function of its inexact leaves, with inexact outputs only, and the point."""
    leaves, structure = jax.tree_util.tree_flatten(arguments)
    places = [k for k, leaf in enumerate(leaves) if _is_inexact(leaf)]

    def call(*values: Any) -> list[Any]:
        given = list(leaves)
        for place, value in zip(places, values, strict=True):
            given[place] = value
        outputs = jax.tree_util.tree_leaves(
            function(*jax.tree_util.tree_unflatten(structure, given))
        )
        return [output for output in outputs if _is_inexact(output)]

    return call, [leaves[place] for place in places]


def _is_inexact(leaf: Any) -> bool:
    return isinstance(leaf, jax.Array) and is_inexact(leaf)
