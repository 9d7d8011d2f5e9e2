"""Kernels of JAX on an accelerator: which are told apart, and what a check costs.

Takes the kernels of `tests/device/jax_kernels.py`, one of them of Pallas, right and with two
mistakes each, and gives a table of verdicts, with time in units of one forward and backward.

    python benchmarks/jax_accelerator.py                     # with a CUDA device
    python benchmarks/jax_accelerator.py --sizes 64x300      # on whatever JAX finds
    python benchmarks/jax_accelerator.py --readme            # and rewrite the table in README.md
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

import secant
from _sections import markdown_table, rewrite_section
from accelerator import shapes, words

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from device.jax_kernels import JaxKernel, kernels

SIZES = ((64, 300), (2048, 2048))
DTYPES = ("float32", "bfloat16")
PASSES = 5
HEADER = ("kernel", "mistake", "size", "dtype", "verdict", "right", "seconds", "passes", "asked")


@dataclass(frozen=True)
class Asked:
    """One check of one kernel."""

    kernel: str
    mistake: str
    size: tuple[int, int]
    dtype: str
    verdict: str
    seconds: float
    passes: float
    evaluations: int

    @property
    def is_right(self) -> bool:
        """Whether the verdict is."""
        return self.verdict == ("FAIL" if self.mistake else "PASS")

    @property
    def row(self) -> tuple[str, ...]:
        """A row of the table."""
        return (
            self.kernel,
            self.mistake or "none",
            " × ".join(map(str, self.size)),
            self.dtype,
            self.verdict,
            "yes" if self.is_right else "**no**",
            f"{self.seconds:.2f}",
            f"{self.passes:.0f}",
            str(self.evaluations),
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask, print, and write what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sizes", type=shapes, default=SIZES, help="64x300,2048x2048")
    parser.add_argument("--dtypes", type=words, default=DTYPES, help="separated by commas")
    parser.add_argument("--only", type=words, default=(), help="kernels, separated by commas")
    parser.add_argument("--output", type=Path, help="write the section of README.md to this file")
    parser.add_argument("--readme", action="store_true", help="rewrite the section in README.md")
    parser.add_argument("--readme-from", type=Path, help="measure nothing: put this file there")
    options = parser.parse_args(arguments)
    if options.readme_from is not None:
        rewrite_section("jax_accelerator", options.readme_from.read_text(encoding="utf-8"))
        return
    asked = []
    for size in options.sizes:
        for dtype in options.dtypes:
            for kernel in kernels():
                if not options.only or kernel.name in options.only:
                    for mistake in ("", *kernel.mistakes):
                        asked.append(ask(kernel, mistake, size, dtype))
                        print(" | ".join(asked[-1].row), file=sys.stderr, flush=True)
    section = told(asked)
    print(section)
    if options.output is not None:
        options.output.write_text(section + "\n", encoding="utf-8")
    if options.readme:
        rewrite_section("jax_accelerator", section)


def ask(kernel: JaxKernel, mistake: str, size: tuple[int, int], dtype: str) -> Asked:
    """Check one kernel twice: the first time compiles."""
    function, inputs = kernel.make(mistake), kernel.draw(*size, dtype)

    def passed() -> None:
        value, pull = jax.vjp(function, *inputs)
        jax.block_until_ready(pull(jnp.ones_like(value)))

    passed()
    one_pass = statistics.median(seconds_of(passed) for _ in range(PASSES))
    found: list[Any] = []

    def checked() -> None:
        found.append(secant.check(function, *inputs))

    try:
        checked()
        seconds = seconds_of(checked)
    except Exception as error:  # one kernel that breaks must not hide the others
        return Asked(kernel.name, mistake, size, dtype, f"raises {error!r:.60}", 0.0, 0.0, 0)
    report = found[-1]
    verdict, evaluations = report.verdict.name, report.cost.evaluations
    return Asked(
        kernel.name, mistake, size, dtype, verdict, seconds, seconds / one_pass, evaluations
    )


def seconds_of(call: Callable[[], None]) -> float:
    """How long a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def told(asked: Sequence[Asked]) -> str:
    """The section of README.md."""
    device = jax.devices()[0]
    right = sum(one.is_right for one in asked)
    return (
        f"`benchmarks/jax_accelerator.py`, JAX {jax.__version__} on {device.device_kind}: {right} "
        f"of {len(asked)} verdicts are right. *passes* are forward-and-backwards, after compiling; "
        "*asked* are evaluations.\n\n" + markdown_table(HEADER, [one.row for one in asked])
    )


if __name__ == "__main__":
    main()
