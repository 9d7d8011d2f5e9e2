"""Derivatives planted for a test, by the one way that all are, and points to ask them at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from secant._gallery.torch_planting import planted

__all__ = ["FLOAT", "planted", "points", "scaled_sine", "sine_wrong_at"]

FLOAT = torch.float64


def scaled_sine(factor: float) -> Callable[..., Any]:
    """Return sin with its gradient multiplied by a factor."""
    return planted(
        "ScaledSine",
        torch.sin,
        lambda saved, v: factor * v * saved[0].cos(),
        lambda saved, u: factor * u * saved[0].cos(),
    )


def sine_wrong_at(place: int, error: float) -> Callable[..., Any]:
    """Return sin with `error` added to one entry of the diagonal of its Jacobian."""

    def backward(saved, v):
        slope = saved[0].cos()
        slope.view(-1)[place] += error
        return v * slope

    return planted("SineWrongAt", torch.sin, backward)


def points(*shape: int, dtype: torch.dtype = FLOAT, seed: int = 0) -> torch.Tensor:
    """Return points away from 0 and 1, the same ones every time."""
    generator = torch.Generator().manual_seed(seed)
    numbers = torch.rand(shape, generator=generator, dtype=torch.float64) * 0.5 + 0.25
    if dtype.is_complex:
        imaginary = torch.rand(shape, generator=generator, dtype=torch.float64) * 0.5 + 0.25
        return torch.complex(numbers, imaginary).to(dtype)
    return numbers.to(dtype)
