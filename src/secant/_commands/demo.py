"""`secant demo`: a gallery of derivatives, right and wrong."""

from __future__ import annotations

from typing import Annotated

import typer

from .._errors import InputError
from .exits import FAIL
from .printing import console


def demo(
    only: Annotated[
        list[int] | None, typer.Option("--only", metavar="N", help="Show exhibit N; repeatable.")
    ] = None,
    listing: Annotated[bool, typer.Option("--list", help="List the exhibits and stop.")] = False,
) -> None:
    """Walk through a gallery of derivatives, right and wrong, each with its verdict explained."""
    # Late, so that `secant version` need not wait for a framework.
    from .._demo import list_exhibits, show_exhibits
    from .._gallery.galleries import gallery

    exhibits = gallery()
    if listing:
        list_exhibits(console(), exhibits)
        return
    everything = range(1, len(exhibits) + 1)
    numbers = only or everything
    for number in numbers:
        if number not in everything:
            raise InputError(
                f"expected `--only` to be a number from 1 to {len(exhibits)}; got {number}"
            )
    if not show_exhibits(console(), exhibits, list(numbers)):
        raise typer.Exit(FAIL)
