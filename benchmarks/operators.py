"""Every differentiable operator of torch's database: gradcheck and secant side by side, in one run.

Takes the first samples of each operator in float64, asks both checkers on one thread, and gives a
table of verdicts and of seconds on the checks that torch passes, and a list of the gradients that
torch's slow mode accepts and secant does not.

    python benchmarks/operators.py --stride 20
    python benchmarks/operators.py --only linalg --modes full
    python benchmarks/operators.py --readme
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import platform
import statistics
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

from _database import Case, samples
from _judges import (
    SECANT_VERDICTS,
    TORCH_VERDICTS,
    Outcome,
    judge_with_secant,
    judge_with_torch,
)
from _sections import FRONT, escape, markdown_table, rewrite_section

MODES = ("fast", "full")
LARGEST_FULL = 1000  # input elements; torch's slow mode takes two evaluations for each


@dataclass(frozen=True)
class Row:
    """One case in one mode, judged by both."""

    name: str
    size: int
    mode: str
    torch: Outcome
    secant: Outcome | None  # absent with --no-secant


@dataclass(frozen=True)
class Summary:
    """One mode's counts and, over the checks that torch passes, its seconds."""

    mode: str
    checks: int
    torch_verdicts: Counter[str]
    secant_verdicts: Counter[str]
    shared_checks: int
    torch_seconds: float
    secant_seconds: float
    median_ratio: float  # of the single checks: no slow operator decides it

    @property
    def ratio(self) -> float:
        """How many times torch's time secant takes; below one is faster."""
        return self.secant_seconds / self.torch_seconds if self.torch_seconds else math.nan


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, print, and write what was asked for."""
    options = parse(arguments)
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = list(
            samples(
                torch.float64,
                options.samples,
                only=options.only,
                stride=options.stride,
                seed=options.seed,
            )
        )[: options.limit]
        rows = run(cases, options.modes, options.seed, with_secant=not options.no_secant)
    summaries = [summarise(rows, mode) for mode in options.modes]
    disagreements = disputed(rows)

    console = Console()
    console.print(terminal_table(summaries))
    for row, outcome in disagreements:
        console.print(
            f"{row.mode}  {row.name}  {outcome.verdict}  {outcome.reason}",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )
    if options.json:
        options.json.write_text(as_json(rows, options) + "\n", encoding="utf-8")
    if options.readme:
        markdown = as_markdown(summaries, disagreements, options)
        rewrite_section("operators", markdown)
        front, _, listed = markdown.partition(LISTED)
        summary = front + (LISTED + listed.partition("\n")[0] if listed else "")
        rewrite_section("operators", summary, file=FRONT)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line; `modes` comes back as a list of names from MODES."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--limit", type=positive, help="stop after so many samples in all")
    parser.add_argument("--samples", type=positive, default=3, help="samples an operator (3)")
    parser.add_argument("--only", default="", help="operators whose name contains this")
    parser.add_argument("--stride", type=positive, default=1, help="every so many operators (1)")
    parser.add_argument("--modes", type=modes, default=list(MODES), help="fast, full, or both")
    parser.add_argument("--seed", type=int, default=1729)
    parser.add_argument("--no-secant", action="store_true", help="torch alone")
    parser.add_argument("--json", type=Path, help="write every outcome to this file")
    parser.add_argument("--readme", action="store_true", help="rewrite the section in README.md")
    return parser.parse_args(arguments)


def positive(text: str) -> int:
    """A whole number from one on."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 on; got {text!r}")
    return number


def modes(text: str) -> list[str]:
    """Names from MODES, separated by commas, in the order of MODES."""
    names = text.split(",")
    unknown = [name for name in names if name not in MODES]
    if unknown:
        raise argparse.ArgumentTypeError(
            f"expected names from {', '.join(MODES)}; got {unknown[0]!r}"
        )
    return [mode for mode in MODES if mode in names]


def run(cases: Sequence[Case], modes: Sequence[str], seed: int, *, with_secant: bool) -> list[Row]:
    """Judge every case in every mode; the two checkers take turns in going first.

    The function itself is called once, untimed, before: what its first call loads or allocates is
    nobody's cost. Both checkers are warmed up on a sine for the same reason.
    """
    judges = {"torch": judge_with_torch}
    if with_secant:
        judges["secant"] = judge_with_secant
    sine = Case("sine", "sine", torch.sin, (torch.ones(2, dtype=torch.double).requires_grad_(),), 2)
    for mode in modes:
        for judge in judges.values():
            judge(sine, mode, seed)
    gc.collect()
    gc.freeze()  # a collection would otherwise walk the whole database, in somebody's time

    rows = []
    questions = [
        (case, mode)
        for case in cases
        for mode in modes
        if mode == "fast" or case.size <= LARGEST_FULL
    ]
    progress = Progress(len(questions))
    asked: Counter[str] = Counter()  # by mode: counted over all, a mode would always see one order
    for number, (case, mode) in enumerate(questions):
        progress.show(number, f"{mode} {case.name}")
        with torch.random.fork_rng(devices=[]):
            case.function(*case.inputs)
        order = list(judges) if asked[mode] % 2 == 0 else list(reversed(judges))
        asked[mode] += 1
        outcomes = {name: judges[name](case, mode, seed) for name in order}
        rows.append(Row(case.name, case.size, mode, outcomes["torch"], outcomes.get("secant")))
    progress.show(len(questions), "done")
    return rows


class Progress:
    """A line on stderr at the start, every ten seconds, and at the end."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.start = time.monotonic()
        self.next = 0.0

    def show(self, done: int, doing: str) -> None:
        """Say how far the run is, unless that was said a moment ago."""
        elapsed = time.monotonic() - self.start
        if elapsed >= self.next or done == self.total:
            print(f"{elapsed:6.0f} s  {done}/{self.total}  {doing}", file=sys.stderr, flush=True)
            self.next = elapsed + 10


def summarise(rows: Iterable[Row], mode: str) -> Summary:
    """Count one mode's verdicts; add up its seconds where torch passes."""
    own = [row for row in rows if row.mode == mode]
    shared = [row for row in own if row.torch.verdict == "pass"]
    return Summary(
        mode=mode,
        checks=len(own),
        torch_verdicts=Counter(row.torch.verdict for row in own),
        secant_verdicts=Counter(row.secant.verdict for row in own if row.secant),
        shared_checks=len(shared),
        torch_seconds=sum(row.torch.seconds for row in shared),
        secant_seconds=sum(row.secant.seconds for row in shared if row.secant),
        median_ratio=statistics.median(
            [row.secant.seconds / row.torch.seconds for row in shared if row.secant] or [math.nan]
        ),
    )


def disputed(rows: Sequence[Row]) -> list[tuple[Row, Outcome]]:
    """The checks that secant does not pass though torch's slow mode accepts the gradient.

    Where the slow mode was not run on a case, torch's word in the row's own mode stands in for it.
    """
    slow = {row.name: row.torch.verdict for row in rows if row.mode == "full"}
    return [
        (row, row.secant)
        for row in rows
        if row.secant is not None
        and row.secant.verdict != "PASS"
        and slow.get(row.name, row.torch.verdict) == "pass"
    ]


HEADER = (
    ["mode", "checks"]
    + [f"torch {verdict}" for verdict in TORCH_VERDICTS]
    + [f"secant {verdict}" for verdict in SECANT_VERDICTS]
    + ["torch passes", "torch s", "secant s", "ratio", "median ratio"]
)


def cells(summary: Summary) -> list[str]:
    """One mode's line under HEADER."""
    has_secant = bool(summary.secant_verdicts)
    return [
        summary.mode,
        str(summary.checks),
        *(str(summary.torch_verdicts[verdict]) for verdict in TORCH_VERDICTS),
        *(
            str(summary.secant_verdicts[verdict]) if has_secant else ""
            for verdict in SECANT_VERDICTS
        ),
        str(summary.shared_checks),
        f"{summary.torch_seconds:.2f}",
        f"{summary.secant_seconds:.2f}" if has_secant else "",
        f"{summary.ratio:.2f}" if has_secant else "",
        f"{summary.median_ratio:.2f}" if has_secant else "",
    ]


def terminal_table(summaries: Sequence[Summary]) -> Table:
    """The summaries side by side, one column a mode: it fits the narrowest terminal."""
    table = Table(title="operators, float64, one thread; seconds on the checks that torch passes")
    table.add_column("mode")
    for summary in summaries:
        table.add_column(summary.mode, justify="right")
    columns = [cells(summary) for summary in summaries]
    for place, label in enumerate(HEADER[1:], start=1):
        table.add_row(label, *(column[place] for column in columns))
    return table


LISTED = "Gradients that torch's slow mode accepts and secant does not pass: "


def as_markdown(
    summaries: Sequence[Summary],
    disagreements: Sequence[tuple[Row, Outcome]],
    options: argparse.Namespace,
) -> str:
    """The section of README.md: how it was made, the counts, every disagreement."""
    part = "".join(
        f" --{name} {value}"
        for name, value in (
            ("limit", options.limit),
            ("only", options.only),
            ("stride", options.stride if options.stride > 1 else None),
            ("samples", options.samples if options.samples != 3 else None),
        )
        if value
    )
    lines = [
        f"`python benchmarks/operators.py{part} --readme`, "
        f"Python {platform.python_version()}, torch {torch.__version__}, seed {options.seed}. "
        "Seconds are totals over the checks that torch passes in that mode; the ratio is "
        "secant's over torch's, of the totals and, in the middle, of the single checks.",
        "",
        markdown_table(HEADER, [cells(summary) for summary in summaries]),
        "",
    ]
    if options.no_secant:
        lines.append("Torch alone.")
    elif not disagreements:
        lines.append("Every gradient that torch's slow mode accepts passes.")
    else:
        lines += [
            f"{LISTED}{len(disagreements)} checks.",
            "",
            "| check | mode | elements | verdict | reason |",
            "|---|---|---:|---|---|",
        ]
        for row, outcome in disagreements:
            reason = escape(outcome.reason)
            lines.append(
                f"| `{row.name}` | {row.mode} | {row.size} | {outcome.verdict} | {reason} |"
            )
    return "\n".join(lines)


def as_json(rows: Sequence[Row], options: argparse.Namespace) -> str:
    """Every outcome, with the versions and the seed that made it."""
    document = {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "seed": options.seed,
        "samples": options.samples,
        "stride": options.stride,
        "only": options.only,
        "limit": options.limit,
        "rows": [asdict(row) for row in rows],
    }
    return json.dumps(document, indent=1)


if __name__ == "__main__":
    main()
