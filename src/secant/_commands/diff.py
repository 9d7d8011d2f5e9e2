"""`secant diff OLD NEW`: what changed between two reports; an exit code for what got worse."""

from __future__ import annotations

from typing import Annotated

import typer

from .exits import FAIL, PASS
from .printing import show


def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", show_default=False, help="JSON of before.")],
    new: Annotated[str, typer.Argument(metavar="NEW", show_default=False, help="JSON of after.")],
) -> None:
    """Say what changed between two reports or two suites.

    Exit code 1 if a check has a graver outcome than before, or one that fails is new; 0 otherwise,
    also where both fail alike.
    """
    from .reports.differences import compare
    from .reports.reading import load

    difference = compare(load(old), load(new))
    show(difference)
    raise typer.Exit(FAIL if difference.is_worse else PASS)
