"""What is measured on an accelerator: kernels asked about, and the sine of many numbers weighed.

Takes a kernel of `tests/device` and a mistake, and gives a `Judged`: what `secant.check` and
`secant.compare` say of it. Takes a dtype and a size, and gives a `Large`: time, memory, and the
bytes that went to main memory.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

import secant
from _running import in_turns

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from device.kernels import KERNELS, Kernel, unavailable
from device.transfers import TO_DEVICE, TO_HOST, memory_copies, total, widest

__all__ = ["KERNELS", "REPEATS", "Judged", "Large", "judge", "measure", "name_of", "unavailable"]

REPEATS = 9  # the median of so many, taken in turns
DEVICE = "cuda"


@dataclass(frozen=True)
class Answer:
    """What one of the two verbs said about one kernel, and what it cost."""

    verdict: str
    seconds: float
    report: Any  # None where the verb is missing or raised
    words: str  # the report in full, or why there is none


@dataclass(frozen=True)
class Judged:
    """One kernel, right or wrong, asked about twice."""

    kernel: str
    mistake: str  # empty if right
    check: Answer
    compare: Answer

    def is_told_by(self, *answers: Answer) -> bool:
        """Whether these answers are right: a PASS of the right kernel, a FAIL of a wrong one."""
        wanted = "FAIL" if self.mistake else "PASS"
        return all(answer.verdict == wanted for answer in answers)


@dataclass(frozen=True)
class Large:
    """One check of the sine of many numbers."""

    dtype: torch.dtype
    verdict: str
    pass_seconds: float  # one forward and backward
    seconds: float
    memory: float  # extra on the device, in units of the input
    evaluations: int
    resolution: float | None
    to_host: int  # bytes
    widest_to_host: int
    to_device: int


def judge(kernel: Kernel, mistake: str, seed: int) -> Judged:
    """Ask both verbs about one kernel."""
    progress(f"{kernel.name}: {mistake or 'right'}")
    inputs, function = kernel.draw(DEVICE, torch.bfloat16), kernel.function(mistake)
    compare: Any = getattr(secant, "compare", None)
    check = asked(lambda: secant.check(function, *inputs, seed=seed))
    if compare is None:
        return Judged(kernel.name, mistake, check, Answer("missing", 0.0, None, "no such verb"))
    compared = asked(lambda: compare(function, kernel.reference, *inputs))
    return Judged(kernel.name, mistake, check, compared)


def asked(call: Callable[[], Any]) -> Answer:
    """The answer to the second call; the first compiles what has to be compiled."""
    try:
        call()
        start = time.perf_counter()
        report = call()
    except Exception as error:  # one kernel that breaks must not hide the others
        return Answer("raises", 0.0, None, f"{type(error).__name__}: {error}")
    return Answer(report.verdict.name, time.perf_counter() - start, report, str(report))


def measure(dtype: torch.dtype, size: int, seed: int) -> Large:
    """Time and weigh one check of many elements, and see what it carries to main memory."""
    progress(f"sin of {size:,} in {name_of(dtype)}")
    generator = torch.Generator().manual_seed(seed)
    x = torch.rand(size, dtype=torch.float64, generator=generator).to(DEVICE, dtype)
    x.requires_grad_()
    cotangent = torch.ones_like(x, requires_grad=False)

    def check() -> Any:
        return secant.check(torch.sin, x, seed=seed)

    passes, checks = in_turns(
        lambda: seconds_of(lambda: torch.autograd.grad(torch.sin(x), x, cotangent)),
        lambda: seconds_of(check),
        REPEATS,
    )
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    report = check()
    extra = torch.cuda.max_memory_allocated() - before
    with tempfile.TemporaryDirectory() as folder:
        copies = memory_copies(check, Path(folder))
    return Large(
        dtype,
        report.verdict.name,
        statistics.median(passes),
        statistics.median(checks),
        extra / (size * x.element_size()),
        report.cost.evaluations,
        report.resolution,
        total(copies, TO_HOST),
        widest(copies, TO_HOST),
        total(copies, TO_DEVICE),
    )


def seconds_of(call: Callable[[], object]) -> float:
    """Seconds until the device has done what one call asks of it."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    call()
    torch.cuda.synchronize()
    return time.perf_counter() - start


def progress(doing: str) -> None:
    """Say on stderr what is being measured."""
    print(doing, file=sys.stderr, flush=True)


def name_of(dtype: torch.dtype) -> str:
    """A dtype's name without its module."""
    return str(dtype).removeprefix("torch.")
