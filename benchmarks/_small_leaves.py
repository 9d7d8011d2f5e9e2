"""Functions with a corner at zero, at points beside it: small leaves, and small entries.

`small` gives leaves of size 1e-7, 1e-12 and 1e12, also where the value has a size of its own and
where float16 has few numbers left; `beside` small entries next to large ones, with the gradient
flipped where the entries are small; `own_scales` functions of a physicist's units, every entry of
a size of its own.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F  # noqa: N812 the name that users know

from _case import Case
from _program_text import DTYPES
from _wrong_rules import ruled

__all__ = ["beside", "own_scales", "small"]

Tensor = torch.Tensor

CORNERED: dict[str, Callable[[Tensor], Tensor]] = {
    "hypot": lambda x: torch.hypot(x[:3], x[3:]),
    "norm": lambda x: torch.linalg.vector_norm(x),
    "leaky_relu": lambda x: F.leaky_relu(x, 0.2),
    "abs": lambda x: x.abs(),
    "maximum": lambda x: torch.maximum(x, -0.5 * x),
}
SIZES = (1e-7, 1e-12, 1e12)
FLIPPED = ("right", "sign", "factor")
SHORT = (3.0, -2.0, 4.0, -5.0, 3.5, -2.5)  # no zeros and no ties, also where float16 is coarse


def point_of(size: float, dtype: str, *, beside: bool = False) -> Callable[[], tuple[Tensor, ...]]:
    """A leaf of this size, with every second entry of size one where others stand `beside` it."""

    def point() -> tuple[Tensor, ...]:
        values = size * torch.tensor(SHORT, dtype=torch.float64)
        if beside:
            values[::2] = torch.tensor(SHORT[::2], dtype=torch.float64)
        return (values.to(DTYPES[dtype]).requires_grad_(),)

    return point


def small() -> list[Case]:
    """Functions with a corner at zero, at points of unusual size that are not on it."""
    cases = []
    for name, own in CORNERED.items():
        for mistake in FLIPPED:
            told = "right" if mistake == "right" else "wrong"
            for size in SIZES:
                for dtype in ("float64", "float32"):
                    key = f"small:{name}:{size:g}:{dtype}:{mistake}"
                    row: tuple[str, ...] = (told, f"leaf of size {size:g}")
                    function, point = flipped(mistake, own), point_of(size, dtype)
                    cases.append(Case(key, row, mistake == "right", function, point))
                    if mistake != "factor" and size < 1:
                        raised = flipped(mistake, lambda x, own=own: own(x) + 1)
                        row = (told, f"leaf of size {size:g} in a value of 1")
                        cases.append(Case(f"{key}:offset", row, mistake == "right", raised, point))
            if mistake == "sign":
                for setting, settings in (("lift", {}), ("lift=False", {"lift": False})):
                    key = f"small:{name}:1e-07:float16:{mistake}:{setting}"
                    row = ("wrong", "leaf of size 1e-07 in float16", setting)
                    point = point_of(1e-7, "float16")
                    cases.append(Case(key, row, False, flipped(mistake, own), point, settings))
    return cases


def beside() -> list[Case]:
    """Small entries beside large ones, the small ones' gradient flipped."""
    return [
        Case(
            f"beside:{name}:{size:g}:{probe}:{mistake}",
            ("right" if mistake == "right" else "wrong", "small entries beside large ones"),
            mistake == "right",
            flipped(mistake, CORNERED[name]),
            point_of(size, "float64", beside=True),
            {"probe": probe},
        )
        for name in ("leaky_relu", "abs", "maximum")
        for size in (1e-7, 1e-12)
        for probe in ("auto", "full")
        for mistake in ("right", "small flipped")
    ]


def flipped(mistake: str, own: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """The function with a wrong gradient, or as it is."""
    return own if mistake == "right" else lambda x: ruled(mistake, 0, own, x)


def wavelengths(x: Tensor) -> Tensor:
    """A packet of waves, at wavelengths."""
    return torch.exp(-((x / 6e-7) ** 2)) * torch.sin(x / 5e-8)


def charging(x: Tensor) -> Tensor:
    """A capacitor's voltage at five times; resistance, capacitance, voltage and a delay."""
    resistance, capacitance, voltage, delay = x
    times = torch.linspace(2e-4, 2e-3, 5, dtype=x.dtype)
    return voltage * (1 - torch.exp(-(times - delay) / (resistance * capacitance)))


PHYSICAL: dict[str, tuple[Callable[[Tensor], Tensor], tuple[float, ...]]] = {
    "wavelengths": (wavelengths, (4.7e-7, 5.3e-7, 6.1e-7)),
    "circuit": (charging, (1.2e6, 0.8e-9, 3.1, 2e-9)),
}


def own_scales() -> list[Case]:
    """Right, with one column 5 % off, and with it negated; in both probes."""
    return [
        Case(
            f"scales:{name}:{probe}:{column}:{mistake}",
            ("right" if mistake == "none" else "wrong", "every entry of its own size", probe),
            mistake == "none",
            lambda x, own=own, mistake=mistake, column=column: ruled(mistake, column, own, x),
            lambda point=point: (torch.tensor(point, dtype=torch.float64).requires_grad_(),),
            {"probe": probe},
        )
        for name, (own, point) in PHYSICAL.items()
        for probe in ("auto", "full")
        for mistake in ("none", "column", "column negated")
        for column in (range(1) if mistake == "none" else range(len(point)))
    ]
