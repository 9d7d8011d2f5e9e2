"""Plant a derivative in JAX: a function of arrays, with whatever rule somebody gives it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

Rule = Callable[..., Any]


def pulled(forward: Rule, backward: Rule, *, forward_pass: Rule | None = None) -> Rule:
    """Make a `custom_vjp` of forward(*inputs) and backward(*inputs, v), a tuple of gradients."""
    rule = jax.custom_vjp(forward)
    rule.defvjp(
        lambda *inputs: ((forward_pass or forward)(*inputs), inputs),
        lambda inputs, v: backward(*inputs, v),
    )
    return rule


def pushed(forward: Rule, push: Rule, *, forward_pass: Rule | None = None) -> Rule:
    """Make a `custom_jvp` of forward(*inputs) and push(inputs, tangents)."""
    rule = jax.custom_jvp(forward)
    rule.defjvp(lambda x, u: ((forward_pass or forward)(*x), push(x, u)))
    return rule
