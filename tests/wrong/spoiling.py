"""A right function with a wrong backward: the true gradients are computed, and then spoiled.

Takes a function, a way of spoiling its gradients and a size s, and gives the function with the
backward (1 − s) · true + s · spoiled. The forward pass is the function's own, and so are the random
numbers it draws: its graph is kept and pulled through, never built a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from secant._gallery.torch_planting import planted

__all__ = ["Entry", "Gradients", "Pull", "Spoil", "spoiled", "with_error"]

Gradients = tuple[torch.Tensor | None, ...]  # None for a leaf the outputs do not depend on


class Pull(NamedTuple):
    """One call of a backward: what came in, what is right to return, and how to ask again."""

    cotangents: tuple[torch.Tensor, ...]
    gradients: Gradients
    inputs: tuple[torch.Tensor, ...]  # as the forward pass was handed them, not copies
    again: Callable[[Sequence[torch.Tensor]], Gradients]

    def filled(self, cotangents: Sequence[torch.Tensor] | None = None) -> list[torch.Tensor]:
        """The true gradients for these cotangents or for others, zeros where there are none."""
        found = self.gradients if cotangents is None else self.again(cotangents)
        return [
            torch.zeros_like(value) if gradient is None else gradient
            for value, gradient in zip(self.inputs, found, strict=True)
        ]


Spoil = Callable[[Pull], Gradients]  # the gradients at size 1; may write where it should not


def spoiled(function: Callable[..., Any], spoil: Spoil, size: float = 1.0) -> Callable[..., Any]:
    """The function, with a backward that is wrong by `size` of what `spoil` does."""

    def call(*inputs: torch.Tensor) -> Any:
        with torch.enable_grad():
            leaves = tuple(one.detach().requires_grad_(one.requires_grad) for one in inputs)
            output = function(*leaves)
        outputs = output if isinstance(output, tuple) else (output,)
        wanted = [leaf for leaf in leaves if leaf.requires_grad]
        live = [k for k, one in enumerate(outputs) if one.requires_grad or not wanted]

        def pull(cotangents: Sequence[torch.Tensor]) -> Gradients:
            found = iter(
                torch.autograd.grad(
                    [outputs[k] for k in live],
                    wanted,
                    [cotangents[k] for k in live],
                    retain_graph=True,
                    allow_unused=True,
                )
            )
            return tuple(next(found) if leaf.requires_grad else None for leaf in leaves)

        def backward(_: Any, *cotangents: torch.Tensor) -> Gradients:
            given = dict(zip(live, cotangents, strict=True))
            every = tuple(given.get(k, torch.zeros_like(one)) for k, one in enumerate(outputs))
            gradients = pull(every)
            return blend(gradients, spoil(Pull(every, gradients, inputs, pull)), size)

        answers = [_settled(one) for one in outputs]
        if live:
            made = planted(call.__name__, lambda *_: tuple(answers[k] for k in live), backward)
            for k, answer in zip(live, made(*inputs), strict=True):
                answers[k] = answer
        return tuple(answers) if isinstance(output, tuple) else answers[0]

    call.__name__ = call.__qualname__ = getattr(function, "__name__", "function")
    return call


def _settled(output: torch.Tensor) -> torch.Tensor:
    """An output of one's own: no view of an input, no conjugation left to be done."""
    return output.detach().resolve_conj().resolve_neg().clone()


def blend(gradients: Gradients, wrong: Gradients, size: float) -> Gradients:
    """(1 − s) · true + s · spoiled; at size 1 the spoiled ones themselves, with their layout."""
    if size == 1.0:
        return wrong
    return tuple(
        true if true is None or other is None else true + size * (other - true)
        for true, other in zip(gradients, wrong, strict=True)
    )


@dataclass(frozen=True)
class Entry:
    """An entry of the Jacobian between one output and one leaf, by flat places."""

    output: int
    leaf: int
    row: int
    column: int


def with_error(function: Callable[..., Any], entry: Entry, size: float) -> Callable[..., Any]:
    """The function, its Jacobian's entry off by `size` and nothing else; right with size 0."""

    def spoil(pull: Pull) -> Gradients:
        gradients = pull.filled()
        flat = gradients[entry.leaf].reshape(-1).clone()
        flat[entry.column] += size * pull.cotangents[entry.output].reshape(-1)[entry.row].real
        gradients[entry.leaf] = flat.reshape(gradients[entry.leaf].shape)
        return tuple(gradients)

    return spoiled(function, spoil if size else lambda pull: tuple(pull.filled()))
