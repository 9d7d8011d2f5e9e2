"""How a command ends: its exit code, and one line where the question could not be asked.

0 all is right, 1 something is wrong, 2 the question cannot be asked, 3 the numbers cannot tell;
130 the user interrupted.
"""

from __future__ import annotations

import functools
import sys
import traceback
from collections.abc import Callable
from typing import Any

import typer

from .._errors import FunctionRaised, SecantError, spell
from .._legible import encodable, legible_lines
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
            _say("\n".join(lines))
            raise typer.Exit(USAGE) from None
        except (OSError, MemoryError) as error:
            _say(f"secant: {spell(error)}")
            raise typer.Exit(USAGE) from None
        except SystemExit as error:  # whatever its code says, nothing was verified
            lines = [f"secant: the code under test ended the program ({spell(error)})"]
            _say("\n".join([*lines, *where_raised(error)]))
            raise typer.Exit(USAGE) from None
        except KeyboardInterrupt:
            typer.echo("secant: interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except (typer.Exit, typer.Abort):
            raise
        except Exception:  # a mistake of ours, which is no verdict: 1 would say that it is one
            typer.echo(traceback.format_exc(), err=True)
            raise typer.Exit(USAGE) from None

    return run


def _say(words: str) -> None:
    """Print what went wrong to standard error; only its first line begins at the margin."""
    first, *others = legible_lines(words)
    lines = [first, *(one if one.startswith("  ") else f"  {one}" for one in others)]
    typer.echo(encodable("\n".join(lines), sys.stderr), err=True)
