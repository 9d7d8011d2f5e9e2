"""A comparison in words: one table, then what decides."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..._findings import Verdict
from ..._words.comparisons import KERNEL_IS_NOT_FINITE
from ..comparison import ComparedEntry, ComparedError, Comparison, ComparisonRow
from .blocks import Block, Cells, Row, Table

_MOST_ROWS = 10
_ORDER = {Verdict.FAIL: 0, Verdict.INCONCLUSIVE: 1, Verdict.PASS: 2}
_HEADER = ("", "", "error", "yardstick", "ratio", "worst", "yardstick", "ratio", "at")
_ENTRIES = ("entry", "kernel", "truth", "yardstick", "ulps")


def composed(comparison: Comparison) -> list[Block]:
    """Return the comparison as one block: a table of rows, the worst entries, what decides."""
    tables, closing = tuple(_tables(comparison)), tuple(_closing(comparison))
    return [Block(comparison.verdict.name, title(comparison), tables=tables, closing=closing)]


def title(comparison: Comparison) -> str:
    """Return what was compared with what, and in which dtype."""
    has_gradients = any(row.is_gradient for row in comparison.rows)
    subject = "output and gradient" if has_gradients else "output"
    return f"{subject} of `{comparison.name}` against `{comparison.reference}`, {comparison.dtype}"


def _tables(comparison: Comparison) -> Iterator[Table]:
    """Yield every row, the gravest first, and the worst entries of the one that decides."""
    rows = sorted(comparison.rows, key=lambda row: _ORDER[row.verdict])
    yield Table(_HEADER, tuple(map(_cells, rows[:_MOST_ROWS])))
    worst = comparison.worst
    if worst is not None and worst.verdict is not Verdict.PASS and worst.entries:
        yield Table(_ENTRIES, tuple(map(entry_cells, worst.entries)), depth=4)


def _closing(comparison: Comparison) -> list[Row]:
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
    return rows


def _what_decides(row: ComparisonRow) -> list[Row]:
    rows = []
    is_hole = KERNEL_IS_NOT_FINITE.explains(row.reasons)
    kind = "not finite" if is_hole else "beyond the limit"
    count = "" if row.wrong is None else f"({row.wrong:,} of {row.size:,} entries {kind})"
    if row.place or count:
        rows.append(Row("where", f"{row.what}{f', {row.picture}' if row.place else ''}", count))
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
