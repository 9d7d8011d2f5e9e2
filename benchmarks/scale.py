"""How time and memory of a check grow with the input, and what each checker still sees in it.

Takes sin of many numbers on one thread, and gives two tables. Of 4 000 000: a check's time in units
of one forward and backward, its extra memory in units of the input, and what it takes to name one
wrong entry by its index. Of 100 to 1 000 000: the time beside torch's fast mode, and which of the
two catches one entry 1 % off.

    python benchmarks/scale.py
    python benchmarks/scale.py --elements 100000 --sizes 100,1000
    python benchmarks/scale.py --readme
"""

from __future__ import annotations

import argparse
import platform
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

import secant
from _database import Case
from _judges import judge_with_secant, judge_with_torch
from _memory import peak_of_a_check
from _running import in_turns
from _sections import FRONT, README, markdown_table, rewrite_section

ELEMENTS = 4_000_000
SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)
DTYPES = (torch.float64, torch.float32)
REPEATS = 9  # the median of so many, taken in turns
POSITIONS = 5  # places of the wrong entry at each size
FACTOR = 1.01
MOST_TIME, MOST_MEMORY = 15.0, 8.0
MOST_TO_NAME, MOST_EVALUATIONS = 300.0, 60


@dataclass(frozen=True)
class Large:
    """One check of many elements, and one of the same with one wrong entry."""

    dtype: torch.dtype
    pass_seconds: float  # one forward and backward
    seconds: float
    memory: float  # in units of the input
    evaluations: int
    resolution: float | None
    wrong_verdict: str
    wrong_where: str  # the entry named, empty if none
    wrong_seconds: float
    wrong_evaluations: int

    @property
    def time(self) -> float:
        """The check's time in units of one forward and backward."""
        return self.seconds / self.pass_seconds


@dataclass(frozen=True)
class Grown:
    """Both checkers at one size."""

    size: int
    torch_seconds: float
    secant_seconds: float
    torch_caught: int  # of POSITIONS
    secant_caught: int

    @property
    def ratio(self) -> float:
        """How many times torch's time secant takes; below one is faster."""
        return self.secant_seconds / self.torch_seconds


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, print, and write what was asked for."""
    options = parse(arguments)
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        large = [measure_large(dtype, options.elements, options.seed) for dtype in DTYPES]
        grown = [compare_at(size, options.seed) for size in options.sizes]
    console = Console()
    console.print(terminal_table(f"sin of {options.elements:,}", large_columns(large)))
    console.print(terminal_table("beside torch's fast mode", grown_columns(grown)))
    if options.readme:
        for file in (README, FRONT):
            rewrite_section("scale", as_markdown(large, grown, options), file=file)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--elements", type=int, default=ELEMENTS, help=f"({ELEMENTS})")
    parser.add_argument("--sizes", type=sizes, default=SIZES, help="separated by commas")
    parser.add_argument("--seed", type=int, default=1729)
    parser.add_argument("--readme", action="store_true", help="rewrite the section in README.md")
    return parser.parse_args(arguments)


def sizes(text: str) -> tuple[int, ...]:
    """Whole numbers, separated by commas."""
    return tuple(int(word) for word in text.split(","))


class WrongSine(torch.autograd.Function):
    """The sine, whose derivative is 1 % too large in one entry."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, place: int) -> torch.Tensor:
        ctx.save_for_backward(x)
        ctx.place = place
        return x.sin()

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor) -> Any:
        gradient = ctx.saved_tensors[0].cos() * cotangents[0]
        gradient[ctx.place] *= FACTOR
        return gradient, None


def wrong_sine(place: int) -> Callable[[torch.Tensor], Any]:
    """The sine with one wrong entry."""
    return lambda x: WrongSine.apply(x, place)


def numbers(size: int, dtype: torch.dtype, seed: int) -> torch.Tensor:
    """A point in [0, 1), where no slope of the sine is small."""
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(size, dtype=dtype, generator=generator).requires_grad_()


def measure_large(dtype: torch.dtype, size: int, seed: int) -> Large:
    """Time, weigh and mislead one check of many elements."""
    progress(f"sin of {size:,} in {name_of(dtype)}")
    x = numbers(size, dtype, seed)
    cotangent = torch.ones_like(x, requires_grad=False)

    passes, checks = in_turns(
        lambda: seconds_of(lambda: torch.autograd.grad(torch.sin(x), x, cotangent)),
        lambda: seconds_of(lambda: secant.check(torch.sin, x, seed=seed)),
        REPEATS,
    )
    report = secant.check(torch.sin, x, seed=seed)
    assert report, str(report)
    place = size * 2 // 3
    started = time.process_time()
    wrong = secant.check(wrong_sine(place), x, seed=seed)
    wrong_seconds = time.process_time() - started
    entries = wrong.worst.entries if wrong.worst is not None else ()
    return Large(
        dtype,
        statistics.median(passes),
        statistics.median(checks),
        peak_of_a_check(dtype, size) / (size * x.element_size()),
        report.cost.evaluations,
        report.resolution,
        wrong.verdict.name,
        ", ".join(f"∂{entry.output} / ∂{entry.input}" for entry in entries),
        wrong_seconds,
        wrong.cost.evaluations,
    )


def compare_at(size: int, seed: int) -> Grown:
    """Time both checkers on the right sine, and ask both about wrong ones."""
    progress(f"beside torch at {size:,}")
    x = numbers(size, torch.float64, seed)

    def case(function: Callable[[torch.Tensor], Any]) -> Case:
        return Case("sine", "sine", function, (x,), size)

    right = case(torch.sin)
    torch_times, secant_times = in_turns(
        lambda: judge_with_torch(right, "fast", seed).seconds,
        lambda: judge_with_secant(right, "fast", seed).seconds,
        REPEATS,
    )
    generator = torch.Generator().manual_seed(size)
    places = torch.randperm(size, generator=generator)[:POSITIONS].tolist()
    wrong = [case(wrong_sine(place)) for place in places]
    return Grown(
        size,
        statistics.median(torch_times),
        statistics.median(secant_times),
        sum(judge_with_torch(one, "fast", seed).verdict == "fail" for one in wrong),
        sum(judge_with_secant(one, "fast", seed).verdict == "fail" for one in wrong),
    )


def seconds_of(call: Callable[[], object]) -> float:
    """Seconds of the processor that one call takes, all on one thread: others may be at work."""
    start = time.process_time()
    call()
    return time.process_time() - start


def progress(doing: str) -> None:
    """Say on stderr what is being measured."""
    print(doing, file=sys.stderr, flush=True)


def name_of(dtype: torch.dtype) -> str:
    """A dtype's name without its module."""
    return str(dtype).removeprefix("torch.")


LARGE_HEADER = (
    "dtype",
    "forward and backward, ms",
    "check, ms",
    f"time (limit {MOST_TIME:g}×)",
    f"extra memory (limit {MOST_MEMORY:g}×)",
    "evaluations",
    "resolution",
    "one entry 1 % off",
    "named",
    f"time to name it (limit {MOST_TO_NAME:g}×)",
    f"evaluations to name it (limit {MOST_EVALUATIONS})",
)


def large_columns(large: Sequence[Large]) -> list[tuple[str, ...]]:
    """The header, then one line a dtype."""
    return [
        LARGE_HEADER,
        *(
            (
                name_of(one.dtype),
                f"{one.pass_seconds * 1e3:.1f}",
                f"{one.seconds * 1e3:.0f}",
                within(one.time, MOST_TIME),
                within(one.memory, MOST_MEMORY),
                str(one.evaluations),
                "none" if one.resolution is None else f"{one.resolution:.1g}",
                one.wrong_verdict,
                one.wrong_where or "no",
                within(one.wrong_seconds / one.pass_seconds, MOST_TO_NAME),
                f"{one.wrong_evaluations}"
                + (" (above)" if one.wrong_evaluations > MOST_EVALUATIONS else ""),
            )
            for one in large
        ),
    ]


GROWN_HEADER = (
    "elements",
    "torch fast, ms",
    "secant, ms",
    "ratio",
    f"torch catches, of {POSITIONS}",
    f"secant catches, of {POSITIONS}",
)


def grown_columns(grown: Sequence[Grown]) -> list[tuple[str, ...]]:
    """The header, then one line a size."""
    return [
        GROWN_HEADER,
        *(
            (
                f"{one.size:,}",
                f"{one.torch_seconds * 1e3:.2f}",
                f"{one.secant_seconds * 1e3:.2f}",
                f"{one.ratio:.2f}",
                str(one.torch_caught),
                str(one.secant_caught),
            )
            for one in grown
        ),
    ]


def within(times: float, most: float) -> str:
    """A multiple, and a word where it is more than it may be."""
    return f"{times:.1f}×" + (" (above)" if times > most else "")


def terminal_table(title: str, lines: Sequence[Sequence[str]]) -> Table:
    """The lines side by side, one column each: it fits the narrowest terminal."""
    table = Table(title=title)
    header, *rows = lines
    table.add_column(header[0])
    for row in rows:
        table.add_column(row[0], justify="right")
    for place, label in enumerate(header[1:], start=1):
        table.add_row(label, *(row[place] for row in rows))
    return table


def as_markdown(large: Sequence[Large], grown: Sequence[Grown], options: argparse.Namespace) -> str:
    """The section of README.md: how it was made, then both tables."""
    first, second = large_columns(large), grown_columns(grown)
    transposed = [list(line) for line in zip(*first, strict=True)]
    part = "" if options.elements == ELEMENTS else f" --elements {options.elements}"
    if options.sizes != SIZES:
        part += f" --sizes {','.join(map(str, options.sizes))}"
    return "\n".join(
        [
            f"`python benchmarks/scale.py{part} --readme`, Python {platform.python_version()}, "
            f"torch {torch.__version__}, seed {options.seed}. sin of {options.elements:,} "
            f"elements, seconds of the processor, medians of {REPEATS} runs in turns:",
            "",
            markdown_table(transposed[0], transposed[1:]),
            "",
            f"float64, the right sine timed, {POSITIONS} wrong ones asked about at each size:",
            "",
            markdown_table(second[0], second[1:]),
        ]
    )


if __name__ == "__main__":
    main()
