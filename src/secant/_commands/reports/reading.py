"""A report of any kind, read from the JSON that secant wrote."""

from __future__ import annotations

import sys
from pathlib import Path

from ..._errors import InputError
from ..._report.comparison import Comparison
from ..._report.json.format import document_in
from ..._report.localisation import Localisation
from ..._report.model import Report
from ..._report.suite import Suite

Anything = Report | Comparison | Localisation | Suite
_KINDS: dict[str, type[Anything]] = {
    "report": Report,
    "comparison": Comparison,
    "localisation": Localisation,
    "suite": Suite,
}


def load(name: str) -> Anything:
    """Return the report in a file, or on standard input where the name is a dash."""
    text = _text(name)
    try:
        kind = document_in(text).get("kind")
    except InputError:
        kind = None
    if not isinstance(kind, str) or kind not in _KINDS:
        raise InputError(
            f"expected {name} to be JSON that secant wrote (a {', a '.join(_KINDS)}); it is not"
        )
    try:
        return _KINDS[kind].from_json(text)
    except InputError as error:
        raise InputError(f"{name}: {error}") from error


def outcome(thing: Anything) -> str:
    """Return the name of a verdict, or a suite's outcome."""
    return thing.outcome if isinstance(thing, Suite) else thing.verdict.name


def _text(name: str) -> str:
    if name == "-":
        return sys.stdin.read()
    file = Path(name)
    if not file.is_file():
        raise InputError(f"there is no file {name}")
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"expected {name} to be JSON that secant wrote; {error}") from error
