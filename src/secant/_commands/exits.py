"""How a command ends: its exit code, and one line where the question could not be asked.

0 all is right, 1 something is wrong, 2 the question cannot be asked, 3 the numbers cannot tell;
130 the user interrupted.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import typer

from .._errors import FunctionRaised, SecantError
from .frames import where_raised

PASS, FAIL, USAGE, INCONCLUSIVE, INTERRUPTED = 0, 1, 2, 3, 130
_CODES = {"PASS": PASS, "FAIL": FAIL, "REFUSED": USAGE, "INCONCLUSIVE": INCONCLUSIVE}


def leave(outcome: str) -> None:
    """End the command with the exit code of a verdict's name, or of a suite's outcome."""
    raise typer.Exit(_CODES[outcome])


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command end with one line and exit code 2 for every error that secant raises."""

    @functools.wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
        try:
            command(*arguments, **options)
        except SecantError as error:
            lines = [f"secant: {error}"]
            if isinstance(error, FunctionRaised) and error.__cause__ is not None:
                lines += where_raised(error.__cause__)
            typer.echo("\n".join(lines), err=True)
            raise typer.Exit(USAGE) from None
        except KeyboardInterrupt:
            typer.echo("secant: interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None

    return run
