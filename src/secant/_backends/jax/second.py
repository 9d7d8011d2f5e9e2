"""Higher orders for JAX's drop-in: pushes and pulls as functions, to be checked like any other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .traces.calls import is_inexact
from .traces.programs import adopted

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
        return [output for output in map(adopted, outputs) if _is_inexact(output)]

    return call, [leaves[place] for place in places]


def _is_inexact(leaf: Any) -> bool:
    return isinstance(leaf, jax.Array) and is_inexact(leaf)


def as_number(tolerance: Any, function: Function, arguments: tuple[Any, ...]) -> float | None:
    """Return a tolerance as one number: by dtype it is the coarsest that is met, of many the most.

    What is not said about a dtype is left to the error bars.
    """
    if tolerance is None:
        return None
    if not isinstance(tolerance, dict):
        return float(np.max(np.asarray(tolerance)))
    by_dtype = {np.dtype(key): value for key, value in tolerance.items()}
    met = {one.dtype for one in (*inputs_of(arguments), *outputs_of(function, arguments))}
    found = [as_number(by_dtype[one], function, arguments) for one in met if one in by_dtype]
    return max((one for one in found if one is not None), default=None)


def usual_rtol(arguments: tuple[Any, ...]) -> float | None:
    """Return what JAX's own checks forgive by default in half precision; None above it."""
    halves = (one for one in inputs_of(arguments) if one.dtype.itemsize == 2)
    return max((_USUAL[str(one.dtype)] for one in halves), default=None)


def usual_tolerance(arguments: tuple[Any, ...]) -> float:
    """Return what JAX's own checks forgive by default, absolutely and relatively, in these dtypes.

    Of many it is the least; of one that JAX has no tolerance for, nothing.
    """
    names = {str(one.dtype) for one in inputs_of(arguments)}
    return min((_USUAL.get(name, 0.0) for name in names), default=0.0)


_USUAL = {
    "bfloat16": 0.1,
    "float16": 1e-2,
    "float32": 2e-3,
    "float64": 1e-5,
    "complex64": 1e-3,
    "complex128": 1e-5,
}


def jax_objects(check: str, arguments: Sequence[Any], tolerances: dict[str, Any]) -> str:
    """Return what one of JAX's own checks holds against its arguments; nothing if it passes."""
    import jax.test_util as incumbent

    ask: Any = getattr(incumbent, check)
    try:
        ask(*arguments, **tolerances)
    except AssertionError as error:
        return str(error).strip() or "JAX's own checker fails it"
    except Exception:  # it has no answer either
        return ""
    return ""


def zero_tangents(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a zero tangent of every argument, of no size where it is not differentiated."""
    zeros: tuple[Any, ...] = jax.tree_util.tree_map(
        lambda leaf: leaf * 0 if _is_inexact(leaf) else _no_tangent(leaf), arguments
    )
    return zeros


def pushed_by(f_jvp: Function, count: int) -> Function:
    """Return `f_jvp(primals, tangents)` as a push of the inputs, then of their tangents."""

    def push(*given: Any) -> Any:
        primals, tangents = given[:count], list(given[count:])
        every = [tangents.pop(0) if _has_inexact(one) else _no_tangent(one) for one in primals]
        return f_jvp(tuple(primals), tuple(every))[1]

    return push


def pulled_by(f_vjp: Function) -> Function:
    """Return `f_vjp(*primals)`, which gives a pull beside its output, as a pull by hand."""

    def pull(*given: Any) -> Any:
        gradients = f_vjp(*given[:-1])[1](given[-1])
        return tuple(
            one if _has_inexact(primal) else None
            for one, primal in zip(gradients, given[:-1], strict=True)
        )

    return pull


def is_primal_kept(one: Any, other: Any) -> bool:
    """Say whether a rule's own forward pass computes the function, as far as rounding goes."""
    pairs = zip(jax.tree_util.tree_leaves(one), jax.tree_util.tree_leaves(other), strict=True)
    return all(
        np.shape(a) == np.shape(b)
        and np.allclose(
            np.asarray(a, np.complex128), np.asarray(b, np.complex128), rtol=1e-3, atol=1e-5
        )
        for a, b in pairs
    )


def _has_inexact(argument: Any) -> bool:
    return any(map(_is_inexact, jax.tree_util.tree_leaves(argument)))


def _no_tangent(argument: Any) -> Any:
    return jax.tree_util.tree_map(
        lambda leaf: np.zeros(np.shape(leaf), jax.dtypes.float0), argument
    )
