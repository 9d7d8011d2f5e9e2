"""The operator benchmark's rows, counted and laid out.

Takes one `Row` a case and mode, and gives a `Summary` for every mode and checker, a table of them
for the terminal and one for README.md, and the gradients over which the checkers differ.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.table import Table

from _judges import VERDICTS, Outcome
from _running import geometric_mean, spread
from _sections import escape, markdown_table

__all__ = [
    "LISTED",
    "Row",
    "Summary",
    "disputed",
    "listing",
    "summarise",
    "terminal_tables",
    "told",
]

# What the drop-in may take of torch's time in the same mode, in total.
MOST = {("fast", "secant.torch"): 1.0, ("full", "secant.torch"): 0.1}


@dataclass(frozen=True)
class Row:
    """One case in one mode, judged by all."""

    name: str
    size: int
    mode: str
    outcomes: dict[str, Outcome]  # by checker; torch's is always there


@dataclass(frozen=True)
class Summary:
    """One checker's counts in one mode and, over the checks that torch passes, its seconds."""

    mode: str
    checker: str
    checks: int
    verdicts: Counter[str]
    seconds: float
    ratio: float  # times torch's total; below one is faster
    mean_ratio: float  # the geometric mean over single checks: no slow operator decides it
    evaluations: str  # of checks that pass: the median and the 99th percentile
    pulls: str


def summarise(rows: Iterable[Row], mode: str, checker: str) -> Summary:
    """Count one checker's verdicts in one mode; add up its seconds where torch passes."""
    own = [row.outcomes for row in rows if row.mode == mode]
    shared = [told for told in own if told["torch"].verdict == "pass"]
    seconds = sum(told[checker].seconds for told in shared)
    torch_seconds = sum(told["torch"].seconds for told in shared)
    singles = [told[checker].seconds / told["torch"].seconds for told in shared]
    passing = [told[checker] for told in own if told[checker].verdict == "pass"]
    return Summary(
        mode=mode,
        checker=checker,
        checks=len(own),
        verdicts=Counter(told[checker].verdict for told in own),
        seconds=seconds,
        ratio=seconds / torch_seconds if torch_seconds else math.nan,
        mean_ratio=geometric_mean(singles),
        evaluations=spread([one.evaluations for one in passing if one.evaluations is not None]),
        pulls=spread([one.pulls for one in passing if one.pulls is not None]),
    )


def disputed(rows: Sequence[Row]) -> list[tuple[Row, str]]:
    """The checks that one of ours does not pass though torch's slow mode accepts the gradient.

    Where the slow mode was not run on a case, torch's word in the row's own mode stands in for it.
    """
    slow = {row.name: row.outcomes["torch"].verdict for row in rows if row.mode == "full"}
    return [
        (row, checker)
        for row in rows
        for checker, outcome in row.outcomes.items()
        if checker != "torch"
        and outcome.verdict != "pass"
        and slow.get(row.name, row.outcomes["torch"].verdict) == "pass"
    ]


COUNTED = ("evaluations, median and 99 %", "pulls")
HEADER = ("mode", "checker", "checks", *VERDICTS, "seconds", "ratio", "geometric mean", *COUNTED)


def cells(summary: Summary) -> list[str]:
    """One summary's line under HEADER."""
    most = MOST.get((summary.mode, summary.checker), math.inf)
    above = f" (above {most:g})" if summary.ratio > most else ""
    is_torch = summary.checker == "torch"
    return [
        summary.mode,
        summary.checker,
        str(summary.checks),
        *(str(summary.verdicts[verdict]) for verdict in VERDICTS),
        f"{summary.seconds:.2f}",
        "" if is_torch else f"{summary.ratio:.2f}{above}",
        "" if is_torch else f"{summary.mean_ratio:.2f}",
        summary.evaluations,
        summary.pulls,
    ]


def terminal_tables(summaries: Sequence[Summary]) -> list[Table]:
    """One table a mode, one column a checker: it fits the narrowest terminal."""
    tables = []
    for mode in dict.fromkeys(summary.mode for summary in summaries):
        columns = [cells(summary) for summary in summaries if summary.mode == mode]
        table = Table(
            title=f"operators, {mode} mode, float64, one thread; seconds where torch passes"
        )
        table.add_column(HEADER[1])
        for column in columns:
            table.add_column(column[1], justify="right")
        for place, label in enumerate(HEADER[2:], start=2):
            table.add_row(label, *(column[place] for column in columns))
        tables.append(table)
    return tables


def told(summaries: Sequence[Summary]) -> str:
    """The summaries as a Markdown table."""
    return markdown_table(HEADER, [cells(summary) for summary in summaries])


LISTED = "Gradients that torch's slow mode accepts and secant does not pass: "


def listing(disagreements: Sequence[tuple[Row, str]]) -> list[str]:
    """Every disagreement, as lines of Markdown that begin with LISTED."""
    lines = [
        f"{LISTED}{len(disagreements)} checks.",
        "",
        "| check | mode | checker | elements | verdict | reason |",
        "|---|---|---|---:|---|---|",
    ]
    for row, checker in disagreements:
        outcome = row.outcomes[checker]
        lines.append(
            f"| `{row.name}` | {row.mode} | {checker} | {row.size} | {outcome.verdict} | "
            f"{escape(outcome.reason)} |"
        )
    return lines
