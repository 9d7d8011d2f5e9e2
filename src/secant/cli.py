"""The command line: every command of `_commands/`, put together.

Exit codes: 0 all is right, 1 something is wrong, 2 the question cannot be asked, 3 inconclusive.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated

import typer
from typer import rich_utils

from ._commands.audit import audit
from ._commands.check import check
from ._commands.compare import compare
from ._commands.demo import demo
from ._commands.diff import diff
from ._commands.exits import guarded
from ._commands.localise import localise
from ._commands.show import show
from ._commands.version import version
from ._legible import ERRORS

_EPILOG = "Exit codes: 0 pass, 1 fail, 2 the question cannot be asked, 3 inconclusive."
_EPILOGS: dict[object, str] = {
    diff: "Exit codes: 0 nothing got worse, 1 something did, 2 the question cannot be asked."
}
_HELP = {"help_option_names": ["-h", "--help"]}

app = typer.Typer(
    help="secant verifies gradients: right, wrong here by this much, or these numbers cannot tell.",
    epilog=_EPILOG,
    add_completion=False,
    no_args_is_help=True,
    context_settings=_HELP,
    pretty_exceptions_enable=False,
)

for _command in (check, localise, compare, audit, show, diff, demo, version):
    epilog = _EPILOGS.get(_command, _EPILOG)
    app.command(epilog=epilog, context_settings=_HELP)(guarded(_command))


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        version()
        raise typer.Exit


@app.callback()
def _root(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and stop."
        ),
    ] = False,
) -> None:
    """Keep a command's name also when it is the only one."""


def main() -> None:
    """Run the command line; what a stream cannot encode is spelt in ASCII."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ERRORS)
    if os.environ.get("NO_COLOR"):
        rich_utils.COLOR_SYSTEM = None  # its help would still be bold
    app()
