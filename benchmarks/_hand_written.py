"""A function with a backward written by hand, beside the same function through autograd.

Takes a forward and a wrong backward, `backward(v, *inputs)`, and gives a `WrongBackward`. Numbers
are drawn once, from a seed of the entry's own name, so that no entry depends on its neighbours.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from _database import Case, Tensors

__all__ = ["WrongBackward", "complexes", "mixed", "positive", "wrong"]

Backward = Callable[..., Tensors]
Draw = Callable[[torch.Generator], torch.Tensor]


@dataclass(frozen=True)
class WrongBackward:
    """One mistake: the wrong function, and its right twin at the same inputs."""

    wrong: Case
    right: Case


def wrong(
    mistake: str, forward: Callable[..., Any], backward: Backward, *draws: Draw
) -> WrongBackward:
    """Write a function with a wrong backward; inputs are drawn by `draws` in turn."""
    generator = torch.Generator().manual_seed(zlib.crc32(mistake.encode()))
    inputs = tuple(draw(generator).requires_grad_() for draw in draws)
    size = sum(tensor.numel() for tensor in inputs)

    class HandWritten(torch.autograd.Function):
        """The function, and the backward somebody wrote for it."""

        @staticmethod
        def forward(ctx: Any, *inputs: torch.Tensor) -> Any:
            ctx.save_for_backward(*inputs)
            return forward(*inputs)

        @staticmethod
        def backward(ctx: Any, *cotangents: torch.Tensor) -> Any:
            return backward(*cotangents, *ctx.saved_tensors)

    def call(*inputs: torch.Tensor) -> Any:
        return HandWritten.apply(*inputs)

    return WrongBackward(
        Case(mistake, mistake, call, inputs, size), Case(mistake, mistake, forward, inputs, size)
    )


def mixed(*shape: int) -> Draw:
    """Numbers of both signs, none within 1/4 of zero."""

    def draw(generator: torch.Generator) -> torch.Tensor:
        numbers = 2 * torch.rand(shape, dtype=torch.float64, generator=generator) - 1
        return numbers + 0.25 * numbers.sign()

    return draw


def positive(*shape: int) -> Draw:
    """Numbers between 1/4 and 5/4."""
    return lambda generator: 0.25 + torch.rand(shape, dtype=torch.float64, generator=generator)


def complexes(*shape: int) -> Draw:
    """Complex numbers from all four quadrants."""
    return lambda generator: torch.randn(shape, dtype=torch.complex128, generator=generator)
