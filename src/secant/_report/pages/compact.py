"""What a notebook shows of a result: a few lines of HTML, no script, no dependency.

Every word is escaped here; colours are such that they can be read on light and on dark ground.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from .. import comparison_media, localisation_media, suite_media
from ..comparison import Comparison
from ..document import Block, Row, compose
from ..localisation import Localisation
from ..model import Report
from ..suite import Suite
from .view import SIGNS

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


def report(one: Report) -> str:
    """Return a report as a notebook shows it."""
    return _whole(part for block in compose(one) for part in _block(block))


def comparison(one: Comparison) -> str:
    """Return a comparison as a notebook shows it."""
    parts = [
        _headline(one.verdict.name, comparison_media.title(one)),
        _table(comparison_media.HEADER, comparison_media.table(one)),
    ]
    entries = comparison_media.worst_entries(one)
    if entries:
        parts.append(_table(comparison_media.ENTRIES, entries))
    return _whole([*parts, _rows(comparison_media.closing(one))])


def localisation(one: Localisation) -> str:
    """Return a localisation as a notebook shows it."""
    return _whole(
        [
            _headline(one.verdict.name, localisation_media.title(one)),
            _table(localisation_media.HEADER, localisation_media.table(one)),
            _rows(localisation_media.closing(one)),
        ]
    )


def suite(one: Suite) -> str:
    """Return a suite as a notebook shows it."""
    headline = suite_media.headline(one).removeprefix(one.outcome).strip()
    grave = [(outcome, line.removeprefix(outcome)) for outcome, line in suite_media.lines(one)]
    lines = [f"<div>{_outcome(outcome)}{_words(line)}</div>" for outcome, line in grave]
    return _whole([_headline(one.outcome, headline), *lines])


def _whole(parts: Iterable[str]) -> str:
    return f'<div style="line-height:1.5;max-width:110ch">{"".join(parts)}</div>'


def _block(block: Block) -> list[str]:
    parts = [_headline(block.verdict.name, block.title), _rows(block.rows)]
    if block.table:
        parts.append(_table(("entry", "claimed", "measured ± error"), block.table))
    if block.closing:
        parts.append(_rows(block.closing))
    return parts


def _headline(outcome: str, title: str) -> str:
    return f'<div style="margin:4px 0">{_outcome(outcome)} <b>{_words(title)}</b></div>'


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
