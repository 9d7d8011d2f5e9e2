"""Backwards as people write them: `backward(v, *inputs)`, wrong, beside the same function right.

Numbers are drawn once, from a seed of the entry's own name, so that no entry depends on its
neighbours.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import torch

from secant._gallery.torch_planting import planted
from wrong.exhibit import Exhibit, Rule

__all__ = ["Draw", "complexes", "mixed", "positive", "wrong"]

Draw = Callable[[torch.Generator], torch.Tensor]


def wrong(mistake: str, forward: Rule, backward: Rule, *draws: Draw, **terms: Any) -> Exhibit:
    """Write a function with a wrong backward; inputs are drawn by `draws` in turn."""
    generator = torch.Generator().manual_seed(zlib.crc32(mistake.encode()))
    inputs = tuple(draw(generator).requires_grad_() for draw in draws)
    rule = planted(mistake, forward, lambda inputs, *v: backward(*v, *inputs))
    return Exhibit(mistake, rule, lambda: inputs, right=forward, probes=("auto",), **terms)


def mixed(*shape: int) -> Draw:
    """Numbers of both signs, none within 1/4 of zero."""

    def draw(generator: torch.Generator) -> torch.Tensor:
        numbers = 2 * torch.rand(shape, dtype=torch.float64, generator=generator) - 1
        return numbers + 0.25 * numbers.sign()

    return draw


def positive(*shape: int) -> Draw:
    """Numbers between 1/4 and 5/4."""
    return lambda generator: 0.25 + torch.rand(shape, dtype=torch.float64, generator=generator)


def complexes(*shape: int) -> Draw:
    """Complex numbers from all four quadrants."""
    return lambda generator: torch.randn(shape, dtype=torch.complex128, generator=generator)
