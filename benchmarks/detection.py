"""A corpus of wrong gradients: torch fast, torch slow and secant side by side, in one run.

Takes samples of torch's operator database in float64 that both modes of torch accept, and some
larger functions, and plants errors of many kinds and sizes into their backwards; and takes
backwards written by hand, wrong as people get them wrong. Gives the shares that each checker
catches by size and by kind, its verdicts and seconds on the same functions unplanted, and the name
of every wrong gradient that secant lets pass.

    python benchmarks/detection.py --stride 10
    python benchmarks/detection.py --only linalg --kinds transposed,sign --list-misses
    python benchmarks/detection.py --readme
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import shlex
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import torch
from rich.console import Console

import _museum  # noqa: F401 for what follows
from _corpus import Function, is_small, judge_unplanted, plants_of, seed_of
from _database import Case, samples
from _detectors import CHECKERS, SECANT, ask, warm_up
from _larger import larger
from _running import Progress, positive
from _sections import FRONT, rewrite_section
from _shares import (
    Finding,
    Table,
    by_kind,
    by_size,
    front,
    hand_written,
    listing,
    markdown,
    on_terminal,
    promise,
    unplanted,
)
from _spoils import KINDS, SIZES
from wrong.exhibits import WRITTEN

LISTED = 1e-5  # misses of secant from this size on are always named
WIDTH = 150  # columns of the widest table
PLANTS = 20  # errors an operator
REPEATS = 3  # of every check on what is right; the seconds are their medians
MORE = 3  # times as many in a larger function: there are few of those


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, print, and write what was asked for."""
    options = parse(arguments)
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warm_up(options.seed)
        functions, left_out = select(options)
        planted = plant_all(functions, options)
        twins, written = judge_hand_written(options)
    functions += twins

    tables = [
        unplanted(functions),
        by_size(planted),
        by_kind([one for one in planted if one.corpus == "operators"]),
        hand_written(written),
    ]
    console = Console()
    console.width = max(console.width, WIDTH)
    for table in tables:
        console.print(on_terminal(table))
    lists = listing(functions, [*planted, *written], 0.0 if options.list_misses else LISTED)
    lines = [line for heading, entries in lists for line in (heading, *entries)]
    for line in [said_of(left_out), promise(planted), *lines]:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    if options.json:
        document = as_json(functions, planted, written, left_out, options)
        options.json.write_text(document + "\n", encoding="utf-8")
    if options.readme:
        opening = [made_by(options), said_of(left_out)]
        write_sections([*opening, promise(planted)], tables, lists)
        short_table = markdown(front(functions, planted, written))
        rewrite_section("detection", f"{made_by(options)}\n\n{short_table}", file=FRONT)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line; `kinds` and `sizes` come back as lists."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--limit", type=positive, help="stop after so many functions in all")
    parser.add_argument("--samples", type=positive, default=1, help="samples an operator (1)")
    parser.add_argument("--only", default="", help="functions whose name contains this")
    parser.add_argument("--stride", type=positive, default=1, help="every so many operators (1)")
    parser.add_argument(
        "--plants", type=positive, default=PLANTS, help=f"errors an operator ({PLANTS})"
    )
    parser.add_argument("--kinds", type=kinds, default=list(KINDS), help="names, with commas")
    parser.add_argument("--sizes", type=sizes, default=list(SIZES), help="numbers, with commas")
    parser.add_argument("--seed", type=int, default=1729)
    parser.add_argument("--list-misses", action="store_true", help="name misses of every size")
    parser.add_argument("--json", type=Path, help="write every answer to this file")
    parser.add_argument("--readme", action="store_true", help="rewrite the section in README.md")
    return parser.parse_args(arguments)


def kinds(text: str) -> list[str]:
    """Names from KINDS, separated by commas."""
    unknown = [name for name in text.split(",") if name not in KINDS]
    if unknown:
        raise argparse.ArgumentTypeError(
            f"expected names from {', '.join(KINDS)}; got {unknown[0]!r}"
        )
    return text.split(",")


def sizes(text: str) -> list[float]:
    """Positive numbers up to one, separated by commas."""
    numbers = [float(part) for part in text.split(",")]
    if any(not 0 < number <= 1 for number in numbers):
        raise argparse.ArgumentTypeError(f"expected numbers above 0 and up to 1; got {text!r}")
    return numbers


def select(options: argparse.Namespace) -> tuple[list[Function], Counter[str]]:
    """Judge every function as it is; torch must accept it, or it is left out and counted."""
    drawn = list(
        samples(
            torch.float64,
            options.samples,
            only=options.only,
            stride=options.stride,
            seed=options.seed,
        )
    )
    left_out: Counter[str] = Counter(drawn=len(drawn))
    small = [case for case in drawn if is_small(case)]
    left_out["large"] = len(drawn) - len(small)
    cases = [(case, "operators") for case in small]
    cases += [(case, "larger") for case in larger(options.seed, only=options.only)]
    cases = cases[: options.limit]
    gc.collect()
    gc.freeze()  # a collection would otherwise walk the whole database, in somebody's time
    functions = []
    progress = Progress(len(cases))
    for turn, (case, corpus) in enumerate(cases):
        progress.show(turn, f"{case.name} as it is")
        with torch.random.fork_rng(devices=[]):
            case.function(*case.inputs)  # what a first call allocates is nobody's cost
        function = judge_unplanted(case, corpus, options.seed, turn, REPEATS)
        left_out["not accepted"] += not function.is_accepted
        left_out["refused"] += is_refused(function)
        functions.append(function)
    progress.show(len(cases), "as they are: done")
    return functions, left_out


def is_refused(function: Function) -> bool:
    """Whether torch accepts a function that secant declines to look at."""
    return function.is_accepted and function.answers[SECANT].verdict == "refused"


def plant_all(functions: Sequence[Function], options: argparse.Namespace) -> list[Finding]:
    """Plant errors into every accepted function, and ask everybody about each."""
    accepted = [one for one in functions if one.is_accepted and not is_refused(one)]
    findings: list[Finding] = []
    progress = Progress(len(accepted))
    for number, function in enumerate(accepted):
        progress.show(number, f"{function.case.name}, planted; {len(findings)} so far")
        most = options.plants * (MORE if function.corpus == "larger" else 1)
        own = seed_of(function.case, options.seed)
        for plant in plants_of(function, options.kinds, options.sizes, most, options.seed):
            answers = {
                checker: ask(checker, plant.case, own, explain=False)
                for checker in CHECKERS
                if checker in function.answers
            }
            findings.append(
                Finding(
                    name=function.case.name,
                    corpus=function.corpus,
                    kind=plant.kind,
                    size=plant.size,
                    seed=own,
                    largest=plant.site.largest,
                    answers=answers,
                )
            )
    progress.show(len(accepted), f"planted: done, {len(findings)} errors")
    return findings


def judge_hand_written(options: argparse.Namespace) -> tuple[list[Function], list[Finding]]:
    """Ask everybody about the hand-written backwards and about their right twins."""
    chosen = [one for one in WRITTEN if options.only in one.name][: options.limit]
    twins, findings = [], []
    for turn, one in enumerate(chosen):
        inputs = one.inputs()
        wrong, right = (
            Case(one.name, one.name, function, inputs, sum(leaf.numel() for leaf in inputs))
            for function in (one.function, one.right)
        )
        own = seed_of(wrong, options.seed)
        right.function(*inputs)
        twins.append(judge_unplanted(right, "hand-written", options.seed, turn, REPEATS))
        answers = {checker: ask(checker, wrong, own, explain=False) for checker in CHECKERS}
        findings.append(Finding(one.name, "hand-written", "hand-written", 1.0, own, 0.0, answers))
    return twins, findings


def said_of(left_out: Counter[str]) -> str:
    """How the functions were chosen, in numbers."""
    return (
        f"{left_out['drawn']} samples drawn; left out: {left_out['large']} too large for torch's "
        f"slow mode, {left_out['not accepted']} that torch itself does not accept in both modes. "
        f"Refused by secant, and so not planted into: {left_out['refused']}."
    )


def made_by(options: argparse.Namespace) -> str:
    """The command and the versions that made a table."""
    usual = vars(parse([]))
    part = "".join(
        f" --{name} {shlex.quote(told(getattr(options, name)))}"
        for name in ("limit", "samples", "only", "stride", "plants", "kinds", "sizes")
        if getattr(options, name) != usual[name]
    )
    return (
        f"`python benchmarks/detection.py{part} --readme`, Python {platform.python_version()}, "
        f"torch {torch.__version__}, seed {options.seed}, float64, one thread."
    )


def told(value: object) -> str:
    """A setting as the command line takes it."""
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def write_sections(
    opening: Sequence[str], tables: Sequence[Table], lists: Sequence[tuple[str, list[str]]]
) -> None:
    """Rewrite the benchmark's section: tables, then every name."""
    parts = list(opening)
    for table in tables:
        parts += [f"{table.title[0].upper()}{table.title[1:]}:", markdown(table)]
    for heading, entries in lists:
        parts.append(heading)
        if entries:
            parts.append("\n".join(["```", *entries, "```"]))
    rewrite_section("detection", "\n\n".join(parts))


def as_json(
    functions: Sequence[Function],
    planted: Sequence[Finding],
    written: Sequence[Finding],
    left_out: Counter[str],
    options: argparse.Namespace,
) -> str:
    """Every answer, with the versions and the seed that made it."""
    document = {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "seed": options.seed,
        "left out": left_out,
        "unplanted": [
            {
                "name": one.case.name,
                "corpus": one.corpus,
                "answers": {checker: asdict(answer) for checker, answer in one.answers.items()},
            }
            for one in functions
        ],
        "planted": [asdict(one) for one in planted],
        "hand-written": [asdict(one) for one in written],
    }
    return json.dumps(document, indent=1)


if __name__ == "__main__":
    main()
