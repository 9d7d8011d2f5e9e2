"""Secant's verdicts on functions that nobody tuned for: can a PASS be trusted, is a FAIL certain?

Takes corpora whose truth is decided without secant, asks `secant.check` about every function in
them, and gives a table of what is promised, one of verdicts for every part, and every false verdict
under a name that `--show` prints as a few lines of Python. Nothing that a check raises ends the
run: an exception is an outcome that counts.

    python benchmarks/trust.py --quick                       # a taste, about a minute
    python benchmarks/trust.py --programs 10000 --jobs 2     # everything
    python benchmarks/trust.py --only wrong --programs 500 --seed 1 --list
    python benchmarks/trust.py --show wrong:1:19
    python benchmarks/trust.py --first 2000 --programs 1000 --json piece.json
    python benchmarks/trust.py --merge piece.json other.json --readme
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import multiprocessing
import platform
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from _answers import Answer
from _running import Progress, positive
from _sections import rewrite_section
from _trust_parts import PARTS, PROGRAMS, answers_to, names_of, show
from _trust_tables import false_verdicts, promises, tables

CALIBRATION_SEEDS = (1, 2, 3, 20_261, 65_537, 130_363, 271_828, 611_953, 740_021, 824_123)
"""Constants of secant may be chosen on programs of these seeds, which were looked at; no table."""
TABLE_SEED = 915_007
QUICK = 60  # programs
TOGETHER = 6  # questions that a worker takes at once


@dataclass(frozen=True)
class Run:
    """The answers of one run, or of several pieces put together, and how it was made."""

    seed: int
    programs: int
    parts: tuple[str, ...]
    jobs: int
    minutes: float
    answers: tuple[Answer, ...]


def main() -> None:
    """Ask, count, print."""
    options = parse()
    if options.show:
        print(show(options.show))
        return
    run = merged(options.merge) if options.merge else asked(options)
    if options.readme:
        refuse_calibration(run.seed)
    text = told(run, is_quick=options.quick)
    print(text)
    if options.list:
        print_false(run.answers)
    if options.json:
        options.json.write_text(json.dumps(asdict(run), indent=1))
    if options.readme:
        rewrite_section("trust", text)


def refuse_calibration(seed: int) -> None:
    """No table is made of programs that constants were chosen on."""
    if seed in CALIBRATION_SEEDS:
        raise SystemExit(f"expected a seed for the table that is none of {CALIBRATION_SEEDS}")


def asked(options: argparse.Namespace) -> Run:
    """Ask every question that the options choose."""
    torch.set_num_threads(1)
    indices = range(options.first, options.first + options.programs)
    names = [
        name
        for part in options.only
        for name in names_of(part, indices, options.seed, is_quick=options.quick)
    ]
    started = time.monotonic()
    answers = sorted(answered(in_turn(names), options.jobs), key=lambda one: PARTS.index(one.part))
    minutes = (time.monotonic() - started) / 60
    parts = tuple(options.only)
    return Run(options.seed, options.programs, parts, options.jobs, minutes, tuple(answers))


def merged(files: Sequence[Path]) -> Run:
    """Pieces of a run, put together; one question is counted once."""
    pieces = [json.loads(file.read_text()) for file in files]
    drawn = [piece for piece in pieces if set(piece["parts"]) & set(PROGRAMS)] or pieces
    if len({piece["seed"] for piece in drawn}) > 1:
        raise SystemExit("expected all programs to be of one seed")
    answers = {
        (one["name"], *one["row"]): Answer(**{**one, "row": tuple(one["row"])})
        for piece in pieces
        for one in piece["answers"]
    }
    return Run(
        drawn[0]["seed"],
        sum(piece["programs"] for piece in pieces if "programs" in piece["parts"]),
        tuple(part for part in PARTS if any(part in piece["parts"] for piece in pieces)),
        pieces[0]["jobs"],
        sum(piece["minutes"] for piece in pieces),
        tuple(sorted(answers.values(), key=lambda one: PARTS.index(one.part))),
    )


def parse() -> argparse.Namespace:
    """The command's options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=positive, default=10_000)
    parser.add_argument("--seed", type=int, default=TABLE_SEED, help="of the random programs")
    parser.add_argument("--first", type=int, default=0, help="the index of the first program")
    parser.add_argument("--only", choices=PARTS, nargs="+", default=list(PARTS))
    parser.add_argument("--jobs", type=positive, default=2)
    parser.add_argument("--quick", action="store_true", help="a thinned run, about a minute")
    parser.add_argument("--list", action="store_true", help="print the text of every false verdict")
    parser.add_argument("--show", metavar="NAME", help="print one question as Python, and stop")
    parser.add_argument("--merge", type=Path, nargs="+", metavar="FILE", help="pieces, not asked")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep every answer")
    parser.add_argument("--readme", action="store_true", help="rewrite the table in README.md")
    options = parser.parse_args()
    if options.readme and not options.merge:
        refuse_calibration(options.seed)
    if options.quick:
        options.programs = min(options.programs, QUICK)
    return options


def in_turn(names: Sequence[str]) -> list[str]:
    """The questions, those about the same program next to each other: its truth is found once."""
    return sorted(names, key=lambda name: name.split(":")[1:3])


def answered(names: Sequence[str], jobs: int) -> Iterator[Answer]:
    """Every question's answers, in the order of the questions."""
    progress = Progress(len(names))
    with multiprocessing.get_context("spawn").Pool(jobs, initializer=settle_worker) as pool:
        for number, answers in enumerate(pool.imap(answers_to, names, chunksize=TOGETHER)):
            progress.show(number, names[number])
            yield from answers
    progress.show(len(names), "done")


def settle_worker() -> None:
    """One thread each: the workers share the cores."""
    torch.set_num_threads(1)
    gc.freeze()  # a collection would otherwise walk all of torch


def told(run: Run, *, is_quick: bool) -> str:
    """The tables, and every false verdict, as Markdown."""
    only = "" if run.parts == PARTS else f" --only {' '.join(run.parts)}"
    quick = " --quick" if is_quick else ""
    head = (
        f"`python benchmarks/trust.py --programs {run.programs} --seed {run.seed}{only}{quick}`, "
        f"Python {platform.python_version()}, torch {torch.__version__}, "
        f"{math.ceil(run.minutes)} minutes in {run.jobs} processes."
    )
    return "\n\n".join(
        [head, promises(run.answers), *tables(run.answers), false_verdicts(run.answers)]
    )


def print_false(answers: Sequence[Answer]) -> None:
    """Every false verdict with the text of its question."""
    for answer in answers:
        if answer.is_false:
            print(f"\n# {answer.name}, {', '.join(answer.row)}: {answer.verdict}")
            print(f"# {answer.reason}\n{show(answer.name)}")


if __name__ == "__main__":
    main()
