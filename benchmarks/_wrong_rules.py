"""One operation with a backward of its own, which may be wrong as people get them wrong.

Takes a mistake's name, the operation and its arguments, and gives the operation's value with a
backward that pulls through it, and then errs: `ruled("sign", 0, torch.sin, a)`. The mistake "none"
makes none, so that what is wrong and what is right look alike.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

import _museum  # noqa: F401 for what follows
from wrong.spoiling import Pull, spoiled

__all__ = ["MISTAKES", "ruled"]

Tensor = torch.Tensor
Tensors = tuple[Tensor, ...]
Mistake = Callable[[Pull, int], Tensors]


def ruled(mistake: str, salt: int, operation: Callable[..., Tensor], *arguments: Tensor) -> Tensor:
    """The operation's value, with a gradient that makes one mistake; `salt` picks the entry."""
    value: Tensor = spoiled(operation, lambda pull: MISTAKES[mistake](pull, salt))(*arguments)
    return value


def in_first(change: Callable[[Tensor, Pull, int], Tensor]) -> Mistake:
    """A mistake in the first argument's gradient."""

    def mistake(pull: Pull, salt: int) -> Tensors:
        first, *others = pull.filled()
        return change(first, pull, salt), *others

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
    (v,) = pull.cotangents
    return v if gradient.shape == v.shape and gradient.dtype == v.dtype else gradient


def diagonal_only(gradient: Tensor, pull: Pull) -> Tensor:
    """The terms through a row's other entries are missing: a softmax without its sum."""
    argument, (v,) = pull.inputs[0].detach(), pull.cotangents
    if v.shape != argument.shape or not argument.ndim or argument.is_complex():
        return gradient
    row = torch.arange(argument.shape[-1])
    diagonal = torch.zeros_like(argument)
    for place in row.tolist():
        only = pull.filled([torch.where(row == place, v, torch.zeros_like(v))])[0]
        diagonal = torch.where(row == place, only, diagonal)
    return diagonal


def flip_small(gradient: Tensor, pull: Pull) -> Tensor:
    """The sign is wrong where the argument is small beside its largest entry."""
    magnitudes = pull.inputs[0].detach().abs()
    return torch.where(magnitudes < 1e-3 * magnitudes.max(), -gradient, gradient)


def drop_argument(pull: Pull, salt: int) -> Tensors:
    """One argument's gradient is left out, as if that factor were detached."""
    gradients = pull.filled()
    place = salt % len(gradients)
    gradients[place] = torch.zeros_like(gradients[place])
    return tuple(gradients)


MISTAKES: dict[str, Mistake] = {
    "none": lambda pull, _: tuple(pull.filled()),
    "factor": in_first(lambda gradient, *_: gradient * 1.05),
    "sign": in_first(lambda gradient, *_: -gradient),
    "one entry": in_first(
        lambda gradient, _, salt: with_entry(
            gradient, salt, lambda entry, largest: 1.5 * entry + 0.1 * largest
        )
    ),
    "column": in_first(
        lambda gradient, _, salt: with_entry(gradient, salt, lambda entry, _: 1.05 * entry)
    ),
    "column negated": in_first(
        lambda gradient, _, salt: with_entry(gradient, salt, lambda entry, _: -entry)
    ),
    "off by one": in_first(
        lambda gradient, *_: gradient.roll(1, -1) if gradient.ndim else gradient
    ),
    "transposed": in_first(lambda gradient, *_: transposed(gradient)),
    "wrong axis": in_first(lambda gradient, *_: wrong_axis(gradient)),
    "small flipped": in_first(lambda gradient, pull, _: flip_small(gradient, pull)),
    "term dropped": in_first(lambda gradient, pull, _: diagonal_only(gradient, pull)),
    "mask forgotten": in_first(lambda gradient, pull, _: without_mask(gradient, pull)),
    "factor detached": drop_argument,
    "cotangent transposed": lambda pull, _: tuple(pull.filled([transposed(pull.cotangents[0])])),
    "cotangent averaged": lambda pull, _: tuple(
        pull.filled([pull.cotangents[0].mean().expand_as(pull.cotangents[0])])
    ),
}
