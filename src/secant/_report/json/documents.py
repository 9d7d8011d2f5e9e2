"""Any document as JSON, and back from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..comparison import Comparison
from ..document import Document
from ..localisation import Localisation
from ..model import Report
from ..suite import Suite
from . import comparison, localisation, report, suite
from .format import parsed, spelt

Some = TypeVar("Some", bound=Document)

_FIELDS: dict[type[Document], Callable[[Any], dict[str, Any]]] = {
    Report: report.fields_of,
    Comparison: comparison.fields_of,
    Localisation: localisation.fields_of,
    Suite: suite.fields_of,
}
_READ: dict[type[Document], Callable[[dict[str, Any]], Document]] = {
    Report: report.report_of,
    Comparison: comparison.comparison_of,
    Localisation: localisation.localisation_of,
    Suite: suite.suite_of,
}


def dump(document: Document) -> str:
    """Return a document as JSON; NaN and infinities are spelt as strings, so that it is valid."""
    return spelt(_FIELDS[type(document)](document))


def load(kind: type[Some], text: str) -> Some:
    """Read what `dump` wrote."""
    made = _READ[kind](parsed(text, kind.__name__.lower()))
    assert isinstance(made, kind)
    return made
