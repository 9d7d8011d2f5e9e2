"""What a broken module is: how to build it, wrong or right, and who is to blame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

__all__ = ["Broken", "numbers"]


@dataclass(frozen=True)
class Broken:
    """`build(wrong)` gives a module and its inputs; with `wrong=False` nothing is to blame."""

    name: str
    build: Callable[[bool], tuple[torch.nn.Module, tuple[Any, ...]]]
    guilty: str  # the path of the submodule to blame, empty for the module itself
    rule: str = ""  # the custom rule in it that is to blame, if there is one
    says: str = ""  # words that the sentence must hold

    def __str__(self) -> str:
        return self.name


def numbers(*shape: int) -> torch.Tensor:
    """Random numbers, the same in every run."""
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(*shape, dtype=torch.float64, generator=generator)
