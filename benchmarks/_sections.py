"""The tables of `README.md` and `docs/measured.md`, between markers, rewritten by their scripts.

Takes a section's name and its Markdown, and puts it between ``<!-- name:begin -->`` and
``<!-- name:end -->``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

__all__ = ["FRONT", "README", "escape", "markdown_table", "rewrite_section"]

README = Path(__file__).with_name("README.md")
FRONT = README.parent.parent / "docs" / "measured.md"


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; the first column is text, the others are numbers and stand right."""
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(escape(cell) for cell in line) + " |" for line in lines)


def escape(cell: str) -> str:
    """A cell's text, with what would end the cell or open a tag made harmless."""
    return cell.replace("|", "\\|").replace("<", "&lt;")


def rewrite_section(name: str, markdown: str, *, file: Path = README) -> None:
    """Replace what stands between a section's markers, and refuse a file that lacks them."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    text = file.read_text(encoding="utf-8")
    before, found_begin, rest = text.partition(begin)
    _, found_end, after = rest.partition(end)
    if not (found_begin and found_end):
        raise SystemExit(f"expected {file.name} to hold {begin} and {end}, in this order")
    file.write_text(f"{before}{begin}\n{markdown.strip()}\n{end}{after}", encoding="utf-8")
