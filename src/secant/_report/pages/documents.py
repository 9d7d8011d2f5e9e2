"""Any document as one page that needs nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..comparison import Comparison
from ..document import Document
from ..localisation import Localisation
from ..model import Report
from ..pages import comparison, index, localisation, report
from ..suite import Suite

_RENDERED: dict[type[Document], Callable[[Any], str]] = {
    Report: report.render,
    Comparison: comparison.render,
    Localisation: localisation.render,
    Suite: index.render,
}


def render(document: Document) -> str:
    """Return the page of a document."""
    return _RENDERED[type(document)](document)
