"""Plant a derivative: a function of tensors, with whatever rules somebody gives it.

The one way in which wrong derivatives are made, by the gallery, the tests and the benchmarks.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

import torch

Rule = Callable[..., Any]


def _names_inputs(forward: Rule) -> bool:
    """Say whether torch finds a signature of inputs alone; it would add what has a default."""
    try:
        parameters = inspect.signature(forward).parameters.values()
    except ValueError:  # a function of torch's own
        return False
    return all(one.default is one.empty for one in parameters)


def planted(
    name: str,
    forward: Rule,
    backward: Rule,
    push: Rule | None = None,
    *,
    batches: bool = False,
    materialises: bool = True,
) -> Rule:
    """Return `forward` with derivatives of its own.

    `backward(inputs, *cotangents)` gives one gradient per input, `push(inputs, *tangents)` one
    tangent per output. It may be vmapped if it `batches`; `materialises` is torch's
    set_materialize_grads.
    """

    def unnamed(*inputs: Any) -> Any:
        return forward(*inputs)

    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:  # noqa: ARG001 torch's
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)
        ctx.set_materialize_grads(materialises)

    @wraps(backward)  # a report says where that is written
    def pull(ctx: Any, *cotangents: Any) -> Any:
        return backward(ctx.saved_tensors, *cotangents)

    def jvp(ctx: Any, *tangents: Any) -> Any:
        assert push is not None
        given = zip(ctx.saved_tensors, tangents, strict=True)
        return push(ctx.saved_tensors, *(torch.zeros_like(x) if u is None else u for x, u in given))

    members: dict[str, Any] = {
        "forward": staticmethod(forward if _names_inputs(forward) else unnamed),
        "setup_context": staticmethod(setup_context),
        "backward": staticmethod(pull),
        "generate_vmap_rule": batches,
    }
    if push is not None:
        members["jvp"] = staticmethod(jvp)
    made: Any = type(name, (torch.autograd.Function,), members)
    return made.apply  # type: ignore[no-any-return]
