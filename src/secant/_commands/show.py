"""`secant show REPORT`: a report of any kind, from its JSON to the terminal or to a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .._errors import InputError, expected
from .exits import leave
from .printing import show as print_report
from .printing import write

if TYPE_CHECKING:
    from .._report.model import Report
    from .reports.reading import Anything


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
    again: Annotated[
        bool,
        typer.Option("--judge", help="Judge a check's evidence again, by today's rules."),
    ] = False,
) -> None:
    """Show a report that was saved as JSON; the exit code is that of its verdict."""
    from .reports.reading import load, outcome

    if html is not None and Path(html).suffix != ".html":
        raise expected("html", "a file name that ends in .html", html)
    thing = load(report)
    if again:
        thing = _judged_again(thing)
    if html is None:
        print_report(thing)
    else:
        thing.save(html)
        write(f"wrote {html}")
    leave(outcome(thing))


def _judged_again(thing: Anything) -> Report:
    """Judge a check again, and say which of its verdicts have become others."""
    from .._report.again import changes, judged_again
    from .._report.model import Report

    if not isinstance(thing, Report):
        raise InputError(
            "--judge reads the evidence of one check; this is a report of another kind"
        )
    again = judged_again(thing)
    for line in changes(thing, again):
        write(line)
    return again
