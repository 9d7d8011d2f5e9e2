"""The command line: `secant demo`, `secant version`.

Exit codes: 0 all is right, 1 something is wrong, 2 the question cannot be asked, 3 inconclusive.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer
from rich.console import Console

from ._errors import InputError, SecantError
from ._version import __version__

_WIDTH = 100  # columns where no terminal tells

app = typer.Typer(
    help="secant verifies gradients: right, wrong here by this much, or these numbers cannot tell.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@app.callback()
def _root() -> None:
    """Keep `demo` a command's name also when it is the only one."""


@app.command()
def demo(
    only: Annotated[
        list[int] | None, typer.Option("--only", metavar="N", help="Show exhibit N; repeatable.")
    ] = None,
    listing: Annotated[bool, typer.Option("--list", help="List the exhibits and stop.")] = False,
) -> None:
    """Walk through a gallery of derivatives, right and wrong, each with its verdict explained."""
    # Late, so that `secant version` need not wait for a framework.
    from ._backends.galleries import gallery
    from ._demo import list_exhibits, show_exhibits

    exhibits = gallery()
    console = _console()
    if listing:
        list_exhibits(console, exhibits)
        return
    everything = range(1, len(exhibits) + 1)
    numbers = only or everything
    for number in numbers:
        if number not in everything:
            raise InputError(
                f"expected `--only` to be a number from 1 to {len(exhibits)}; got {number}"
            )
    if not show_exhibits(console, exhibits, list(numbers)):
        raise typer.Exit(1)


@app.command()
def version() -> None:
    """Print the version."""
    print(f"secant {__version__}")


def main() -> None:
    """Run the command line; what cannot be asked ends with one line and exit code 2."""
    try:
        app()
    except SecantError as error:
        print(f"secant: {error}", file=sys.stderr)
        raise SystemExit(2) from None


def _console() -> Console:
    is_width_known = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(highlight=False, width=None if is_width_known else _WIDTH)
