"""The precision benchmark's rows, counted and laid out.

Takes one `Row` a dtype, plant and case, and gives a `Count` for every dtype, plant and checker,
held against what is asked of secant; a table of them for the terminal, one for each README, and
the right gradients that were called wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.table import Table

from _judges import VERDICTS, Outcome
from _scaled import Plant
from _sections import escape, markdown_table

__all__ = [
    "Count",
    "Row",
    "count",
    "false_alarms",
    "front_table",
    "full_table",
    "listing",
    "misses",
    "terminal_tables",
    "not_told",
]

# What is asked of secant, in parts of the checks.
MOST_INCONCLUSIVE = {"float32": 0.05, "bfloat16": 0.10, "float16": 0.10}  # plant "right"
LEAST_CAUGHT = {"float32": 0.95, "bfloat16": 0.80, "float16": 0.80}  # plant "wrong"


@dataclass(frozen=True)
class Row:
    """One case with one plant, judged."""

    name: str
    size: int
    dtype: str
    plant: Plant
    outcomes: dict[str, Outcome]  # by checker


@dataclass(frozen=True)
class Count:
    """One checker's verdicts on one plant in one dtype."""

    dtype: str
    plant: Plant
    checker: str
    verdicts: Counter[str]

    @property
    def checks(self) -> int:
        """How many there are."""
        return self.verdicts.total()

    def share(self, verdict: str) -> float:
        """The part of the checks with this verdict; of none at all, nothing."""
        return self.verdicts[verdict] / self.checks if self.checks else 0.0


def count(rows: Sequence[Row]) -> list[Count]:
    """Count by dtype, plant and checker, in the order of the rows."""
    groups: dict[tuple[str, Plant, str], Counter[str]] = {}
    for row in rows:
        for checker, outcome in row.outcomes.items():
            group = groups.setdefault((row.dtype, row.plant, checker), Counter())
            group[outcome.verdict] += 1
    return [Count(*key, verdicts) for key, verdicts in groups.items()]


HEADER = ("gradients", "checker", "checks", *VERDICTS, "inconclusive, %", "caught, %")


def cells(one: Count) -> list[str]:
    """One count's line under HEADER."""
    verdicts = {verdict: str(one.verdicts[verdict]) for verdict in VERDICTS}
    if not one.plant.is_wrong and one.checker == "secant" and one.verdicts["fail"]:
        verdicts["fail"] += " (above 0)"
    return [
        one.plant.label,
        one.checker,
        str(one.checks),
        *verdicts.values(),
        "" if one.plant.is_wrong else inconclusive(one),
        caught(one) if one.plant.is_wrong else "",
    ]


def inconclusive(one: Count) -> str:
    """The share that could not be told, and a word where it is more than it may be."""
    most = MOST_INCONCLUSIVE[one.dtype]
    share = one.share("inconclusive")
    is_asked = one.checker == "secant" and one.plant.is_bare
    return f"{share:.1%}" + (f" (above {most:.0%})" if is_asked and share > most else "")


def caught(one: Count) -> str:
    """The share that was called wrong, and a word where it is less than it should be."""
    least = LEAST_CAUGHT[one.dtype]
    share = one.share("fail")
    is_asked = one.checker == "secant" and one.plant.is_wrong_in_float64
    return f"{share:.1%}" + (f" (below {least:.0%})" if is_asked and share < least else "")


def terminal_tables(counts: Sequence[Count]) -> list[Table]:
    """One table a dtype, one line a plant and checker."""
    tables = []
    for dtype in dict.fromkeys(one.dtype for one in counts):
        table = Table(title=f"right and wrong gradients in {dtype}")
        for place, label in enumerate(HEADER):
            table.add_column(label, justify="left" if place < 2 else "right", no_wrap=True)
        for one in counts:
            if one.dtype == dtype:
                table.add_row(*cells(one))
        tables.append(table)
    return tables


def full_table(counts: Sequence[Count]) -> str:
    """Every count, as Markdown."""
    return markdown_table(("dtype", *HEADER), [[one.dtype, *cells(one)] for one in counts])


FRONT_HEADER = (
    "dtype",
    "right gradients",
    "torch calls wrong",
    "secant calls wrong",
    "secant cannot tell",
    "wrong gradients",
    "secant catches",
)


def front_table(counts: Sequence[Count]) -> str:
    """One line a dtype: what happens to right gradients, and to wrong ones."""
    found = {(one.dtype, one.plant.name, one.checker): one for one in counts}
    lines = []
    for dtype in dict.fromkeys(one.dtype for one in counts):
        right, wrong = (found[dtype, name, "secant"] for name in ("right", "wrong"))
        torchs = found[dtype, "right", "torch"]
        lines.append(
            (
                dtype,
                str(right.checks),
                f"{torchs.verdicts['fail']} ({torchs.share('fail'):.0%})",
                str(right.verdicts["fail"]),
                f"{right.verdicts['inconclusive']} ({inconclusive(right)})",
                str(wrong.checks),
                f"{wrong.verdicts['fail']} ({caught(wrong)})",
            )
        )
    return markdown_table(FRONT_HEADER, lines)


def false_alarms(rows: Iterable[Row]) -> list[Row]:
    """The right gradients that secant called wrong."""
    return [row for row in rows if not row.plant.is_wrong and verdict_of(row) == "fail"]


def not_told(rows: Iterable[Row]) -> list[Row]:
    """The right gradients that secant did not pass, and did not call wrong either."""
    return [
        row for row in rows if not row.plant.is_wrong and verdict_of(row) not in ("pass", "fail")
    ]


def misses(rows: Iterable[Row]) -> list[Row]:
    """The wrong gradients that secant did not call wrong."""
    return [row for row in rows if row.plant.is_wrong and verdict_of(row) != "fail"]


def verdict_of(row: Row) -> str:
    """Secant's word on a row."""
    return row.outcomes["secant"].verdict


def listing(rows: Sequence[Row]) -> str:
    """The right gradients that secant called wrong, as Markdown."""
    alarms = false_alarms(rows)
    if not alarms:
        return "No right gradient is called wrong by secant."
    lines = [
        f"Right gradients that secant calls wrong: {len(alarms)} checks.",
        "",
        "| check | dtype | gradients | elements | reason |",
        "|---|---|---|---:|---|",
    ]
    lines += [
        f"| `{row.name}` | {row.dtype} | {row.plant.label} | {row.size} | "
        f"{escape(row.outcomes['secant'].reason)} |"
        for row in alarms
    ]
    return "\n".join(lines)
