"""What a notebook shows of a document: a few lines of HTML, no script, no dependency.

Every word is escaped here; colours are such that they can be read on light and on dark ground.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

from ..document import Document
from .blocks import Block, Row
from .compose import compose

SIGNS = {"PASS": "✓", "FAIL": "✗", "INCONCLUSIVE": "?", "REFUSED": "–", "EXPECTED": "≈"}
_COLOUR = {
    "PASS": "#1a7f37",
    "FAIL": "#cf222e",
    "INCONCLUSIVE": "#9a6700",
    "REFUSED": "#8250df",
    "EXPECTED": "#57606a",
}
_CELL = "text-align:left;vertical-align:top;padding:1px 14px 1px 0;border:0;background:none"
_MUTED = "opacity:.65"
_MONO = "font-family:monospace"


def shown(document: Document) -> str:
    """Return a document as a notebook shows it."""
    parts = "".join(part for block in compose(document) for part in _block(block))
    return f'<div style="line-height:1.5;max-width:110ch">{parts}</div>'


def _block(block: Block) -> Iterator[str]:
    yield f'<div style="margin:4px 0">{_outcome(block.outcome)} <b>{_words(block.title)}</b></div>'
    if block.rows:
        yield _rows(block.rows)
    for table in block.tables:
        yield _table(table.header, table.rows)
    for outcome, words in block.lines:
        yield f"<div>{_outcome(outcome)}  {_words(words)}</div>"
    if block.closing:
        yield _rows(block.closing)


def _outcome(name: str) -> str:
    if not name:
        return ""
    return f'<b style="color:{_COLOUR[name]}">{SIGNS[name]} {name}</b>'


def _rows(rows: Sequence[Row]) -> str:
    cells = "".join(
        f'<tr style="background:none"><td style="{_CELL};{_MUTED}">{_words(row.label)}</td>'
        f'<td style="{_CELL}">{_words(row.text)} '
        f'<span style="{_MUTED}">{_words(row.aside)}</span></td></tr>'
        for row in rows
    )
    return f'<table style="border:0;margin:0 0 6px 14px">{cells}</table>'


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th style="{_CELL};{_MUTED}">{_words(word)}</th>' for word in header)
    body = "".join(
        '<tr style="background:none">'
        + "".join(f'<td style="{_CELL};{_MONO};white-space:pre">{_cell(cell)}</td>' for cell in row)
        + "</tr>"
        for row in rows
    )
    return (
        f'<table style="border:0;margin:0 0 6px 14px"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )


def _cell(text: str) -> str:
    return _outcome(text) if text in SIGNS else _words(text)


def _words(text: str) -> str:
    return html.escape(text)
