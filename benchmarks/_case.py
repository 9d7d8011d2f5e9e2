"""A function at a point, with a gradient that is known to be right or wrong: a row of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

__all__ = ["Case"]


@dataclass(frozen=True)
class Case:
    """A function at a point, and whether its gradient is right."""

    name: str
    row: tuple[str, ...]  # of the table
    is_right: bool
    function: Callable[..., Any]
    inputs: Callable[[], tuple[torch.Tensor, ...]]  # made anew at every call
    settings: Mapping[str, Any] = field(default_factory=dict)
