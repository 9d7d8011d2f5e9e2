"""One way to a file for everything that is reported: the ending of its name chooses the medium."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from .._errors import expected


class Saved(Protocol):
    """What has words for people, and JSON for machines."""

    def to_json(self) -> str:
        """Return it as JSON."""


def save(
    document: Saved, path: str | Path, page: Callable[[Any], str], words: Callable[[Any], str]
) -> Path:
    """Write a document to a file, as a page or in words. Nothing is written on an error."""
    path = Path(path)
    if path.suffix == ".json":
        text = document.to_json()
    elif path.suffix == ".txt":
        text = f"{words(document)}\n"
    elif path.suffix == ".html":
        text = page(document)
    else:
        raise expected("path", "a file name that ends in .json, .txt or .html", str(path))
    path.write_text(text, encoding="utf-8")
    return path
