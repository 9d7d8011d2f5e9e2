"""A report for the terminal: the text's form, in colour."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from .._findings import Verdict
from .document import Block, Row, compose
from .model import Report

_COLOUR = {Verdict.PASS: "green", Verdict.FAIL: "red", Verdict.INCONCLUSIVE: "yellow"}


def render(report: Report) -> RenderableType:
    """Return the report as something rich can print."""
    return Group(*(part for block in compose(report) for part in _block(block)))


def _block(block: Block) -> list[RenderableType]:
    headline = Text(block.verdict.name, style=f"bold {_COLOUR[block.verdict]}")
    headline.append(f"  {block.title}", style="bold")
    parts: list[RenderableType] = [headline, _grid(block.rows)]
    if block.table:
        table = Table("entry", "claimed", "measured ± error", box=None, padding=(0, 2))
        for cells in block.table:
            table.add_row(*(Text(cell) for cell in cells))
        parts.append(table)
    if block.closing:
        parts.append(_grid(block.closing))
    return parts


def _grid(rows: tuple[Row, ...]) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", min_width=10)
    grid.add_column()
    grid.add_column(style="dim")
    for row in rows:
        grid.add_row(Text(f"  {row.label}"), Text(row.text), Text(row.aside))
    return grid
