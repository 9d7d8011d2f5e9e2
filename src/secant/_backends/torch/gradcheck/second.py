"""Second order for PyTorch's drop-in: cotangents at random, and the gradient as a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from ..arrays.patterns import pattern_of
from ..autodiff.blame import pull_any_layout


def wants_gradient(value: Any) -> bool:
    """Say whether a value is a tensor to differentiate."""
    return isinstance(value, torch.Tensor) and value.requires_grad


def as_tuple(value: Any) -> tuple[Any, ...]:
    """Return one value, or several, as a tuple."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def differentiable(outputs: Any) -> tuple[torch.Tensor, ...]:
    """Return the outputs that claim a derivative."""
    return tuple(value for value in as_tuple(outputs) if wants_gradient(value))


def gradient_of(func: Callable[..., Any], inputs: Sequence[Any]) -> Callable[..., Any]:
    """Return (inputs, grad_outputs) ↦ gradients of the inputs, as a function."""
    count = len(inputs)
    differentiated = [k for k, value in enumerate(inputs) if wants_gradient(value)]

    def gradient(*arguments: Any) -> tuple[torch.Tensor, ...]:
        values = list(arguments[:count])
        for place in differentiated:
            values[place] = values[place].requires_grad_()
        claimed = pull_any_layout(
            differentiable(func(*values)),
            [values[place] for place in differentiated],
            arguments[count:],
            differentiable=True,
        )
        return tuple(one for one in claimed if one is not None)

    return gradient


def draw(
    outputs: Sequence[torch.Tensor], numbers: np.random.Generator, *, is_scattered: bool
) -> tuple[torch.Tensor, ...]:
    """Return random cotangents like the outputs, stored entries within (−1, 1)."""
    drawn = []
    for output in outputs:
        pattern = None if output.layout is torch.strided else pattern_of(output)
        example = output if pattern is None else pattern.example
        real, imaginary = torch.from_numpy(numbers.uniform(-1.0, 1.0, (2, *example.shape)))
        values = torch.complex(real, imaginary) if output.is_complex() else real
        values = values.to(device=output.device, dtype=output.dtype)
        if is_scattered:
            values = torch.stack([values, values], dim=-1)[..., 0]
        value = values if pattern is None else pattern.array(values)
        drawn.append(value.detach().requires_grad_())
    return tuple(drawn)
