"""`secant audit`: every operator of a catalogue, by many workers, resumable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from .._audit.patience import PATIENCE
from .._errors import expected
from .._settings import DEFAULT_SEED
from .delivery import report_files
from .exits import INCONCLUSIVE, PASS, leave
from .options import audit as options
from .printing import show, write

if TYPE_CHECKING:
    from .._audit.conduct import Audit
    from .._audit.known import Baseline, SortedAudit
    from .._audit.plan import Item, Plan
    from .._report.suite import Suite


def audit(
    catalogue: options.Target,
    dtype: options.Dtypes = None,
    device: options.Device = "cpu",
    only: options.Only = None,
    listing: options.Listing = False,
    samples: options.Samples = 3,
    probe: options.Probe = "auto",
    mode: options.Mode = "reverse",
    order: options.Order = 1,
    seed: options.Seed = DEFAULT_SEED,
    fuzz: options.Fuzz = False,
    minutes: options.Minutes = None,
    rounds: options.Rounds = None,
    patience: options.Patience = PATIENCE,
    workers: options.Workers = None,
    executor: options.Cluster = None,
    state: options.StateFile = None,
    known: options.KnownFile = None,
    update_known: options.UpdateKnown = False,
    report: options.Reports = None,
    scripts: options.Scripts = None,
) -> None:
    """Check every differentiable operator of a framework."""
    from .._audit.conduct import audit as conduct
    from .._audit.conduct import look
    from .._audit.plan import Plan

    files = report_files(report)
    if update_known and known in (None, "none"):
        raise expected("known", "a file to write to, beside --update-known", known)
    for name, value in (("minutes", minutes), ("rounds", rounds)):
        if value is not None and not (fuzz and value > 0):
            raise expected(name, "a number above 0, beside --fuzz", value)
    chosen = tuple(dtype or ("float64",))
    plan = Plan(
        catalogue,
        chosen,
        device,
        tuple(only or ()),
        samples,
        seed,
        probe,
        mode,
        order,
        fuzz,
        patience,
    )
    if listing:
        _list(*look(plan, workers=workers, executor=executor))
        return
    before = _known(known, is_new=update_known)
    found = conduct(
        plan, workers=workers, executor=executor, state=state, minutes=minutes, rounds=rounds
    )
    if scripts is not None:
        _write_scripts(scripts, found, catalogue)
    _deliver(found, before, plan, files, Path(known) if known and update_known else None)


def _deliver(
    found: Audit, before: Baseline | None, plan: Plan, reports: Sequence[Path], update: Path | None
) -> None:
    """Say what is news and what is mended, write what was asked for, and leave."""
    from .._audit.known import shipped, sort_out
    from .._audit.known import write as write_known

    before = before or shipped(plan, found.suite.versions)
    told = sort_out(found.suite, before, plan)
    show(told.suite)
    for line in _novelties(told, before):
        write(line)
    if found.skipped:
        write(f"{len(found.skipped):,} operators are not asked; --list says which, and why")
    if found.inputs:
        each = found.seconds / found.inputs
        write(f"{found.inputs:,} inputs were asked; each took {each:.2g} s of a worker")
    for path in reports:
        told.suite.save(path)
    if update is not None:
        write_known(update, told, before, plan)
        write(f"{update} knows what was seen: give each entry its reason")
        return
    _leave(told.suite, has_passes=not plan.fuzz)


def _write_scripts(folder: Path, found: Audit, catalogue: str) -> None:
    from .._audit.confirm import write_scripts
    from .._catalogues.catalogues import catalogue as named

    wrong = [case for case in found.suite.cases if "truth" in case.labels]
    written = write_scripts(folder, named(catalogue), wrong)
    confirmed = sum("at" in case.labels for case in wrong)
    write(f"{confirmed:,} of {len(wrong):,} failures are confirmed, by {len(written):,} scripts")


def _known(name: str | None, *, is_new: bool) -> Baseline | None:
    """Read what is known before the work is done; None is for what comes with secant."""
    from .._audit.known import Baseline, read

    if name is None:
        return None
    if name == "none" or (is_new and not Path(name).exists()):
        return Baseline(name=name, trusts_labels=name != "none")
    return read(Path(name))


def _novelties(told: SortedAudit, before: Baseline) -> Iterator[str]:
    """Yield a line for every mistake that nobody knew, and for every one that is mended."""
    for row in told.news:
        yield f"news: {row}"
    for entry in told.mended:
        yield f"mended: {entry.operator}, {entry.severity}; known because {entry.reason}"
    if told.known:
        source = before.name or "the framework itself"
        yield f"{len(told.known):,} mistakes are known; {source} says why"


def _list(samples: Mapping[Item, int], skipped: Sequence[tuple[Item, str]]) -> None:
    for item, count in samples.items():
        write(f"{item}  {count} sample{'s' if count != 1 else ''}")
    for item, reason in skipped:
        write(f"{item}  skipped: {reason}")
    write(f"{len(samples):,} operators are asked, {len(skipped):,} are not")


def _leave(suite: Suite, *, has_passes: bool) -> None:
    """Refusals are neither right nor wrong; where there is nothing else, nobody can tell.

    A fuzz does not list what passes: refusals alone are not all there was.
    """
    outcomes = {outcome for outcome, count in suite.counts.items() if count}
    if has_passes and outcomes and outcomes <= {"REFUSED"}:
        raise typer.Exit(INCONCLUSIVE)
    if suite.outcome == "REFUSED":
        raise typer.Exit(PASS)
    leave(suite.outcome)
