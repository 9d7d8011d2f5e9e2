"""JAX's check_grads and secant side by side, in one run: time, false alarms and wrong rules caught.

Takes functions of jax.numpy, jax.nn, jax.scipy and jax.lax, in float32 with x64 off and in float64
with it on, and plants errors of many kinds and sizes into their reverse rules. Gives the share that
each checker catches by size, the verdicts on the same functions unplanted, and the seconds, for a
function that is new to the process and for one that was checked before.

    python benchmarks/jax_detection.py --stride 20
    python benchmarks/jax_detection.py --plants 0   # verdicts and seconds on right ones alone
    python benchmarks/jax_detection.py --readme
"""

from __future__ import annotations

import argparse
import platform
import time
import warnings
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.test_util
import numpy as np
from rich.console import Console

import secant
from _jax_functions import FUNCTIONS, Case, arguments
from _jax_planting import KINDS, changes, draw_site, is_fitting, jacobians, planted
from _running import Progress, geometric_mean, positive
from _sections import FRONT, markdown_table, rewrite_section

SIZES = {"float32": (1.0, 1e-1, 1e-2, 1e-3), "float64": (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5)}
CHECKERS = ("check_grads", "secant")
# asked in this order, of a function that is new to the process
KINDS_OF_QUESTION = (("first", 1), ("again", 1), ("second order", 2), ("second order again", 2))
STRIDE = 5  # most of the time goes into compiling wrong functions
# not differentiable, or not meant to be right: no reverse rule to spoil
LEFT_OUT = ("lax.while_loop", "lax.stop_gradient", "scipy.special.betainc")


@dataclass
class Result:
    """What one dtype's run has found."""

    words: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    seconds: dict[str, dict[str, list[float]]] = field(  # by kind of question, then by checker
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    caught: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    asked: Counter[str] = field(default_factory=Counter)
    missed: list[str] = field(default_factory=list)
    alarms: list[str] = field(default_factory=list)
    functions: int = 0


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, print, and write what was asked for."""
    options = parse(arguments)
    names = [name for name in FUNCTIONS if options.only in name and name not in LEFT_OUT]
    small = [name for name in names if not name.startswith("larger")]
    chosen = small[:: options.stride] + [name for name in names if name.startswith("larger")]
    results = {}
    for dtype in SIZES:
        with jax.enable_x64(dtype == "float64"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results[dtype] = run(chosen, dtype, options)
    header, rows = table(results)
    text = markdown_table(header, rows)
    console = Console(soft_wrap=True)
    console.print(text, markup=False, highlight=False)
    lists = [line for result in results.values() for line in (*result.alarms, *result.missed)]
    for line in lists:
        console.print(line, markup=False, highlight=False)
    if options.readme:
        front = f"{made_by(options)}\n\n{text}"
        listed = "\n".join(["```", *lists, "```"]) if lists else "None."
        full = f"{front}\n\nRight ones that secant does not pass, and wrong ones of 1e-2 (float32) "
        full += f"or 1e-3 (float64) and above that it does not call wrong:\n\n{listed}"
        rewrite_section("jax", full)
        rewrite_section("jax", front, file=FRONT)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", help="functions whose name contains this")
    parser.add_argument(
        "--stride",
        type=positive,
        default=STRIDE,
        help=f"every so many functions, and the larger ones ({STRIDE})",
    )
    parser.add_argument("--seed", type=int, default=1729)
    parser.add_argument(
        "--plants", type=int, default=1, help="errors a size and function (1); 0 times alone"
    )
    parser.add_argument("--readme", action="store_true", help="rewrite the sections in README.md")
    return parser.parse_args(arguments)


def run(names: Sequence[str], dtype: str, options: argparse.Namespace) -> Result:
    """Ask both about every function as it is, and about the errors planted into it."""
    result, progress = Result(), Progress(len(names))
    for turn, name in enumerate(names):
        progress.show(turn, f"{name} {dtype}")
        case = FUNCTIONS[name]
        inputs = arguments(case, dtype)
        word = ""
        for checker in CHECKERS if turn % 2 else CHECKERS[::-1]:
            for kind, order in KINDS_OF_QUESTION:
                said, seconds = judge(checker, case.function, inputs, options.seed, order)
                result.seconds[kind][checker].append(seconds)
                word = said if kind == "first" else word
            result.words[checker][word] += 1
            if checker == "secant" and word != "pass":
                result.alarms.append(f"{name} {dtype}, as it is: {word}")
        result.functions += 1
        if options.plants:
            plant_all(case, inputs, dtype, options, result)
    progress.show(len(names), f"{dtype}: done")
    return result


def plant_all(
    case: Case,
    inputs: tuple[jax.Array, ...],
    dtype: str,
    options: argparse.Namespace,
    result: Result,
) -> None:
    """Plant errors of every size, and count who catches them."""
    seed = options.seed
    numbers = np.random.default_rng((seed, zlib.crc32(f"{case.name} {dtype}".encode())))
    try:
        true = jacobians(case.function, inputs)
    except Exception:  # outputs that cannot be differentiated by rows: complex ones
        return
    for size in SIZES[dtype]:
        for _ in range(options.plants):
            site = draw_site(true, numbers)
            kind = str(numbers.choice(list(KINDS)))
            if site is None or not is_fitting(kind, inputs[site.leaf].shape):
                continue
            wrong = planted(case.function, kind, site, size)
            if not changes(wrong, true, inputs, size):
                continue
            row = LARGER if case.name.startswith("larger") else row_of(size)
            result.asked[row] += 1
            for checker in CHECKERS:
                word, _ = judge(checker, wrong, inputs, seed)
                result.caught[row][checker] += word == "fail"
                if checker == "secant" and word != "fail" and size >= WORTH_NAMING[dtype]:
                    result.missed.append(f"{case.name} {dtype}, {kind} {size:g}: {word}")


WORTH_NAMING = {"float32": 1e-2, "float64": 1e-3}
LARGER = "larger functions, wrong by any of these: caught"


def row_of(size: float) -> str:
    """The row in which errors of a size are counted."""
    return f"wrong by {size:g}: caught"


def judge(
    checker: str,
    function: Callable[..., Any],
    inputs: tuple[jax.Array, ...],
    seed: int,
    order: int = 1,
) -> tuple[str, float]:
    """One checker's word on reverse mode, and the processor's seconds it took."""
    started = time.process_time()
    try:
        if checker == "secant":
            settings = {"seed": seed, "order": order, "explain": False}
            word = secant.check(function, *inputs, **settings).verdict.name.lower()
        else:
            jax.test_util.check_grads(function, inputs, order, ("rev",))
            word = "pass"
    except AssertionError:
        word = "fail"
    except Exception as error:
        word = f"raises {type(error).__name__}"
    return word, time.process_time() - started


def table(results: dict[str, Result]) -> tuple[list[str], list[list[str]]]:
    """The rows of the table."""
    header = ["", *(f"{dtype}, {checker}" for dtype in results for checker in CHECKERS)]
    rows = []
    for word in ("pass", "fail", "inconclusive"):
        rows.append(
            [
                f"right ones: {word}",
                *(
                    f"{result.words[checker][word]}/{result.functions}"
                    for result in results.values()
                    for checker in CHECKERS
                ),
            ]
        )
    for row in (*map(row_of, SIZES["float64"]), LARGER):
        cells = []
        for result in results.values():
            asked = result.asked[row]
            for checker in CHECKERS:
                cells.append(f"{result.caught[row][checker]}/{asked}" if asked else "–")
        rows.append([row, *cells])
    for kind, _ in KINDS_OF_QUESTION:
        cells = []
        for result in results.values():
            theirs, mine = (result.seconds[kind][checker] for checker in CHECKERS)
            ratios = [one / other for one, other in zip(mine, theirs, strict=True)]
            told = f"{sum(mine) / sum(theirs):.2f}, {geometric_mean(ratios):.2f}"
            cells += [f"{sum(theirs):.1f}", f"{sum(mine):.1f} ({told})"]
        rows.append([f"seconds on right ones, {kind}", *cells])
    return header, rows


def made_by(options: argparse.Namespace) -> str:
    """The command and the versions that made a table."""
    part = f" --only {options.only}" if options.only else ""
    part += f" --stride {options.stride}" if options.stride != STRIDE else ""
    return (
        f"`python benchmarks/jax_detection.py{part} --readme`, Python "
        f"{platform.python_version()}, jax {jax.__version__}, seed {options.seed}; "
        "reverse mode, first order unless it says otherwise, default settings. Seconds are the "
        "processor's; in brackets over check_grads', of the totals and as a geometric mean."
    )


if __name__ == "__main__":
    main()
