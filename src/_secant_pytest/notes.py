"""Hypothesis's explanation of a failure, without the lines of secant that ran because of it.

Hypothesis lists the lines that only failing examples ran. A check that fails looks closer, so that
most of them are secant's own, and say nothing about the function under test.
"""

from __future__ import annotations

import sys
from pathlib import Path

_HEADING = "Explanation:"
_MORE = "(and "


def trim_notes(error: BaseException) -> None:
    """Take secant's lines out of what Hypothesis noted on an exception, and what is then empty."""
    notes = getattr(error, "__notes__", None)
    if not isinstance(notes, list):
        return
    folders = _folders()
    lines = [line for note in notes for line in str(note).splitlines()]
    kept: list[str] = []
    explanation: list[str] | None = None
    for line in lines:
        if line.strip() == _HEADING:
            explanation = [line]
        elif explanation is None:
            kept.append(line)
        elif line.startswith("    "):
            explanation.append(line)
        else:
            kept += [*_helpful(explanation, folders), line]
            explanation = None
    kept += _helpful(explanation or [], folders)
    notes[:] = kept


def _helpful(explanation: list[str], folders: tuple[str, ...]) -> list[str]:
    """Return an explanation's heading and the lines that are not secant's; nothing without any."""
    heading, lines = explanation[:2], explanation[2:]
    own = [line for line in lines if not line.strip().startswith((*folders, _MORE))]
    return [*heading, *own] if own else []


def _folders() -> tuple[str, ...]:
    modules = (sys.modules.get("secant"), sys.modules[__package__])
    files = [module.__file__ for module in modules if module is not None]
    return tuple(str(Path(file).parent) for file in files if file is not None)
