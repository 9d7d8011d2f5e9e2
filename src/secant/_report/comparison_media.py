"""A comparison as text, for the terminal, and as JSON and back: one table, then what decides."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from .._findings import Verdict
from .._legible import legible
from .._words.comparisons import KERNEL_IS_NOT_FINITE
from .comparison import ComparedEntry, ComparedError, Comparison, ComparisonRow
from .document import Row, legible_row
from .fields import Misfit, reading, taken
from .json import FORMAT, parsed, spelt, spoken

if TYPE_CHECKING:
    from rich.console import RenderableType

_MOST_ROWS = 10
_ORDER = {Verdict.FAIL: 0, Verdict.INCONCLUSIVE: 1, Verdict.PASS: 2}
HEADER = ("", "", "error", "yardstick", "ratio", "worst", "yardstick", "ratio", "at")
ENTRIES = ("entry", "kernel", "truth", "yardstick", "ulps")
Cells = tuple[str, ...]


def text(comparison: Comparison) -> str:
    """Return the comparison as plain text."""
    rows = closing(comparison)
    width = max(len(row.label) for row in rows)
    lines = [f"{comparison.verdict.name}  {title(comparison)}"]
    lines += _aligned([HEADER, *table(comparison)], "  ")
    entries = worst_entries(comparison)
    lines += _aligned([ENTRIES, *entries], "    ") if entries else []
    for row in rows:
        words = row.text.replace("\n", "\n" + " " * (width + 4))
        line = f"  {row.label:<{width}}  {words}"
        lines.append(f"{line:<48}  {row.aside}" if row.aside else line)
    return "\n".join(lines)


def terminal(comparison: Comparison) -> RenderableType:
    """Return the comparison as something rich can print."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    colour = {Verdict.PASS: "green", Verdict.FAIL: "red", Verdict.INCONCLUSIVE: "yellow"}
    headline = Text(comparison.verdict.name, style=f"bold {colour[comparison.verdict]}")
    headline.append(f"  {title(comparison)}", style="bold")
    parts: list[RenderableType] = [headline]
    for header, cells in ((HEADER, table(comparison)), (ENTRIES, worst_entries(comparison))):
        if cells:
            grid = Table(*header, box=None, padding=(0, 1))
            for row in cells:
                grid.add_row(*map(Text, row))
            parts.append(grid)
    closes = Table.grid(padding=(0, 2))
    for one in closing(comparison):
        closes.add_row(Text(f"  {one.label}", style="dim"), Text(one.text), Text(one.aside))
    return Group(*parts, closes)


def dump(comparison: Comparison) -> str:
    """Return the comparison as JSON; NaN and infinities are spelt as strings."""
    fields = asdict(comparison)
    for row, data in zip(comparison.rows, fields["rows"], strict=True):
        data |= spoken(row)
        data["verdict"] = row.verdict.name
        for name, held in (("norm", row.norm), ("worst", row.worst)):
            if held is not None:
                data[name]["ratio"] = held.ratio
    head = {"format": FORMAT, "kind": "comparison", "verdict": comparison.verdict.name}
    return spelt({**head, **fields})


def load(text: str) -> Comparison:
    """Read what `dump` wrote."""
    data = parsed(text, "comparison")
    with reading("comparison"):
        if not isinstance(data["rows"], list):
            raise Misfit("rows are no list")
        head = ("format", "kind", "verdict")
        fields = {key: value for key, value in data.items() if key not in head}
        fields["rows"] = [_without_ratios(row) for row in data["rows"]]
        made: Comparison = taken(Comparison, fields)
        for row in made.rows:
            if any(held is not None and not held.limit > 0 for held in (row.norm, row.worst)):
                raise Misfit(f"{row.what} is held against a limit that is not positive")
        return made


def _without_ratios(row: Any) -> Any:
    """Leave out what is written for other readers."""
    if not isinstance(row, dict):
        return row
    return {
        key: {one: held[one] for one in held if one != "ratio"}
        if key in ("norm", "worst") and isinstance(held, dict)
        else held
        for key, held in row.items()
    }


def title(comparison: Comparison) -> str:
    """Return what was compared with what, and in which dtype."""
    has_gradients = any(row.is_gradient for row in comparison.rows)
    subject = "output and gradient" if has_gradients else "output"
    return legible(
        f"{subject} of `{comparison.name}` against `{comparison.reference}`, {comparison.dtype}"
    )


def table(comparison: Comparison) -> list[Cells]:
    """Return the cells of every row, the gravest first."""
    rows = sorted(comparison.rows, key=lambda row: _ORDER[row.verdict])
    return [tuple(map(legible, _cells(row))) for row in rows[:_MOST_ROWS]]


def worst_entries(comparison: Comparison) -> list[Cells]:
    """Return the worst entries of the row that decides, if it is not a PASS."""
    row = comparison.worst
    if row is None or row.verdict is Verdict.PASS:
        return []
    return [tuple(map(legible, entry_cells(entry))) for entry in row.entries]


def closing(comparison: Comparison) -> list[Row]:
    """Return what stands below the table."""
    rows = []
    more = len(comparison.rows) - _MOST_ROWS
    if more > 0:
        rows.append(Row("more", f"{more} more {'row' if more == 1 else 'rows'} in .rows"))
    worst = comparison.worst
    if worst is not None and worst.verdict is not Verdict.PASS:
        rows += _what_decides(worst)
    rows += [Row("note", note) for note in comparison.notes]
    cost = comparison.cost
    spent = f"{cost.evaluations} evaluations, {cost.pulls} pulls, {cost.seconds:.2g} s"
    if comparison:
        rows.append(Row("cost", spent, f"seed {comparison.seed}"))
    else:
        rows.append(Row("rerun", comparison.rerun))
    return list(map(legible_row, rows))


def _what_decides(row: ComparisonRow) -> list[Row]:
    rows = []
    is_hole = KERNEL_IS_NOT_FINITE.explains(row.reasons)
    kind = "not finite" if is_hole else "beyond the limit"
    count = "" if row.wrong is None else f"({row.wrong:,} of {row.size:,} entries {kind})"
    if row.region or count:
        rows.append(Row("where", f"{row.what}{', ' + row.region if row.region else ''}", count))
    if row.message:
        rows.append(
            Row("what", row.message if row.wrong is not None else f"{row.what}: {row.message}")
        )
    if row.cause:
        rows.append(Row("likely", row.cause))
    if row.advice:
        rows.append(Row("next", row.advice))
    return rows


def _cells(row: ComparisonRow) -> Cells:
    if row.norm is None or row.worst is None:
        where = row.entries[0].where if row.entries else ""
        return (row.verdict.name, row.what, *[""] * 6, where)
    mark = "~" if row.is_modelled else ""
    return (
        row.verdict.name,
        row.what,
        f"{row.norm.error:.1e}",
        f"{mark}{row.norm.yardstick:.1e}",
        _ratio(row.norm),
        f"{number(row.worst.error)} ulp",
        f"{mark}{number(row.worst.yardstick)} ulp",
        _ratio(row.worst),
        row.entries[0].where if row.entries else "",
    )


def _ratio(held: ComparedError) -> str:
    return f"{number(held.ratio)} of {held.limit:.2g}"


def number(value: float) -> str:
    """Spell a number above 0.01 without an exponent, as far as that is shorter."""
    if value >= 1e7:
        return f"{value:.1e}"
    return f"{value:,.0f}" if value >= 99.5 else f"{value:.2g}"


def entry_cells(entry: ComparedEntry) -> Cells:
    """Return an entry as it stands in a table."""
    yardstick = "" if entry.yardstick is None else f"{entry.yardstick:.6g}"
    return (
        entry.where,
        f"{entry.kernel:.6g}",
        f"{entry.truth:.6g}",
        yardstick,
        "" if math.isnan(entry.ulps) else number(entry.ulps),
    )


def _aligned(rows: list[Cells], indent: str) -> list[str]:
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [
        (
            indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
