"""A document as plain text: one screen, the form every message has."""

from __future__ import annotations

from collections.abc import Iterator

from ..document import Document
from .blocks import Block, Row, Table
from .compose import compose

_ASIDE = 48  # the column where asides begin


def spelt(document: Document) -> str:
    """Return the document as text."""
    return "\n".join(line for block in compose(document) for line in _lines(block))


def _lines(block: Block) -> Iterator[str]:
    width = max((len(row.label) for row in (*block.rows, *block.closing)), default=0)
    yield f"{block.outcome}  {block.title}"
    yield from (_row(row, width) for row in block.rows)
    for table in block.tables:
        yield from _table(table)
    for outcome, words in block.lines:
        yield f"  {outcome}{'  ' if outcome else ''}{words}"
    yield from (_row(row, width) for row in block.closing)


def _row(row: Row, width: int) -> str:
    text = row.text.replace("\n", "\n" + " " * (width + 4))
    line = f"  {row.label:<{width}}  {text}"
    return f"{line:<{_ASIDE}}  {row.aside}" if row.aside else line


def _table(table: Table) -> Iterator[str]:
    rows = (table.header, *table.rows)
    full = [row for row in rows if len(row) == len(table.header)]
    widths = [max(map(len, column)) for column in zip(*full, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=False))
        yield f"{' ' * table.depth}{'  '.join(cells)}".rstrip()
