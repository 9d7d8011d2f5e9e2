"""The options of `secant audit`, each with its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Target = Annotated[
    str, typer.Argument(help="torch, jax, or module:attribute of a catalogue of your own.")
]
Dtypes = Annotated[
    list[str] | None, typer.Option(help="float64 (default), complex128, ...; repeatable.")
]
Device = Annotated[str, typer.Option(help="Where the operators run.")]
Only = Annotated[
    list[str] | None, typer.Option(metavar="GLOB", help="Operators of such names; repeatable.")
]
Listing = Annotated[bool, typer.Option("--list", help="List the operators and stop.")]
Samples = Annotated[int, typer.Option(help="Sample inputs for each operator, at most.")]
Probe = Annotated[str, typer.Option(help="auto, fast or full.")]
Mode = Annotated[str, typer.Option(help="reverse, forward or all.")]
Order = Annotated[int, typer.Option(help="2 asks about second derivatives too.")]
Seed = Annotated[int, typer.Option(help="Of samples and of directions.")]
Fuzz = Annotated[
    bool, typer.Option("--fuzz", help="Look for trouble: scales, ties, borders, layouts, orders.")
]
Minutes = Annotated[
    float | None, typer.Option(help="How long --fuzz begins anything new; 10 by default.")
]
Rounds = Annotated[
    int | None, typer.Option(help="How often --fuzz goes through all operators, at most.")
]
Patience = Annotated[
    float, typer.Option(metavar="SECONDS", help="How long one input of an operator may take.")
]
Workers = Annotated[
    int | None, typer.Option(help="Processes; by default one per core, 0 for none.")
]
Cluster = Annotated[
    str | None, typer.Option(metavar="dask://ADDRESS", help="Workers of a Dask cluster.")
]
StateFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Remember answers in this file, and go on from it."),
]
KnownFile = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Mistakes that are no news; by default what comes with secant, none for none.",
    ),
]
UpdateKnown = Annotated[
    bool, typer.Option("--update-known", help="Write what is seen to the file of --known.")
]
Scripts = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="Write a script for each mistake that mpmath confirms."),
]
Reports = Annotated[
    list[Path] | None,
    typer.Option(metavar="FILE", help="Write a .html, .json or .txt; repeatable."),
]
