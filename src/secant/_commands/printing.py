"""What commands print with: a console of a known width, and a reader who may leave early."""

from __future__ import annotations

import os
import sys

from rich.console import Console

from .._legible import encodable
from .._report.screen.terminal import coloured

_WIDTH = 100  # columns where no terminal tells


class _Console(Console):
    """A console that goes on in silence when nobody reads any more: the exit code still counts."""

    def on_broken_pipe(self) -> None:
        silence()


def console() -> Console:
    """Return a console for standard output."""
    is_width_known = sys.stdout.isatty() or "COLUMNS" in os.environ
    width = None if is_width_known else _WIDTH
    if os.environ.get("NO_COLOR"):  # rich would still print in bold
        return _Console(highlight=False, width=width, color_system=None)
    return _Console(highlight=False, width=width)


def write(text: str) -> None:
    """Write a text and a new line to standard output, as it is."""
    try:
        sys.stdout.write(f"{encodable(text)}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        silence()


def silence() -> None:
    """Send what is still to be printed nowhere, also what Python flushes at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def show(shown: object) -> None:
    """Print the text of a report, in colour on a terminal.

    Lines are not broken, so that the command to run again can be copied.
    """
    out = console()
    for line in coloured(str(shown)).split():
        out.print(line, soft_wrap=True)
