"""The Triton kernels as secant is asked about them: right, or with one mistake planted.

A `Kernel` gives inputs, a trusted implementation in plain torch that runs in any dtype, and the
kernel's function. Importable without Triton and without an accelerator: the kernels' own modules
are loaded when a function is asked for, and `unavailable()` says what is missing.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

NO_ROW_SUM = "row sum forgotten"
TOO_LARGE = "10 % too large"
TAKEN_FOR_CONTIGUOUS = "grad_output taken for contiguous"

NO_SCALE = "scale forgotten in dQ"
MASK_OFF_BY_ONE = "causal mask off by one in the backward"
NO_DELTA = "rowsum(dO ∘ O) forgotten"

ACCEPTED = (torch.float16, torch.bfloat16, torch.float32)


@dataclass(frozen=True)
class Kernel:
    """One kernel, its reference, and the mistakes that can be planted in its backward."""

    name: str
    reference: Callable[..., torch.Tensor]
    mistakes: tuple[str, ...]
    shape: tuple[int, ...]
    inputs: int  # how many, all of that shape
    scale: float  # their standard deviation

    def draw(self, device: str, dtype: torch.dtype, seed: int = 0) -> tuple[torch.Tensor, ...]:
        """Inputs that are the same on every machine."""
        generator = torch.Generator().manual_seed(seed)
        return tuple(
            (self.scale * torch.randn(self.shape, generator=generator)).to(device, dtype)
            for _ in range(self.inputs)
        )

    def function(self, mistake: str = "") -> Callable[..., torch.Tensor]:
        """The kernel itself; its backward is right unless a mistake is named."""
        if mistake and mistake not in self.mistakes:
            raise ValueError(f"expected one of {', '.join(self.mistakes)}; got {mistake!r}")
        apply: Any = getattr(importlib.import_module(f"device.{self.name}"), self.name)

        @functools.wraps(self.reference)  # whose inputs have names
        def kernel(*inputs: torch.Tensor) -> torch.Tensor:
            return apply(*inputs, mistake)

        kernel.__name__ = kernel.__qualname__ = self.name
        return kernel


def softmax_reference(x: torch.Tensor) -> torch.Tensor:
    """Softmax of every row."""
    return torch.softmax(x, -1)


def attention_reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Every query's mean of the values up to its own place, weighted by softmax(Q Kᵀ / √d)."""
    length, size = q.shape[-2:]
    is_seen = torch.ones(length, length, dtype=torch.bool, device=q.device).tril()
    scores = (q @ k.mT / math.sqrt(size)).masked_fill(~is_seen, -math.inf)
    return torch.softmax(scores, -1) @ v


SOFTMAX = Kernel(
    "softmax",
    softmax_reference,
    (NO_ROW_SUM, TOO_LARGE, TAKEN_FOR_CONTIGUOUS),
    (32, 100),
    inputs=1,
    scale=2.0,
)
ATTENTION = Kernel(
    "attention",
    attention_reference,
    (NO_SCALE, MASK_OFF_BY_ONE, NO_DELTA),
    (4, 80, 32),  # heads, length (no multiple of a tile), dimension
    inputs=3,
    scale=1.0,
)
KERNELS = (SOFTMAX, ATTENTION)


def unavailable() -> str:
    """Why the kernels cannot run here; empty if they can."""
    if not torch.cuda.is_available():
        return "needs an accelerator: torch sees no CUDA device"
    if importlib.util.find_spec("triton") is None:
        return "needs Triton, which is not installed"
    return ""
