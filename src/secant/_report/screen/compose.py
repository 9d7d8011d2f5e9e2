"""Any document as the blocks of words that all media for people show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..comparison import Comparison
from ..document import Document
from ..localisation import Localisation
from ..model import Report
from ..screen import comparison, localisation, report, suite
from ..suite import Suite
from .blocks import Block, legible_block

_COMPOSED: dict[type[Document], Callable[[Any], list[Block]]] = {
    Report: report.composed,
    Comparison: comparison.composed,
    Localisation: localisation.composed,
    Suite: suite.composed,
}


def compose(document: Document) -> list[Block]:
    """Return the blocks a reader needs."""
    return [legible_block(block) for block in _COMPOSED[type(document)](document)]
