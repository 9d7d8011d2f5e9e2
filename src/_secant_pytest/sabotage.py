"""Claims made too large, so that it shows which checker would have noticed.

Takes a function and a factor, gives the same function with every derivative that is claimed for it
multiplied: what it computes is left as it is. Its outputs pass through an identity whose derivative
is written down wrong. A check of second order looks at gradients as functions; there the gradients
stay as they are, and their derivatives are wrong, so the identity stands at the inputs instead.
Where the claim is a function of its own, its answers are multiplied.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .interception import Check

Function = Callable[..., Any]


def sabotaged(
    check: Check, arguments: Sequence[Any], keywords: Mapping[str, Any], factor: float
) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """Return a call's arguments with the function's claims multiplied by the factor."""
    name, place, wrong = _WRONG[check.name]
    if name in keywords:
        return arguments, {**keywords, name: wrong(keywords[name], factor)}
    changed = wrong(arguments[place], factor)
    return (*arguments[:place], changed, *arguments[place + 1 :]), keywords


def _wrong_gradient(function: Function, factor: float) -> Function:
    from .wrong_tensors import scaled

    def wrong(*inputs: Any, **keywords: Any) -> Any:
        outputs = function(*inputs, **keywords)
        return _each(outputs, lambda one: scaled(one, factor))

    return _named(wrong, function)


def _wrong_second(function: Function, factor: float) -> Function:
    from .wrong_tensors import scaled_twice

    def wrong(*inputs: Any, **keywords: Any) -> Any:
        return function(*_each(inputs, lambda one: scaled_twice(one, factor)), **keywords)

    return _named(wrong, function)


def _wrong_rule(function: Function, factor: float) -> Function:
    import jax
    import jax.numpy as jnp

    @jax.custom_jvp
    def identity(value: Any) -> Any:
        return value

    @identity.defjvp
    def _push(primals: Any, tangents: Any) -> Any:
        return primals[0], _scaled(factor, tangents[0])

    def one(leaf: Any) -> Any:
        return identity(leaf) if jnp.issubdtype(jnp.result_type(leaf), jnp.inexact) else leaf

    def wrong(*arguments: Any, **keywords: Any) -> Any:
        return jax.tree_util.tree_map(one, function(*arguments, **keywords))

    return _named(wrong, function)


def _wrong_push(f_jvp: Function, factor: float) -> Function:
    def wrong(*arguments: Any, **keywords: Any) -> Any:
        outputs, tangents = f_jvp(*arguments, **keywords)
        return outputs, _times(factor, tangents)

    return wrong


def _wrong_pull(f_vjp: Function, factor: float) -> Function:
    def wrong(*arguments: Any, **keywords: Any) -> Any:
        outputs, pull = f_vjp(*arguments, **keywords)
        return outputs, lambda cotangents: _times(factor, pull(cotangents))

    return wrong


def _times(factor: float, tree: Any) -> Any:
    """Return a tree of JAX's arrays times a factor, but what no derivative belongs to."""
    import jax
    import jax.numpy as jnp

    def one(leaf: Any) -> Any:
        is_inexact = jnp.issubdtype(jnp.result_type(leaf), jnp.inexact)
        return _scaled(factor, leaf) if is_inexact else leaf

    return jax.tree_util.tree_map(one, tree)


def _scaled(factor: float, value: Any) -> Any:
    """Return a value times a factor in its own dtype, also where NumPy would widen it."""
    import jax.numpy as jnp

    return jnp.multiply(jnp.asarray(value), factor)


_WRONG: dict[str, tuple[str, int, Callable[[Function, float], Function]]] = {
    "gradcheck": ("func", 0, _wrong_gradient),
    "gradgradcheck": ("func", 0, _wrong_second),
    "check_grads": ("f", 0, _wrong_rule),
    "check_jvp": ("f_jvp", 1, _wrong_push),
    "check_vjp": ("f_vjp", 1, _wrong_pull),
}


def _each(values: Any, change: Callable[[Any], Any]) -> Any:
    """Return a tensor, or a sequence of values, with those that can be differentiated changed."""
    import torch

    if isinstance(values, torch.Tensor):
        return change(values) if values.is_floating_point() or values.is_complex() else values
    if isinstance(values, (tuple, list)):
        changed = [_each(value, change) for value in values]
        is_named = hasattr(values, "_fields")
        return type(values)(*changed) if is_named else type(values)(changed)
    return values


def _named(wrong: Function, function: Function) -> Function:
    functools.update_wrapper(wrong, function, updated=())
    del wrong.__wrapped__  # type: ignore[attr-defined]
    return wrong
