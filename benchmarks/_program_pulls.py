"""Gradients of random programs for a few cotangents, and moves of one leaf at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from _program_text import Program, direction

__all__ = [
    "COTANGENTS",
    "Gradients",
    "cotangent",
    "length",
    "moved",
    "natural_sizes",
    "outputs_of",
    "pulls",
    "real_of",
]

COTANGENTS = 3
Gradients = list[tuple[torch.Tensor, ...]]  # by cotangent, then by leaf


def outputs_of(function: object, inputs: Sequence[torch.Tensor]) -> tuple[torch.Tensor, ...]:
    """A function's outputs, always as a tuple."""
    values = function(*inputs)  # type: ignore[operator]
    return values if isinstance(values, tuple) else (values,)


def cotangent(number: int, like: torch.Tensor) -> torch.Tensor:
    """A random signed cotangent, the same in every precision."""
    real = direction(100 + number, torch.zeros(like.shape, dtype=torch.float64))
    if not like.is_complex():
        return real.to(like.dtype)
    imaginary = direction(200 + number, torch.zeros(like.shape, dtype=torch.float64))
    return torch.complex(real, imaginary).to(like.dtype)


def pulls(function: object, inputs: Sequence[torch.Tensor]) -> Gradients:
    """The gradients for a few cotangents, in float64."""
    outputs = outputs_of(function, inputs)
    live = [one for one in outputs if one.requires_grad]
    found = []
    for number in range(COTANGENTS):
        gradients: tuple[torch.Tensor | None, ...] = (None,) * len(inputs)
        if live:
            gradients = torch.autograd.grad(
                live,
                inputs,
                [cotangent(number + 10 * place, one) for place, one in enumerate(live)],
                allow_unused=True,
                retain_graph=True,
            )
        found.append(
            tuple(
                real_of(torch.zeros_like(leaf) if gradient is None else gradient).detach()
                for leaf, gradient in zip(inputs, gradients, strict=True)
            )
        )
    return found


def real_of(value: torch.Tensor) -> torch.Tensor:
    """Real coordinates in float64, flat."""
    flat = torch.view_as_real(value.resolve_conj()) if value.is_complex() else value
    return flat.to(torch.float64).reshape(-1)


def natural_sizes(program: Program) -> list[float]:
    """What a gradient that cancels is compared with: values over leaf, leaf by leaf."""
    with torch.no_grad():
        outputs = outputs_of(program.wide_function, program.wide_inputs)
        values = math.hypot(*(length(one) for one in outputs))
    return [values / (float(one.detach().abs().max()) or 1.0) for one in program.wide_inputs]


def moved(
    inputs: Sequence[torch.Tensor], leaf: int, step: float, number: int
) -> tuple[list[torch.Tensor], torch.Tensor]:
    """The point with one leaf moved by `step` of its size, and the direction in its own units."""
    size = float(inputs[leaf].detach().abs().max()) or 1.0
    along = size * direction(300 + number, inputs[leaf].detach())
    places = [one.detach().clone() for one in inputs]
    places[leaf] += step * along
    return places, real_of(along)


def length(vector: torch.Tensor) -> float:
    """The Euclidean norm."""
    return float(torch.linalg.vector_norm(vector))
