"""A right function with a wrong backward: the true gradients are computed, and then spoiled.

Takes a function, a way of spoiling its gradients and a size s, and gives the function with the
backward (1 − s) · true + s · spoiled. The forward pass is the function's own, and so are the random
numbers it draws: its graph is kept and pulled through, never built a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

__all__ = ["Gradients", "Pull", "Spoil", "planted"]

Gradients = tuple[torch.Tensor | None, ...]  # None for a leaf the outputs do not depend on


class Pull(NamedTuple):
    """One call of a backward: what came in, what is right to return, and how to ask again."""

    cotangents: tuple[torch.Tensor, ...]
    gradients: Gradients
    inputs: tuple[torch.Tensor, ...]  # as the forward pass was handed them, not copies
    again: Callable[[Sequence[torch.Tensor]], Gradients]


Spoil = Callable[[Pull], Gradients]  # the gradients at size 1; may write where it should not


class Inner(NamedTuple):
    """The function's own graph, between leaves that nobody else holds."""

    inputs: tuple[torch.Tensor, ...]
    leaves: tuple[torch.Tensor, ...]
    outputs: tuple[torch.Tensor, ...]

    def pull(self, cotangents: Sequence[torch.Tensor]) -> Gradients:
        """The true gradients."""
        wanted = [leaf for leaf in self.leaves if leaf.requires_grad]
        live = [place for place, output in enumerate(self.outputs) if output.requires_grad]
        answers = iter(
            torch.autograd.grad(
                [self.outputs[place] for place in live],
                wanted,
                [cotangents[place] for place in live],
                retain_graph=True,
                allow_unused=True,
            )
        )
        return tuple(next(answers) if leaf.requires_grad else None for leaf in self.leaves)


def planted(function: Callable[..., Any], spoil: Spoil, size: float) -> Callable[..., Any]:
    """The function, with a backward that is wrong by `size` of what `spoil` does."""

    class Planted(torch.autograd.Function):
        """The function's own forward, and a spoiled backward."""

        @staticmethod
        def forward(ctx: Any, *inputs: torch.Tensor) -> Any:
            with torch.enable_grad():
                leaves = tuple(
                    tensor.detach().requires_grad_(needed)
                    for tensor, needed in zip(inputs, ctx.needs_input_grad, strict=True)
                )
                output = function(*leaves)
            outputs = output if isinstance(output, tuple) else (output,)
            ctx.inner = Inner(inputs, leaves, outputs)
            answers = tuple(settled(one) for one in outputs)
            ctx.mark_non_differentiable(
                *(
                    answer
                    for one, answer in zip(outputs, answers, strict=True)
                    if not one.requires_grad
                )
            )
            return answers if isinstance(output, tuple) else answers[0]

        @staticmethod
        def backward(ctx: Any, *cotangents: torch.Tensor) -> Any:
            inner: Inner = ctx.inner
            gradients = inner.pull(cotangents)
            spoiled = spoil(Pull(cotangents, gradients, inner.inputs, inner.pull))
            return blend(gradients, spoiled, size)

    def call(*inputs: torch.Tensor) -> Any:
        return Planted.apply(*inputs)

    call.__name__ = call.__qualname__ = getattr(function, "__name__", "function")
    return call


def settled(output: torch.Tensor) -> torch.Tensor:
    """An output of one's own: no view of an input, no conjugation left to be done."""
    return output.detach().resolve_conj().resolve_neg().clone()


def blend(gradients: Gradients, spoiled: Gradients, size: float) -> Gradients:
    """(1 − s) · true + s · spoiled; at size 1 the spoiled ones themselves, with their layout."""
    if size == 1.0:
        return spoiled
    return tuple(
        true if true is None or wrong is None else true + size * (wrong - true)
        for true, wrong in zip(gradients, spoiled, strict=True)
    )
