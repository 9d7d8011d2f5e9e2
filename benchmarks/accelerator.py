"""Kernels on an accelerator: which are told apart, what a check costs, what leaves the device.

Takes eight Triton kernels of `tests/device`, right and with three mistakes each, in three dtypes
and two sizes, and checks each; then two of them with `secant.compare` as well; then the sine of
many numbers, a check's time and memory in units of one forward and backward, and the bytes that
went to main memory. Without an accelerator it says so and changes nothing; with --imitate it asks
about the kernels' imitations on the processor. Where the accelerator is on another machine,
--output there and --readme-from here.

    python benchmarks/accelerator.py
    python benchmarks/accelerator.py --readme
    python benchmarks/accelerator.py --output section.md --reports reports.txt
    python benchmarks/accelerator.py --readme-from section.md
"""

from __future__ import annotations

import argparse
import platform
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from _accelerated import KERNELS, REPEATS, Judged, Large, judge, measure, name_of, unavailable
from _kernels import DTYPES as KERNEL_DTYPES
from _kernels import HEADER, SIZES, Asked, ask_all, rows_of
from _sections import markdown_table, rewrite_section

ELEMENTS = 4_000_000
DTYPES = (torch.float64, torch.float32, torch.bfloat16)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, print, and write what was asked for."""
    options = parse(arguments)
    if options.readme_from is not None:
        rewrite_section("accelerator", options.readme_from.read_text(encoding="utf-8"))
        return
    if options.imitate:
        print(about_kernels(ask(options, "cpu"), options))
        return
    if missing := unavailable():
        print(f"nothing measured, README.md left as it is: {missing}")
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        asked = ask(options, "cuda")
        if options.reports is not None:
            options.reports.write_text(_in_full(asked), encoding="utf-8")
        if options.kernels_only:
            print(about_kernels(asked, options))
            return
        judged = [
            judge(kernel, mistake, options.seed)
            for kernel in KERNELS
            for mistake in ("", *kernel.mistakes)
        ]
        large = [measure(dtype, options.elements, options.seed) for dtype in DTYPES]
    section = about_kernels(asked, options) + "\n\n" + as_markdown(judged, large, options)
    print(section)
    if options.output is not None:
        options.output.write_text(section + "\n", encoding="utf-8")
    if options.reports is not None:
        options.reports.write_text(_in_full(asked) + in_full(judged), encoding="utf-8")
    if options.readme:
        rewrite_section("accelerator", section)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--elements", type=int, default=ELEMENTS, help=f"({ELEMENTS})")
    parser.add_argument("--sizes", type=shapes, default=SIZES, help="64x300,8192x2048")
    parser.add_argument("--only", type=words, default=(), help="kernels, separated by commas")
    parser.add_argument("--dtypes", type=words, default=(), help="separated by commas")
    parser.add_argument("--no-explain", action="store_true", help="ask for verdicts alone")
    parser.add_argument("--kernels-only", action="store_true", help="leave the other tables out")
    parser.add_argument("--imitate", action="store_true", help="on the processor")
    parser.add_argument("--seed", type=int, default=1729)
    parser.add_argument("--output", type=Path, help="write the section of README.md to this file")
    parser.add_argument("--reports", type=Path, help="write every report in full to this file")
    parser.add_argument("--readme", action="store_true", help="rewrite the section in README.md")
    parser.add_argument(
        "--readme-from", type=Path, help="measure nothing: put the section in this file there"
    )
    return parser.parse_args(arguments)


def words(text: str) -> tuple[str, ...]:
    """Words, separated by commas."""
    return tuple(text.split(","))


def shapes(text: str) -> tuple[tuple[int, int], ...]:
    """Rows and columns, `64x300,8192x2048`."""
    pairs = [word.split("x") for word in text.split(",")]
    return tuple((int(rows), int(columns)) for rows, columns in pairs)


def ask(options: argparse.Namespace, device: str) -> list[Asked]:
    """Check the kernels that were asked for."""
    dtypes = [getattr(torch, name) for name in options.dtypes] or KERNEL_DTYPES
    explains = not options.no_explain
    seed = options.seed
    asked = ask_all(
        options.sizes, options.only, dtypes, device=device, seed=seed, explains=explains
    )
    return list(asked)


def about_kernels(asked: Sequence[Asked], options: argparse.Namespace) -> str:
    """The first table, and how many of its verdicts are right."""
    right = sum(one.is_right for one in asked)
    return (
        f"Kernels that compute in float32 whatever they are given, seed {options.seed}: "
        f"{right} of {len(asked)} verdicts are right.\n\n" + markdown_table(HEADER, rows_of(asked))
    )


def _in_full(asked: Sequence[Asked]) -> str:
    return "".join(
        f"== {one.kernel}: {one.mistake or 'right'}, {one.size}, {one.dtype}\n{one.words}\n\n"
        for one in asked
    )


KERNEL_HEADER = (
    "kernel",
    "mistake",
    "check",
    "compare",
    "told apart",
    "check, ms",
    "evaluations",
    "resolution",
    "compare, ms",
)


def kernel_rows(judged: Sequence[Judged]) -> list[tuple[str, ...]]:
    """One line a kernel and mistake."""
    return [
        (
            one.kernel,
            one.mistake or "none",
            one.check.verdict,
            one.compare.verdict,
            "yes" if one.is_told_by(one.check, one.compare) else "no",
            f"{one.check.seconds * 1e3:.0f}",
            "" if one.check.report is None else str(one.check.report.cost.evaluations),
            "" if one.check.report is None else promise(one.check.report.resolution),
            f"{one.compare.seconds * 1e3:.0f}",
        )
        for one in judged
    ]


LARGE_HEADER = (
    "dtype",
    "check",
    "forward and backward, ms",
    "check, ms",
    "time",
    "extra memory",
    "evaluations",
    "resolution",
    "to main memory, bytes",
    "largest copy, bytes",
    "to the device, MB",
)


def large_rows(large: Sequence[Large]) -> list[tuple[str, ...]]:
    """One line a dtype."""
    return [
        (
            name_of(one.dtype),
            one.verdict,
            f"{one.pass_seconds * 1e3:.2f}",
            f"{one.seconds * 1e3:.1f}",
            f"{one.seconds / one.pass_seconds:.0f}×",
            f"{one.memory:.1f}×",
            str(one.evaluations),
            promise(one.resolution),
            str(one.to_host),
            str(one.widest_to_host),
            f"{one.to_device / 1e6:.1f}",
        )
        for one in large
    ]


def promise(resolution: float | None) -> str:
    """A resolution in a digit, or that there is none."""
    return "none" if resolution is None else f"{resolution:.1g}"


def as_markdown(judged: Sequence[Judged], large: Sequence[Large], options: Any) -> str:
    """The section of README.md: where it was made and with what, then both tables."""
    import triton

    by_check = sum(one.is_told_by(one.check) for one in judged)
    by_compare = sum(one.is_told_by(one.compare) for one in judged)
    return "\n".join(
        [
            f"`python benchmarks/accelerator.py --readme` on one {torch.cuda.get_device_name()}, "
            f"Python {platform.python_version()}, torch {torch.__version__}, triton "
            f"{triton.__version__}, seed {options.seed}. {len(judged)} kernels in bfloat16; "
            f"`check` is right about {by_check}, `compare` about {by_compare}:",
            "",
            markdown_table(KERNEL_HEADER, kernel_rows(judged)),
            "",
            f"sin of {options.elements:,} elements, medians of {REPEATS} runs in turns; time and "
            "memory in units of one forward and backward and of the input:",
            "",
            markdown_table(LARGE_HEADER, large_rows(large)),
        ]
    )


def in_full(judged: Sequence[Judged]) -> str:
    """Every report as it was printed."""
    return "\n".join(
        f"== {one.kernel}: {one.mistake or 'right'}\n"
        f"-- check: {one.check.verdict}\n{one.check.words}\n"
        f"-- compare: {one.compare.verdict}\n{one.compare.words}\n"
        for one in judged
    )


if __name__ == "__main__":
    main()
