"""Operations on sparse tensors with gradients of their own: right ones, and three mistakes.

The right gradient is that of the strided twin, at all entries or at the stored ones; a mistake is
made in it, linear in the cotangent as a wrong rule's would be; and it is handed back strided or in
the layout of the input.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from sparse.operations import OPERATIONS, Tensor
from sparse.tensors import convert, make
from sparse.twins import Twin, pattern_of, sparse_place, twin

__all__ = ["MISTAKES", "Planted", "planted"]

Spoil = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def stored(gradient: torch.Tensor, pattern: torch.Tensor) -> torch.Tensor:
    """Return the gradient with its largest stored entry 5 % too large."""
    place = (gradient.abs() * pattern).argmax()
    gradient.view(-1)[place] *= 1.05
    return gradient


def unstored(gradient: torch.Tensor, pattern: torch.Tensor) -> torch.Tensor:
    """Return the gradient with a twentieth of a stored entry added to one that is not stored."""
    place = (gradient.abs() * pattern).argmax()
    missing = (~pattern).reshape(-1).nonzero()[-1, 0]
    gradient.view(-1)[missing] += gradient.view(-1)[place] / 20
    return gradient


def swapped(gradient: torch.Tensor, pattern: torch.Tensor) -> torch.Tensor:
    """Return the gradient with its first and its last stored entry exchanged."""
    places = pattern.reshape(-1).nonzero()[:, 0]
    flat = gradient.view(-1)
    flat[places[[0, -1]]] = flat[places[[-1, 0]]]
    return gradient


MISTAKES: dict[str, Spoil] = {"stored": stored, "unstored": unstored, "swapped": swapped}


@dataclass(frozen=True)
class Planted:
    """A function of one sparse leaf with a planted gradient."""

    function: Callable[[torch.Tensor], Any]
    x: torch.Tensor


def planted(
    operation: str,
    layout: str,
    kind: str = "plain",
    dtype: str = "float64",
    *,
    mistake: str | None = None,
    keeps_pattern: bool = False,
    is_strided: bool = False,
) -> Planted:
    """Return an operation whose gradient is the truth with a mistake in it.

    `keeps_pattern` drops what the truth holds at unstored entries, before the mistake is made;
    `is_strided` hands a strided gradient back, whatever the layout of the input.
    """
    x = make(layout, kind, dtype)
    tensor = Tensor(x, layout, kind, dtype)
    case = OPERATIONS[operation](tensor)
    place = sparse_place(case.inputs)
    assert place is not None
    truth, pattern = twin(operation, tensor, case), pattern_of(x)

    def forward(leaf: torch.Tensor) -> Any:
        inputs = list(case.inputs)
        inputs[place] = leaf
        return case.function(*inputs)

    def gradient(leaf: torch.Tensor, cotangent: torch.Tensor) -> torch.Tensor:
        pulled = _pulled(truth, leaf, cotangent)
        pulled = torch.where(pattern, pulled, 0) if keeps_pattern else pulled
        pulled = pulled if mistake is None else MISTAKES[mistake](pulled, pattern)
        return pulled if is_strided else convert(pulled, layout, hybrid=kind == "hybrid")

    return Planted(_with_gradient(forward, gradient), x)


def _pulled(truth: Twin, leaf: torch.Tensor, cotangent: torch.Tensor) -> torch.Tensor:
    """Return the strided twin's gradient."""
    with torch.enable_grad():
        strided = leaf.detach().to_dense().requires_grad_()
        (pulled,) = torch.autograd.grad(truth(strided), strided, cotangent.to_dense())
    return pulled.clone()


def _with_gradient(
    forward: Callable[[torch.Tensor], Any],
    gradient: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
) -> Callable[[torch.Tensor], Any]:
    class Planting(torch.autograd.Function):
        @staticmethod
        def forward(ctx, leaf):
            ctx.leaf = leaf.detach()
            ctx.set_materialize_grads(False)  # torch has no zeros of blocked layouts
            return forward(ctx.leaf)

        @staticmethod
        def backward(ctx, cotangent):
            return None if cotangent is None else gradient(ctx.leaf, cotangent)

    return Planting.apply
