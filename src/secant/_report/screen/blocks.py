"""Words before any medium: a headline, labelled rows, tables, and rows that close it."""

from __future__ import annotations

from dataclasses import dataclass

from ..._legible import legible, legible_lines

Cells = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A label, what it says, and an aside."""

    label: str
    text: str
    aside: str = ""
    link: str = ""  # where a page leads from here


@dataclass(frozen=True, slots=True)
class Table:
    """Cells below a header; a row of fewer cells is one remark across all columns."""

    header: Cells
    rows: tuple[Cells, ...]
    depth: int = 2  # how far it stands in


@dataclass(frozen=True, slots=True)
class Block:
    """One finding, or the summary, ready for any medium; `lines` begin with an outcome, or none."""

    outcome: str
    title: str
    rows: tuple[Row, ...] = ()
    tables: tuple[Table, ...] = ()
    lines: tuple[tuple[str, str], ...] = ()
    closing: tuple[Row, ...] = ()


def legible_block(block: Block) -> Block:
    """Return a block in which nothing is hidden, and no line of one row looks like another row."""
    return Block(
        block.outcome,
        legible(block.title),
        tuple(map(_legible_row, block.rows)),
        tuple(map(_legible_table, block.tables)),
        tuple((outcome, legible(words)) for outcome, words in block.lines),
        tuple(map(_legible_row, block.closing)),
    )


def _legible_row(row: Row) -> Row:
    """Return a row that can be printed; what it says may have several lines."""
    return Row(row.label, "\n".join(legible_lines(row.text)), legible(row.aside), legible(row.link))


def _legible_table(table: Table) -> Table:
    rows = tuple(tuple(map(legible, cells)) for cells in table.rows)
    return Table(table.header, rows, table.depth)


def plural(count: int, word: str) -> str:
    """Return the word for so many.

    >>> plural(1, "push"), plural(2, "push")
    ('push', 'pushes')
    """
    return word if count == 1 else f"{word}{'es' if word.endswith('sh') else 's'}"
