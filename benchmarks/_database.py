"""Torch's operator database as plain functions of the tensors they are differentiated in.

Takes a dtype, and gives one `Case` per sample: a function, its differentiated inputs, a name that
is the same in every run. Values depend on the seed and the operator's name alone, so that a run
over a few operators sees the same numbers as a run over all of them. The database is read as
`secant audit torch` reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from secant._catalogues.torch.operators import (
    Tensors,
    as_function,
    claims_gradient,
    database,
    draw,
    name_of,
    recomposed,
)

__all__ = ["Case", "Tensors", "draw", "name_of", "operators", "recomposed", "samples"]


@dataclass(frozen=True)
class Case:
    """One sample of one operator: `function(*inputs)` gives its floating and complex outputs."""

    name: str  # "linalg.svd[0]", "std.unbiased[2]"
    operator: str  # the name without the sample's number
    function: Callable[..., Tensors]
    inputs: tuple[torch.Tensor, ...]  # all of them require a gradient
    size: int  # elements in all inputs together


def operators(dtype: torch.dtype, *, only: str = "", stride: int = 1) -> list[Any]:
    """The database's operators that claim a gradient in `dtype`, in the database's order.

    `only` keeps the names that contain it; `stride` then keeps every so many.
    """
    differentiable = [
        operator
        for operator in database()
        if claims_gradient(operator, dtype, "cpu") and only in name_of(operator)
    ]
    return differentiable[::stride]


def samples(
    dtype: torch.dtype = torch.float64,
    limit_per_operator: int = 3,
    *,
    only: str = "",
    stride: int = 1,
    seed: int = 1729,
) -> Iterator[Case]:
    """The first samples of every operator; a sample without differentiated inputs is left out."""
    for operator in operators(dtype, only=only, stride=stride):
        name = name_of(operator)
        for number, sample in enumerate(draw(operator, dtype, limit_per_operator, seed)):
            inputs, function = as_function(operator, sample)
            if inputs:
                size = sum(tensor.numel() for tensor in inputs)
                yield Case(f"{name}[{number}]", name, function, inputs, size)
