"""How much memory one check takes at its peak, beside its input.

Takes a dtype and a number of elements on the command line, and prints the bytes by which checking
`torch.sin` raised the peak of a process that does nothing else. Run in a process of its own: a peak
is never forgotten. The kernel's VmHWM is read, not `ru_maxrss`, which on Linux a process inherits
from the one that started it.

    python benchmarks/_memory.py float64 4000000
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import torch

import secant

GIVEN_BACK = {"MALLOC_MMAP_THRESHOLD_": str(1 << 20)}  # what is freed, or glibc keeps some of it
STATUS, RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
WARM = 1000  # elements of the check before: what is loaded once is nobody's cost


def peak_of_a_check(dtype: torch.dtype, size: int) -> int:
    """Extra bytes at the peak of one check, in a process of its own."""
    name = str(dtype).removeprefix("torch.")
    command = [sys.executable, __file__, name, str(size)]
    answer = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True, env=os.environ | GIVEN_BACK
    )
    return int(answer.stdout)


def peak_in_this_process(dtype: torch.dtype, size: int) -> int:
    """Extra bytes at the peak of one check, in this process."""
    torch.set_num_threads(1)
    secant.check(torch.sin, torch.rand(WARM, dtype=dtype))
    x = torch.rand(size, dtype=dtype, generator=torch.Generator().manual_seed(0))
    if RESET.exists():
        RESET.write_text("5")  # forget the peak so far
    before = peak()
    report = secant.check(torch.sin, x)
    assert report, str(report)
    return peak() - before


def peak() -> int:
    """Bytes of the process's resident memory at their highest."""
    if STATUS.exists():
        line = next(line for line in STATUS.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


if __name__ == "__main__":
    print(peak_in_this_process(getattr(torch, sys.argv[1]), int(sys.argv[2])))
