"""Plain functions of tensors that pass, fail or are refused: the harness's own footing."""

from __future__ import annotations

import torch

import secant

from .harness import Case, Scene


def passing() -> Scene:
    x = torch.linspace(0, 1, 6, dtype=torch.float64, requires_grad=True)
    x.grad = torch.ones_like(x)
    return Scene(lambda: secant.check(torch.sin, x), x)


CASES = [Case("a sine passes", passing)]
