"""The same functions in other units: 2^m F(2^-k x), one power for a leaf or one for every entry.

Multiplying by powers of two is exact while the numbers stay normal, so every digit of a function
and of its gradient stays, and no verdict may change. `in_units` gives a function in other units,
with a right gradient, one that is 5 % too large, or one whose column is 5 % too large.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 the name that users know

from _program_text import DTYPES, numbers
from _wrong_rules import ruled

__all__ = ["CLAIMS", "FUNCTIONS", "InUnits", "in_units"]

Function = Callable[[torch.Tensor], torch.Tensor]
FUNCTIONS: dict[str, Function] = {
    "sine": lambda x: torch.sin(1.3 * x),
    "softmax": lambda x: torch.softmax(x.reshape(2, 3), -1),
    "layer_norm": lambda x: F.layer_norm(x, (6,)),
    "products": lambda x: x.reshape(2, 3) @ x.reshape(3, 2),
    "norm": lambda x: torch.linalg.vector_norm(x),
    "bell": lambda x: torch.exp(-x * x),
    "sorted": lambda x: x.sort().values.cumsum(0),
    "circuit": lambda x: x[0] * torch.exp(-x[1] / (1 + x[2] * x[2])) + torch.atan(x[3:]),
    "logsumexp": lambda x: torch.logsumexp(x, 0),
    "ratio": lambda x: x[:3] / (1 + x[3:] ** 2),
    "gelu": F.gelu,
    "leaky": lambda x: F.leaky_relu(x, 0.1) * x.flip(0),
}
CLAIMS = ("right", "wrong", "column")
WIDEST = {"float64": 100, "float32": 30}


@dataclass(frozen=True)
class InUnits:
    """A function in other units, with its claim; `power` 0 and `gain` 0 are its own units."""

    function: str
    dtype: str
    claim: str
    power: int  # k: of the leaf; with `is_each` the widest of one for every entry
    gain: int  # m: of the output
    is_each: bool = False

    @property
    def name(self) -> str:
        """What finds it again."""
        each = "each" if self.is_each else "all"
        return f"{self.function}:{self.dtype}:{self.claim}:{each}:{self.power}:{self.gain}"

    @cached_property
    def powers(self) -> torch.Tensor:
        """2^k, for every entry."""
        exponents = np.full(6, self.power)
        if self.is_each:
            draw = np.random.default_rng([self.power, list(FUNCTIONS).index(self.function)])
            exponents = draw.integers(-self.power, self.power + 1, 6)
        return torch.as_tensor(2.0**exponents)

    @property
    def inputs(self) -> tuple[torch.Tensor]:
        """The point in these units."""
        point = numbers(41, (6,), 1.0, DTYPES[self.dtype])
        return ((point * self.powers.to(point.dtype)).requires_grad_(),)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        """The function to check."""
        own = FUNCTIONS[self.function]
        inner = x / self.powers.to(x.dtype)
        if self.claim == "right":
            return own(inner) * 2.0**self.gain
        if self.claim == "wrong":
            return ruled("factor", 0, own, inner) * 2.0**self.gain
        return ruled("column", self.column, own, inner) * 2.0**self.gain

    @cached_property
    def column(self) -> int:
        """The entry whose gradient is off: one that matters as much as the median one."""
        jacobian = torch.autograd.functional.jacobian(FUNCTIONS[self.function], numbers(41, (6,)))
        sizes = torch.linalg.vector_norm(jacobian.reshape(-1, 6), dim=0)
        return int(sizes.argsort()[3])


def in_units(function: str, dtype: str, claim: str) -> list[InUnits]:
    """One function with one claim: its own units first, then others, then one for every entry."""
    most = WIDEST[dtype]
    pairs = [(most, 0), (-most, 0), (0, most), (0, -most), (most, -most), (-most, most)]
    pairs += [(most // 3, most // 2), (-most // 2, -most // 4)]
    own = InUnits(function, dtype, claim, 0, 0)
    alike = [InUnits(function, dtype, claim, *pair) for pair in pairs]
    each = [
        InUnits(function, dtype, claim, power, 0, is_each=True)
        for power in (most // 5, most // 3, most)
    ]
    return [own, *alike, *each]
