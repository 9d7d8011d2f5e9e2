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
    "pair_sizes",
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


def pulls(function: object, inputs: Sequence[torch.Tensor], output: int | None = None) -> Gradients:
    """The gradients for a few cotangents, in float64: of one output, or of all together."""
    outputs = outputs_of(function, inputs)
    if output is not None:
        outputs = outputs[output : output + 1]
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


DRAWS = 16


def pair_sizes(function: object, inputs: Sequence[torch.Tensor]) -> dict[tuple[int, int], float]:
    """The size of the gradient of every output by every leaf, ‖(Jᵀv) ∘ u‖.

    Of cotangents v and directions u as checks draw them, signs times 1/2 to 3/2, the largest.
    """
    draws = torch.Generator().manual_seed(0)
    sizes: dict[tuple[int, int], float] = {}
    for place, output in enumerate(outputs_of(function, inputs)):
        units = (1.0, 1j) if output.is_complex() else (1.0,)
        rows: list[tuple[torch.Tensor | None, ...]] = []
        for row in range(output.numel() if output.requires_grad else 0):
            for unit in units:
                weights = torch.zeros(output.numel(), dtype=output.dtype)
                weights[row] = unit
                weights = weights.view(output.shape)
                rows.append(
                    torch.autograd.grad(
                        output, inputs, weights, allow_unused=True, retain_graph=True
                    )
                )
        for leaf in range(len(inputs)):
            blocks = [real_of(row[leaf]) for row in rows if row[leaf] is not None]
            if blocks:
                jacobian = torch.stack(blocks)
                v = drawn_as_checks_do((DRAWS, jacobian.shape[0]), draws)
                u = drawn_as_checks_do((DRAWS, jacobian.shape[1]), draws)
                norms = torch.linalg.vector_norm((v @ jacobian) * u, dim=1)
                sizes[place, leaf] = float(norms.max())
            else:
                sizes[place, leaf] = 0.0
    return sizes


def drawn_as_checks_do(shape: tuple[int, int], draws: torch.Generator) -> torch.Tensor:
    """Random signs times magnitudes from 1/2 to 3/2."""
    magnitudes = 0.5 + torch.rand(shape, generator=draws, dtype=torch.float64)
    return magnitudes * (2 * torch.randint(0, 2, shape, generator=draws) - 1)


def real_of(value: torch.Tensor) -> torch.Tensor:
    """Real coordinates in float64, flat."""
    flat = torch.view_as_real(value.resolve_conj()) if value.is_complex() else value
    return flat.to(torch.float64).reshape(-1)


def natural_sizes(program: Program, output: int | None = None) -> list[float]:
    """What a gradient that cancels is compared with: values over leaf, leaf by leaf."""
    with torch.no_grad():
        outputs = outputs_of(program.wide_function, program.wide_inputs)
    if output is not None:
        outputs = outputs[output : output + 1]
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
    return float(torch.linalg.vector_norm(vector.detach()))
