"""Derivatives planted for a test: a function with whatever backward and jvp the test gives it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

FLOAT = torch.float64


def planted(
    name: str,
    forward: Callable[..., Any],
    backward: Callable[..., Any],
    push: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    """Return `forward` with derivatives of its own.

    `backward(saved, *cotangents)` gives one gradient per input, `push(saved, *tangents)` one
    tangent per output; `saved` holds the inputs.
    """

    def save(ctx, *x):
        ctx.save_for_backward(*x)
        ctx.save_for_forward(*x)
        return forward(*x)

    def pull(ctx, *cotangents):
        return backward(ctx.saved_tensors, *cotangents)

    members: dict[str, Any] = {"forward": staticmethod(save), "backward": staticmethod(pull)}
    if push is not None:
        members["jvp"] = staticmethod(lambda ctx, *u: push(ctx.saved_tensors, *u))
    return type(name, (torch.autograd.Function,), members).apply


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
