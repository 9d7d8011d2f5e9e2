"""Errors that grow: the same wrong gradient, from one rounding to infinity and NaN.

Takes a function, a dtype and a kind of error, and gives it once for each size, the smallest first.
The function's values never change, so a checker's verdict may only get graver. Sizes are relative
to the gradient's largest entry for the cotangent that comes in.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 the name that users know

from _program_text import DTYPES, numbers

__all__ = ["FUNCTIONS", "GROWN", "KINDS", "SIZES", "Growing", "growing"]

FUNCTIONS: dict[str, tuple[Callable[[torch.Tensor], torch.Tensor], tuple[int, ...]]] = {
    "gelu": (F.gelu, (12,)),
    "softmax": (lambda x: torch.softmax(x, -1), (3, 5)),
    "layer_norm": (lambda x: F.layer_norm(x, (6,)), (2, 6)),
    "chain": (lambda x: torch.tanh(x @ x.mT) @ x, (4, 3)),
    "norm": (lambda x: torch.linalg.vector_norm(x, dim=-1), (3, 4)),
    "smooth": (lambda x: torch.sin(x) * torch.exp(-x * x), (10,)),
}
GROWN = ("float64", "float32", "bfloat16", "float16")
SIZES = (
    *(10.0**power for power in range(-7, 0)),
    *(0.3, 1.0, 3.0),
    *(10.0**power for power in range(1, 10)),
    *(10.0**power for power in range(12, 31, 2)),
    math.inf,
    math.nan,
)


def by_factor(gradient: torch.Tensor, size: float) -> torch.Tensor:
    """All of it times 1 + size."""
    return gradient * (1 + size)


def by_constant(gradient: torch.Tensor, size: float) -> torch.Tensor:
    """One entry with the size added to it, in units of the largest."""
    flat = gradient.reshape(-1).clone()
    flat[1] += size * flat.abs().max()
    return flat.reshape(gradient.shape)


def by_vector(gradient: torch.Tensor, size: float) -> torch.Tensor:
    """Another vector of the same largest entry, times the size, added."""
    other = torch.linspace(-1, 1, gradient.numel(), dtype=gradient.dtype).cos()
    return gradient + size * gradient.abs().max() * other.reshape(gradient.shape)


KINDS = {"factor": by_factor, "constant": by_constant, "vector": by_vector}


class Grown(torch.autograd.Function):
    """A function whose gradient is off by a kind and a size."""

    @staticmethod
    def forward(ctx: Any, name: str, kind: str, size: float, x: torch.Tensor) -> torch.Tensor:
        """The function's value."""
        ctx.name, ctx.kind, ctx.size = name, kind, size
        ctx.save_for_backward(x)
        return FUNCTIONS[name][0](x)

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> tuple[Any, ...]:  # type: ignore[override]
        """Its right gradient, spoiled."""
        (x,) = ctx.saved_tensors
        leaf = x.detach().requires_grad_()
        with torch.enable_grad():
            value = FUNCTIONS[ctx.name][0](leaf)
        (gradient,) = torch.autograd.grad(value, leaf, cotangent)
        return None, None, None, KINDS[ctx.kind](gradient, ctx.size)


@dataclass(frozen=True)
class Growing:
    """One function in one dtype with one kind of error; `at(size)` is a function to check."""

    name: str
    dtype: str
    kind: str

    @property
    def inputs(self) -> tuple[torch.Tensor]:
        """The point."""
        return (numbers(31, FUNCTIONS[self.name][1], 1.0, DTYPES[self.dtype]).requires_grad_(),)

    def at(self, size: float) -> Callable[[torch.Tensor], torch.Tensor]:
        """The function, its gradient off by this size."""

        def function(x: torch.Tensor) -> torch.Tensor:
            value: torch.Tensor = Grown.apply(self.name, self.kind, size, x)
            return value

        return function


def growing() -> list[Growing]:
    """Every function in every dtype with every kind of error."""
    return [Growing(name, dtype, kind) for name in FUNCTIONS for dtype in GROWN for kind in KINDS]
