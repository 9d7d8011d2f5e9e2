"""Right and wrong gradients in float32, bfloat16 and float16: gradcheck and secant in one run.

Takes the first samples of each operator of torch's database in the three dtypes, keeps those whose
gradient is right, and asks torch's fast mode and `secant.check` about them: as they are,
and with every gradient 1 % (float32) or 10 % (the others) too large. Gives a table of verdicts, the
shares caught and not told, and every right gradient that secant calls wrong.

    python benchmarks/precision.py --stride 4
    python benchmarks/precision.py --only linalg --dtypes bfloat16 --list
    python benchmarks/precision.py --readme
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from rich.console import Console

import secant
from _correct import distance_from_float64, is_accepted_in_float64
from _counts import (
    Row,
    count,
    false_alarms,
    front_table,
    full_table,
    listing,
    misses,
    not_told,
    terminal_tables,
)
from _database import Case, samples
from _detectors import verdict_only
from _judges import Outcome, first_line, judge_with_torch, timed
from _running import Progress, positive
from _scaled import PLANTS, Plant, claims_zero, plant
from _sections import FRONT, rewrite_section

WIDTH = 140  # columns of the table
FACTORS = {"float32": 1.01, "bfloat16": 1.1, "float16": 1.1}  # of the wrong gradients
LARGEST = 20_000  # input elements


@dataclass(frozen=True)
class Selection:
    """What is asked about in one dtype, and how much was left out."""

    dtype: str
    drawn: int
    large: int  # more than LARGEST elements
    doubtful: list[str]  # not accepted in float64
    off: list[str]  # accepted there, but the gradient in this dtype is far from it
    right: list[Case]
    scalable: list[Case]  # those of `right` whose gradient is not zero everywhere

    def cases(self, what: Plant) -> list[Case]:
        """Where this is planted; one sample an operator is enough where float64 is the question."""
        cases = self.scalable if what.is_wrong else self.right
        if what.is_about_float64:
            cases = list({case.operator: case for case in reversed(cases)}.values())[::-1]
        return cases


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, print, and write what was asked for."""
    options = parse(arguments)
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selections = [select(dtype, options) for dtype in options.dtypes]
        rows = run(selections, options)
    counts = count(rows)

    console = Console()
    console.width = max(console.width, WIDTH)
    for table in terminal_tables(counts):
        console.print(table)
    named = [*false_alarms(rows), *(not_told(rows) + misses(rows) if options.list else ())]
    for line in [*map(left_out, selections), *map(told_of, named)]:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    if options.json:
        options.json.write_text(as_json(rows, selections, options) + "\n", encoding="utf-8")
    if options.readme:
        head = made_by(options)
        parts = [head, full_table(counts), *map(left_out, selections), listing(rows)]
        rewrite_section("precision", "\n\n".join(parts))
        rewrite_section("precision", f"{head}\n\n{front_table(counts)}", file=FRONT)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line; `dtypes` and `plants` come back as lists, in the order of this file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--samples", type=positive, default=3, help="samples an operator (3)")
    parser.add_argument("--only", default="", help="operators whose name contains this")
    parser.add_argument("--stride", type=positive, default=1, help="every so many operators (1)")
    parser.add_argument("--dtypes", nargs="+", choices=FACTORS, default=list(FACTORS))
    parser.add_argument("--plants", nargs="+", choices=[one.name for one in PLANTS])
    parser.add_argument("--seed", type=int, default=1729)
    parser.add_argument("--list", action="store_true", help="name all that is not told or missed")
    parser.add_argument("--json", type=Path, help="write every outcome to this file")
    parser.add_argument("--readme", action="store_true", help="rewrite the sections in README.md")
    options = parser.parse_args(arguments)
    if options.readme and options.plants:
        parser.error("--readme needs all plants")
    names = options.plants or [one.name for one in PLANTS]
    options.plants = [one for one in PLANTS if one.name in names]
    return options


def select(dtype: str, options: argparse.Namespace) -> Selection:
    """The cases of one dtype: small enough, and right in float64."""
    drawn = list(
        samples(
            getattr(torch, dtype),
            options.samples,
            only=options.only,
            stride=options.stride,
            seed=options.seed,
        )
    )
    small = [case for case in drawn if case.size <= LARGEST]
    right, doubtful, off = [], [], []
    for case in small:
        if not is_accepted_in_float64(case, limit=options.samples, seed=options.seed):
            doubtful.append(case.name)
        elif distance_from_float64(case, options.seed) > most_off(dtype):
            off.append(case.name)
        else:
            right.append(case)
    scalable = [case for case in right if not claims_zero(case, options.seed)]
    return Selection(dtype, len(drawn), len(drawn) - len(small), doubtful, off, right, scalable)


def most_off(dtype: str) -> float:
    """How far a right gradient may be from float64's: half of what makes it a wrong one."""
    return (FACTORS[dtype] - 1) / 2


def run(selections: Sequence[Selection], options: argparse.Namespace) -> list[Row]:
    """Judge every case with every plant; the checkers take turns in going first."""
    gc.collect()
    gc.freeze()  # a collection would otherwise walk the whole database again and again
    questions = [
        (selection.dtype, what, case)
        for selection in selections
        for what in options.plants
        for case in selection.cases(what)
    ]
    rows = []
    progress = Progress(len(questions))
    for number, (dtype, what, case) in enumerate(questions):
        progress.show(number, f"{dtype} {what.label}: {case.name}")
        planted = plant(case, what, FACTORS[dtype])
        outcomes = ask(planted, what, options.seed, secant_first=number % 2 == 1)
        rows.append(Row(case.name, case.size, dtype, what, outcomes))
    progress.show(len(questions), "done")
    return rows


def ask(case: Case, what: Plant, seed: int, *, secant_first: bool) -> dict[str, Outcome]:
    """Both checkers' words; only the verdict is asked for, no message of torch's."""
    if secant_first:
        ours = ask_secant(case, what, seed)
        return {"torch": ask_torch(case, seed), "secant": ours}
    theirs = ask_torch(case, seed)
    return {"torch": theirs, "secant": ask_secant(case, what, seed)}


def ask_torch(case: Case, seed: int) -> Outcome:
    """Torch's fast mode; nearly all fail, and each message would take a run of the slow mode."""
    with verdict_only():
        return judge_with_torch(case, "fast", seed)


def ask_secant(case: Case, what: Plant, seed: int) -> Outcome:
    """Secant with its defaults; a planted error is not looked for, which changes no verdict.

    The reason of a pass is what it promises, so that a miss can be held against it.
    """

    def judge() -> Outcome:
        try:
            report = secant.check(case.function, *case.inputs, seed=seed, explain=not what.is_wrong)
        except secant.SecantError as error:
            return Outcome("refused", 0.0, first_line(f"{type(error).__name__}: {error}"))
        except Exception as error:
            return Outcome("raises", 0.0, first_line(f"{type(error).__name__}: {error}"))
        verdict, cost = report.verdict.name.lower(), report.cost
        return Outcome(verdict, 0.0, reason_of(report), cost.evaluations, cost.pulls)

    return timed(judge, seed)


def reason_of(report: secant.Report) -> str:
    """What decided a report, in one line."""
    if report.verdict is secant.Verdict.PASS:
        return f"resolution {report.resolution}"
    decisive = next(one for one in report.findings if one.verdict is report.verdict)
    place = f" at {decisive.where}" if decisive.where else ""
    return f"{decisive.kind}{place}: {first_line(decisive.message)}"


def told_of(row: Row) -> str:
    """One line about a row: what it is, and what secant says."""
    outcome = row.outcomes["secant"]
    return (
        f"{row.dtype}  {row.plant.label}  {row.name}  {row.size} elements  {outcome.verdict}  "
        f"{outcome.reason}"
    )


def left_out(selection: Selection) -> str:
    """What the counts of one dtype do not hold."""
    zero = len(selection.right) - len(selection.scalable)
    names = ", ".join(f"`{name}`" for name in selection.off) or "none"
    return (
        f"{selection.dtype}: {selection.drawn} samples, of which {selection.large} have more than "
        f"{LARGEST:,} elements, {len(selection.doubtful)} are not accepted in float64, and "
        f"{len(selection.off)} are more than {most_off(selection.dtype):.1%} off from it in this "
        f"dtype ({names}). Of the {len(selection.right)} right ones {zero} have a gradient that is "
        f"zero everywhere, which no factor makes wrong."
    )


def made_by(options: argparse.Namespace) -> str:
    """The command and the versions behind a table, and what was planted."""
    part = "".join(
        f" --{name} {value}"
        for name, value in (
            ("only", options.only),
            ("stride", options.stride if options.stride > 1 else None),
            ("samples", options.samples if options.samples != 3 else None),
            ("dtypes", " ".join(options.dtypes) if options.dtypes != list(FACTORS) else None),
        )
        if value
    )
    wrong = ", ".join(f"{FACTORS[dtype] - 1:.0%} in {dtype}" for dtype in options.dtypes)
    return (
        f"`python benchmarks/precision.py{part} --readme`, Python {platform.python_version()}, "
        f"torch {torch.__version__}, seed {options.seed}. Wrong gradients are too large by {wrong}."
    )


def as_json(
    rows: Sequence[Row], selections: Sequence[Selection], options: argparse.Namespace
) -> str:
    """Every outcome, with the versions and the seed that made it."""
    document = {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "seed": options.seed,
        "samples": options.samples,
        "stride": options.stride,
        "only": options.only,
        "factors": FACTORS,
        "left_out": {
            one.dtype: {"large": one.large, "doubtful": one.doubtful, "off": one.off}
            for one in selections
        },
        "rows": [asdict(row) for row in rows],
    }
    return json.dumps(document, indent=1)


if __name__ == "__main__":
    main()
