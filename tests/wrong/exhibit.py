"""What an exhibit is: a deliberately wrong derivative, and the finding that it must be given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from secant._gallery.torch_planting import Rule, planted

Tensor = torch.Tensor


@dataclass(frozen=True)
class Exhibit:
    """A wrong derivative and what secant must say about it.

    `kind` is the kind of a finding that must be FAIL, `cause` a part of the cause it must name and
    `shows` what a reader must find in the printed report: the index, the size, the path.
    `misleading` words must not be there: a wrong cause is worse than none. `right` is the same
    function with the right derivative, which must PASS. `probes` are the probes it is asked by;
    full is left out where the Jacobian is too large to be worth it, or adds nothing.
    """

    name: str
    function: Rule
    inputs: Callable[[], tuple[Any, ...]]
    kind: str = "derivative"
    cause: str | None = None
    shows: tuple[str, ...] = ()
    misleading: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    right: Rule | None = None
    probes: tuple[str, ...] = ("auto", "full")


def rule(name: str, forward: Rule, backward: Rule, *, jvp: Rule | None = None, **how: bool) -> Rule:
    """Plant backward(*inputs, *cotangents) and jvp(*inputs, *tangents)."""
    return planted(
        name,
        forward,
        lambda inputs, *cotangents: backward(*inputs, *cotangents),
        jvp and (lambda inputs, *tangents: jvp(*inputs, *tangents)),
        **{"batches": True, **how},
    )


def normals(*shape: int, dtype: torch.dtype = torch.float64, seed: int = 0) -> Tensor:
    """Return standard normals, the same ones each time."""
    generator = torch.Generator().manual_seed(seed)
    wide = torch.complex128 if dtype.is_complex else torch.float64
    return torch.randn(shape, dtype=wide, generator=generator).to(dtype)


def away_from_zero(*shape: int, dtype: torch.dtype = torch.float64, seed: int = 0) -> Tensor:
    """Return signed numbers of size 1/4 and more."""
    numbers = normals(*shape, seed=seed)
    return (numbers + 0.25 * numbers.sign()).to(dtype)


def point(*shape: int, dtype: torch.dtype = torch.float64) -> Callable[[], tuple[Tensor, ...]]:
    """Return a maker of one input of the given shape."""
    return lambda: (normals(*shape, dtype=dtype),)
