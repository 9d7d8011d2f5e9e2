"""Any document as JSON, and back from it."""

from __future__ import annotations

from typing import TypeVar

from ..document import Document
from .format import parsed, spelt
from .reading import reading, taken
from .writing import plain

Some = TypeVar("Some", bound=Document)


def dump(document: Document) -> str:
    """Return a document as JSON; NaN and infinities are spelt as strings, so that it is valid."""
    return spelt(plain(document))


def load(kind: type[Some], text: str) -> Some:
    """Read what `dump` wrote."""
    name = kind.__name__.lower()
    data = parsed(text, name)
    with reading(name):
        made = taken(kind, data)
        assert isinstance(made, kind)
        return made
