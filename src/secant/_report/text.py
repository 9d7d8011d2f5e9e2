"""A report as plain text: one screen, the form every message has."""

from __future__ import annotations

from .document import Block, Row, compose
from .model import Report

_ASIDE = 48  # the column where asides begin


def render(report: Report) -> str:
    """Return the report as text."""
    return "\n".join(_block(block) for block in compose(report))


def _block(block: Block) -> str:
    width = max((len(row.label) for row in (*block.rows, *block.closing)), default=0)
    lines = [f"{block.verdict.name}  {block.title}"]
    lines += [_row(row, width) for row in block.rows]
    lines += _table(block.table) if block.table else []
    lines += [_row(row, width) for row in block.closing]
    return "\n".join(lines)


def _row(row: Row, width: int) -> str:
    text = row.text.replace("\n", "\n" + " " * (width + 4))
    line = f"  {row.label:<{width}}  {text}"
    return f"{line:<{_ASIDE}}  {row.aside}" if row.aside else line


def _table(rows: tuple[tuple[str, str, str], ...]) -> list[str]:
    header = ("entry", "claimed", "measured ± error")
    widths = [max(len(row[k]) for row in (header, *rows)) for k in range(3)]
    return [
        "    "
        + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (header, *rows)
    ]
