"""`secant audit`: every operator of a catalogue, by many workers, resumable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .._errors import expected
from .._settings import DEFAULT_SEED
from .exits import INCONCLUSIVE, PASS, leave
from .printing import show, write

_SUFFIXES = (".html", ".json", ".txt")

if TYPE_CHECKING:
    from .._audit.plan import Item
    from .._report.suite import Suite


def audit(
    catalogue: Annotated[
        str, typer.Argument(help="torch, jax, or module:attribute of a catalogue of your own.")
    ],
    dtype: Annotated[
        list[str] | None, typer.Option(help="float64 (default), complex128, ...; repeatable.")
    ] = None,
    device: Annotated[str, typer.Option(help="Where the operators run.")] = "cpu",
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="GLOB", help="Operators of such names; repeatable."),
    ] = None,
    listing: Annotated[bool, typer.Option("--list", help="List the operators and stop.")] = False,
    samples: Annotated[int, typer.Option(help="Sample inputs for each operator, at most.")] = 3,
    probe: Annotated[str, typer.Option(help="auto, fast or full.")] = "auto",
    mode: Annotated[str, typer.Option(help="reverse, forward or all.")] = "reverse",
    order: Annotated[int, typer.Option(help="2 asks about second derivatives too.")] = 1,
    seed: Annotated[int, typer.Option(help="Of samples and of directions.")] = DEFAULT_SEED,
    workers: Annotated[
        int | None, typer.Option(help="Processes; by default one per core, 0 for none.")
    ] = None,
    executor: Annotated[
        str | None, typer.Option(metavar="dask://ADDRESS", help="Workers of a Dask cluster.")
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Remember answers in this file, and go on from it."),
    ] = None,
    report: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Write a .html, .json or .txt; repeatable."),
    ] = None,
) -> None:
    """Check every differentiable operator of a framework."""
    from .._audit.conduct import audit as conduct
    from .._audit.conduct import look
    from .._audit.plan import Plan

    for path in report or ():
        _writable(path)
    chosen = tuple(dtype or ("float64",))
    plan = Plan(catalogue, chosen, device, tuple(only or ()), samples, seed, probe, mode, order)
    if listing:
        _list(*look(plan, workers=workers, executor=executor))
        return
    found = conduct(plan, workers=workers, executor=executor, state=state)
    show(found.suite)
    if found.skipped:
        write(f"{len(found.skipped):,} operators are not asked; --list says which, and why")
    for path in report or ():
        found.suite.save(path)
    _leave(found.suite)


def _writable(path: Path) -> None:
    """Refuse before the work what would be refused after it."""
    if path.suffix not in _SUFFIXES:
        raise expected("report", "a file name that ends in .html, .json or .txt", str(path))
    if not path.absolute().parent.is_dir():
        raise expected("report", "a file in a folder that exists", str(path))


def _list(samples: Mapping[Item, int], skipped: Sequence[tuple[Item, str]]) -> None:
    for item, count in samples.items():
        write(f"{item}  {count} sample{'s' if count != 1 else ''}")
    for item, reason in skipped:
        write(f"{item}  skipped: {reason}")
    write(f"{len(samples):,} operators are asked, {len(skipped):,} are not")


def _leave(suite: Suite) -> None:
    """Refusals are neither right nor wrong, unless there is nothing else: then nobody can tell."""
    outcomes = {outcome for outcome, count in suite.counts.items() if count}
    if outcomes <= {"REFUSED"}:
        raise typer.Exit(INCONCLUSIVE)
    if suite.outcome == "REFUSED":
        raise typer.Exit(PASS)
    leave(suite.outcome)
