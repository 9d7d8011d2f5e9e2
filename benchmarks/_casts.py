"""Float64 functions with a cast to less precision inside, and a backward that errs there.

`mixtures` gives every function right, with the gradient cut to zero at the cast, and with it 5 %
too large. Along short steps such a function does not move, or moves by its other terms alone.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from _case import Case
from _program_text import numbers
from _wrong_rules import ruled

__all__ = ["mixtures"]

Tensor = torch.Tensor

INNER: dict[str, Callable[[Tensor], Tensor]] = {
    "sine": lambda x: torch.sin(x) + 1.5,
    "product": lambda x: x * x.flip(0) + 0.3,
    "bell": lambda x: torch.exp(-x * x),
    "softmax": lambda x: 3 * torch.softmax(x, -1),
    "sum": lambda x: x.cumsum(0),
}
MIXED: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "alone": lambda _, low: low,
    "added": lambda x, low: torch.cos(x) + 0.7 * low,
    "multiplied": lambda x, low: (1 + x * x) * low,
    "inside": lambda x, low: (
        torch.tanh(low) @ torch.linspace(1, 2, 30, dtype=x.dtype).reshape(6, 5)
    ),
}
LOWER = (torch.float16, torch.bfloat16, torch.float32)


RULES = {"right": "none", "cut": "factor detached", "5 % off": "factor"}


def mixture(inner: str, mixed: str, dtype: torch.dtype, rule: str) -> Callable[[Tensor], Tensor]:
    """A float64 function with a cast inside, and a rule for what comes back through it."""

    def cast(value: Tensor) -> Tensor:
        return value.to(dtype).to(value.dtype)

    def function(x: Tensor) -> Tensor:
        value = INNER[inner](x)
        low = cast(value) if rule == "right" else ruled(RULES[rule], 0, cast, value)
        return MIXED[mixed](x, low)

    return function


def mixtures() -> list[Case]:
    """Every inner function, mixture and cast, with every rule."""
    return [
        Case(
            f"cast:{inner}:{mixed}:{str(dtype)[6:]}:{rule}",
            ("right" if rule == "right" else "wrong", f"cast to {str(dtype)[6:]} inside, {rule}"),
            rule == "right",
            mixture(inner, mixed, dtype, rule),
            lambda: (numbers(51, (6,)).requires_grad_(),),
        )
        for inner in INNER
        for mixed in MIXED
        for dtype in LOWER
        for rule in RULES
    ]
