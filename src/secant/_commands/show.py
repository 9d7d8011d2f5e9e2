"""`secant show REPORT`: a report of any kind, from its JSON to the terminal or to a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .._errors import expected
from .exits import leave
from .printing import show as print_report
from .printing import write


def show(
    report: Annotated[
        str,
        typer.Argument(
            metavar="REPORT",
            show_default=False,
            help="JSON of a check, a comparison, a localisation or a suite; - is standard input.",
        ),
    ],
    html: Annotated[
        str | None,
        typer.Option("--html", metavar="FILE", help="Write a page to FILE.html instead."),
    ] = None,
) -> None:
    """Show a report that was saved as JSON; the exit code is that of its verdict."""
    from .reading import load, outcome

    if html is not None and Path(html).suffix != ".html":
        raise expected("html", "a file name that ends in .html", html)
    thing = load(report)
    if html is None:
        print_report(thing)
    else:
        thing.save(html)
        write(f"wrote {html}")
    leave(outcome(thing))
