"""The command line: every command of `_commands/`, put together.

Exit codes: 0 all is right, 1 something is wrong, 2 the question cannot be asked, 3 inconclusive.
"""

from __future__ import annotations

import typer

from ._commands.audit import audit
from ._commands.check import check
from ._commands.demo import demo
from ._commands.diff import diff
from ._commands.exits import guarded
from ._commands.show import show
from ._commands.version import version

_EPILOG = "Exit codes: 0 pass, 1 fail, 2 the question cannot be asked, 3 inconclusive."

app = typer.Typer(
    help="secant verifies gradients: right, wrong here by this much, or these numbers cannot tell.",
    epilog=_EPILOG,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

for _command in (check, audit, show, diff, demo, version):
    app.command(epilog=_EPILOG)(guarded(_command))


@app.callback()
def _root() -> None:
    """Keep a command's name also when it is the only one."""


def main() -> None:
    """Run the command line."""
    app()
