"""An error of a known size in one entry of a function's Jacobian.

Takes a function, and gives it behind an autograd.Function whose backward pulls through it and adds
`size * v[row]` to the gradient's entry `column`: the Jacobian's entry (row, column) is then off by
`size`, and nothing else. With size 0 it is right, and looks the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

__all__ = ["Entry", "with_error"]


@dataclass(frozen=True)
class Entry:
    """An entry of the Jacobian between one output and one leaf, by flat places."""

    output: int
    leaf: int
    row: int
    column: int


def with_error(function: Callable[..., Any], entry: Entry, size: float) -> Callable[..., Any]:
    """The function, its Jacobian's entry off by `size`."""

    def planted(*inputs: torch.Tensor) -> Any:
        outputs = PlantedEntry.apply(function, entry, size, *inputs)
        return outputs[0] if len(outputs) == 1 else outputs

    return planted


class PlantedEntry(torch.autograd.Function):
    """Pulls through the function, then errs in one entry."""

    @staticmethod
    def forward(
        ctx: Any, function: Callable[..., Any], entry: Entry, size: float, *inputs: Any
    ) -> tuple[torch.Tensor, ...]:
        """The function's outputs, always as a tuple."""
        ctx.function, ctx.entry, ctx.size = function, entry, size
        ctx.save_for_backward(*inputs)
        values = function(*inputs)
        outputs = values if isinstance(values, tuple) else (values,)
        return tuple(one.clone() for one in outputs)

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor) -> tuple[Any, ...]:  # type: ignore[override]
        """The right gradients, one entry of one of them off."""
        leaves = [one.detach().requires_grad_() for one in ctx.saved_tensors]
        with torch.enable_grad():
            values = ctx.function(*leaves)
        outputs = values if isinstance(values, tuple) else (values,)
        live = [(one, v) for one, v in zip(outputs, cotangents, strict=True) if one.requires_grad]
        found = torch.autograd.grad(
            [one for one, _ in live], leaves, [v for _, v in live], allow_unused=True
        )
        gradients = [
            torch.zeros_like(leaf) if gradient is None else gradient
            for leaf, gradient in zip(leaves, found, strict=True)
        ]
        entry = ctx.entry
        if ctx.size:
            flat = gradients[entry.leaf].reshape(-1).clone()
            flat[entry.column] += ctx.size * cotangents[entry.output].reshape(-1)[entry.row].real
            gradients[entry.leaf] = flat.reshape(gradients[entry.leaf].shape)
        return None, None, None, *gradients
