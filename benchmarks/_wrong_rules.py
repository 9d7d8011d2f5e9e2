"""One operation with a backward of its own, which may be wrong as people get them wrong.

Takes a mistake's name, the operation and its arguments, and gives the operation's value behind an
autograd.Function. Its backward recomputes the operation, pulls through it, and then errs:
`ruled("sign", 0, lambda a: torch.softmax(a, -1), a)`. The mistake "none" makes none, so that what
is wrong and what is right look alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

__all__ = ["MISTAKES", "ruled"]

Tensor = torch.Tensor
Tensors = tuple[Tensor, ...]


def ruled(mistake: str, salt: int, operation: Callable[..., Tensor], *arguments: Tensor) -> Tensor:
    """The operation's value, with a gradient that makes one mistake; `salt` picks the entry."""
    value: Tensor = Ruled.apply(mistake, salt, operation, *arguments)
    return value


class Ruled(torch.autograd.Function):
    """An operation whose backward pulls through the operation, and then errs."""

    @staticmethod
    def forward(
        ctx: Any, mistake: str, salt: int, operation: Callable[..., Tensor], *arguments: Any
    ) -> Tensor:
        """Compute the operation and keep its arguments."""
        ctx.mistake, ctx.salt, ctx.operation = mistake, salt, operation
        ctx.save_for_backward(*arguments)
        return operation(*arguments).clone()

    @staticmethod
    def backward(ctx: Any, cotangent: Tensor) -> tuple[Any, ...]:  # type: ignore[override]
        """Pull back through the operation, and err."""
        arguments = tuple(one.detach().requires_grad_() for one in ctx.saved_tensors)
        with torch.enable_grad():
            value = ctx.operation(*arguments)
        pull = Pull(ctx.salt, arguments, value, cotangent)
        return None, None, None, *MISTAKES[ctx.mistake](pull)


@dataclass(frozen=True)
class Pull:
    """What a backward knows."""

    salt: int
    arguments: Tensors
    value: Tensor
    cotangent: Tensor

    def gradients(self, cotangent: Tensor | None = None) -> Tensors:
        """The right gradients for the cotangent that came, or for another."""
        found = torch.autograd.grad(
            self.value,
            self.arguments,
            self.cotangent if cotangent is None else cotangent,
            allow_unused=True,
            retain_graph=True,
        )
        return tuple(
            torch.zeros_like(argument) if gradient is None else gradient
            for argument, gradient in zip(self.arguments, found, strict=True)
        )


Mistake = Callable[[Pull], Tensors]


def in_first(change: Callable[[Tensor, Pull], Tensor]) -> Mistake:
    """A mistake in the first argument's gradient."""

    def mistake(pull: Pull) -> Tensors:
        first, *others = pull.gradients()
        return change(first, pull), *others

    return mistake


def transposed(matrix: Tensor) -> Tensor:
    """A square matrix transposed; anything else as it is."""
    is_square = matrix.ndim > 1 and matrix.shape[-1] == matrix.shape[-2]
    return matrix.mT if is_square else matrix


def with_entry(gradient: Tensor, salt: int, change: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    """A gradient with one entry changed, given the entry and the largest magnitude."""
    if not gradient.numel():
        return gradient
    flat = gradient.reshape(-1).clone()
    place = salt % flat.numel()
    flat[place] = change(flat[place], flat.abs().max())
    return flat.reshape(gradient.shape)


def wrong_axis(gradient: Tensor) -> Tensor:
    """The mean over an axis instead of the entries: a broadcast along the wrong one."""
    return gradient.mean(0, keepdim=True).expand_as(gradient) if gradient.ndim else gradient


def without_mask(gradient: Tensor, pull: Pull) -> Tensor:
    """Where the value is shaped as the argument, the cotangent passes as it is."""
    is_alike = gradient.shape == pull.cotangent.shape and gradient.dtype == pull.cotangent.dtype
    return pull.cotangent if is_alike else gradient


def diagonal_only(gradient: Tensor, pull: Pull) -> Tensor:
    """The terms through a row's other entries are missing: a softmax without its sum."""
    argument = pull.arguments[0]
    if pull.value.shape != argument.shape or not argument.ndim or argument.is_complex():
        return gradient
    row = torch.arange(argument.shape[-1])
    diagonal = torch.zeros_like(argument)
    for place in row.tolist():
        nothing = torch.zeros_like(pull.cotangent)
        only = pull.gradients(torch.where(row == place, pull.cotangent, nothing))[0]
        diagonal = torch.where(row == place, only, diagonal)
    return diagonal


def flip_small(gradient: Tensor, pull: Pull) -> Tensor:
    """The sign is wrong where the argument is small beside its largest entry."""
    magnitudes = pull.arguments[0].detach().abs()
    return torch.where(magnitudes < 1e-3 * magnitudes.max(), -gradient, gradient)


def drop_argument(pull: Pull) -> Tensors:
    """One argument's gradient is left out, as if that factor were detached."""
    gradients = list(pull.gradients())
    place = pull.salt % len(gradients)
    gradients[place] = torch.zeros_like(gradients[place])
    return tuple(gradients)


MISTAKES: dict[str, Mistake] = {
    "none": Pull.gradients,
    "factor": in_first(lambda gradient, _: gradient * 1.05),
    "sign": in_first(lambda gradient, _: -gradient),
    "one entry": in_first(
        lambda gradient, pull: with_entry(
            gradient, pull.salt, lambda entry, largest: 1.5 * entry + 0.1 * largest
        )
    ),
    "column": in_first(
        lambda gradient, pull: with_entry(gradient, pull.salt, lambda entry, _: 1.05 * entry)
    ),
    "column negated": in_first(
        lambda gradient, pull: with_entry(gradient, pull.salt, lambda entry, _: -entry)
    ),
    "off by one": in_first(lambda gradient, _: gradient.roll(1, -1) if gradient.ndim else gradient),
    "transposed": in_first(lambda gradient, _: transposed(gradient)),
    "wrong axis": in_first(lambda gradient, _: wrong_axis(gradient)),
    "small flipped": in_first(flip_small),
    "term dropped": in_first(diagonal_only),
    "mask forgotten": in_first(without_mask),
    "factor detached": drop_argument,
    "cotangent transposed": lambda pull: pull.gradients(transposed(pull.cotangent)),
    "cotangent averaged": lambda pull: pull.gradients(
        pull.cotangent.mean().expand_as(pull.cotangent)
    ),
}
