"""Derivatives that are zero, or zero in part, because terms cancel.

`cancelling` gives them right in every mode, where only rounding is left of them, and wrong by a
term in one entry that does not cancel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 the name that users know

import _museum  # noqa: F401 for what follows
from _case import Case
from _program_text import DTYPES, numbers
from wrong.spoiling import Entry, with_error

__all__ = ["cancelling"]

Tensor = torch.Tensor
Function = Callable[..., Any]


def normalised(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """A linear layer before a batch norm: the bias, and a part of the weight, cancel."""
    return F.batch_norm(F.linear(x, weight, bias), None, None, training=True)


BEST = (0.5, -1.25, 0.75, 2.0)  # short in every precision
CANCELLING: dict[str, tuple[Function, Callable[[torch.dtype], tuple[Tensor, ...]]]] = {
    "softmax, summed": (
        lambda x: torch.softmax(x, -1).sum(),
        lambda dtype: (numbers(53, (5,), 1.0, dtype),),
    ),
    "layer norm, averaged": (
        lambda x: F.layer_norm(x, (6,)).mean(),
        lambda dtype: (numbers(54, (6,), 1.0, dtype),),
    ),
    "log-softmax and back": (
        lambda x: torch.log_softmax(x, -1).exp().sum(-1),
        lambda dtype: (numbers(55, (2, 4), 1.0, dtype),),
    ),
    "an optimum": (
        lambda x: (torch.tanh(x) - torch.tensor(BEST, dtype=x.dtype).tanh()).square().sum() + 1,
        lambda dtype: (torch.tensor(BEST, dtype=dtype),),
    ),
    "cosine at zero": (torch.cos, lambda dtype: (torch.zeros(4, dtype=dtype),)),
    "a difference": (
        lambda x: torch.sin(x).sum() - torch.sin(x.flip(0)).sum() + 1,
        lambda dtype: (numbers(57, (5,), 1.0, dtype),),
    ),
    "Linear before BatchNorm": (
        normalised,
        lambda dtype: (
            numbers(58, (7, 4), 1.0, dtype),
            numbers(59, (3, 4), 1.0, dtype),
            numbers(60, (3,), 1.0, dtype),
        ),
    ),
}
ORDERS: dict[str, dict[str, Any]] = {
    "reverse": {},
    "all modes": {"modes": "all"},
    "full": {"probe": "full"},
    "second order": {"order": 2},
}


def cancelling() -> list[Case]:
    """Derivatives that cancel, right in every mode, and with an error in one entry in reverse."""
    cases = []
    for name, (own, point) in CANCELLING.items():
        for dtype in ("float64", "float32"):
            inputs = with_gradients(point, DTYPES[dtype])
            for mode, settings in ORDERS.items():
                row = ("right", "derivative that cancels", mode)
                told = f"cancel:{name}:{dtype}:{mode}"
                cases.append(Case(told, row, True, own, inputs, settings))
            leaf = len(inputs()) - 1
            wrong = with_error(own, Entry(0, leaf, 0, 0), 0.1)
            row = ("wrong", "derivative that cancels", "reverse")
            cases.append(Case(f"cancel:{name}:{dtype}:wrong", row, False, wrong, inputs))
    return cases


def with_gradients(
    point: Callable[[torch.dtype], tuple[Tensor, ...]], dtype: torch.dtype
) -> Callable[[], tuple[Tensor, ...]]:
    """A point's leaves in a dtype, made anew at every call."""
    return lambda: tuple(one.requires_grad_() for one in point(dtype))
