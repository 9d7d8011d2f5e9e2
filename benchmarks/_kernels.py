"""Kernels that compute in float32 out of sight, asked about: what is measured of each check.

Takes a kernel of `tests/device`, in Triton on an accelerator or imitated on the processor, right or
with a mistake, and gives an `Asked`: the verdict, and time and memory in units of one forward and
backward and of the inputs.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

import secant

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from device.imitations import DTYPES, IMITATIONS, Imitation

__all__ = ["DTYPES", "HEADER", "IMITATIONS", "SIZES", "Asked", "ask_all", "rows_of"]

SIZES = ((64, 300), (8192, 2048))  # a block, and 16 M elements
HEADS = {(64, 300): (4, 80, 64), (8192, 2048): (16, 2048, 64)}  # attention's shape instead
PASSES = 5
MOST_PASSES, MOST_MEMORY = 40, 10  # of a right kernel
MOST_WRONG_PASSES, MOST_WRONG_SECONDS = 1000, 10  # with the explanation


@dataclass(frozen=True)
class Asked:
    """One check of one kernel."""

    kernel: str
    mistake: str  # empty if right
    size: tuple[int, int]
    dtype: str
    verdict: str
    seconds: float
    passes: float  # in forward-and-backwards
    memory: float  # at the peak, in inputs; 0 on the processor
    evaluations: int
    words: str  # the report

    @property
    def is_right(self) -> bool:
        """Whether the verdict is."""
        return self.verdict == ("FAIL" if self.mistake else "PASS")


def ask_all(
    sizes: Sequence[tuple[int, int]],
    names: Sequence[str],
    dtypes: Sequence[torch.dtype],
    *,
    device: str,
    seed: int,
    explains: bool,
) -> Iterator[Asked]:
    """Yield every kernel, right and with each mistake, in every dtype and size."""
    secant.check(torch.sin, torch.rand(8, device=device))  # what is loaded once is nobody's cost
    for size in sizes:
        for dtype in dtypes:
            for kernel in IMITATIONS:
                if not names or kernel.name in names:
                    for mistake in ("", *kernel.mistakes):
                        asked = ask(kernel, mistake, size, dtype, device, seed, explains)
                        print(" | ".join(row_of(asked)), file=sys.stderr, flush=True)
                        yield asked


def ask(
    kernel: Imitation,
    mistake: str,
    size: tuple[int, int],
    dtype: torch.dtype,
    device: str,
    seed: int,
    explains: bool,
) -> Asked:
    """Check one kernel once, after what has to be compiled was."""
    inputs, function = drawn(kernel, size, dtype, device), function_of(kernel, mistake, device)
    for warm in (dtype, torch.float32, torch.float64):
        try:
            forward_and_backward(function, [one.detach().to(warm) for one in inputs])
        except TypeError:
            continue  # a kernel that does not take this dtype
    times = [
        seconds_of(lambda: forward_and_backward(function, inputs), device) for _ in range(PASSES)
    ]
    one_pass, words, verdict, evaluations = statistics.median(times), "", "", 0
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated() if device == "cuda" else 0
    start = time.perf_counter()
    try:
        report = secant.check(function, *inputs, seed=seed, explain=explains)
        verdict, words, evaluations = report.verdict.name, str(report), report.cost.evaluations
    except Exception as error:  # one kernel that breaks must not hide the others
        verdict, words = "raises", f"{type(error).__name__}: {error}"
    seconds = time.perf_counter() - start
    peak = torch.cuda.max_memory_allocated() - before if device == "cuda" else 0
    weight = sum(one.numel() * one.element_size() for one in inputs)
    return Asked(
        kernel.name,
        mistake,
        size,
        str(dtype).removeprefix("torch."),
        verdict,
        seconds,
        seconds / one_pass,
        peak / weight,
        evaluations,
        words,
    )


def drawn(
    kernel: Imitation, size: tuple[int, int], dtype: torch.dtype, device: str
) -> tuple[torch.Tensor, ...]:
    """The inputs; attention's have heads."""
    if kernel.name == "attention" and size in HEADS:
        generator = torch.Generator().manual_seed(0)
        plain = [torch.randn(HEADS[size], generator=generator) for _ in range(3)]
        return tuple(one.to(device, dtype).requires_grad_() for one in plain)
    inputs = kernel.draw(*size, dtype)
    return tuple(one.detach().to(device).requires_grad_() for one in inputs)


def function_of(kernel: Imitation, mistake: str, device: str) -> Callable[..., Any]:
    """The kernel on an accelerator, its imitation on the processor."""
    if device != "cuda":
        return kernel.function(mistake)
    from device.fused import fused

    return fused(kernel.name, mistake)


def forward_and_backward(function: Callable[..., Any], inputs: Sequence[torch.Tensor]) -> None:
    """One pass, as training makes it."""
    leaves = [one.detach().requires_grad_() for one in inputs]
    output = function(*leaves)
    torch.autograd.grad(output, leaves, torch.ones_like(output))


def seconds_of(call: Callable[[], object], device: str) -> float:
    """Seconds until the device has done what one call asks of it."""
    if device == "cuda":
        torch.cuda.synchronize()
    start = time.perf_counter()
    call()
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - start


HEADER = (
    "kernel",
    "mistake",
    "size",
    "dtype",
    "verdict",
    "right",
    "seconds",
    "in forward-and-backwards",
    "memory, inputs",
    "evaluations",
)


def rows_of(asked: Sequence[Asked]) -> list[tuple[str, ...]]:
    """One line a check."""
    return [row_of(one) for one in asked]


def row_of(one: Asked) -> tuple[str, ...]:
    """One line; what is above its limit says so."""
    most = MOST_WRONG_PASSES if one.mistake else MOST_PASSES
    is_slow = one.passes > most or (bool(one.mistake) and one.seconds > MOST_WRONG_SECONDS)
    is_large = one.memory > MOST_MEMORY and not one.mistake
    return (
        one.kernel,
        one.mistake or "none",
        " × ".join(map(str, one.size)),
        one.dtype,
        one.verdict,
        "yes" if one.is_right else "**no**",
        f"{one.seconds:.2f}",
        f"{one.passes:.0f}" + (" (above)" if is_slow else ""),
        f"{one.memory:.0f}" + (" (above)" if is_large else ""),
        str(one.evaluations),
    )
