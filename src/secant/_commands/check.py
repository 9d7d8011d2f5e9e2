"""`secant check TARGET`: from words to a question, asked, and its report shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from .._legible import legible
from .delivery import deliver, printing_elsewhere, report_files
from .exits import leave
from .frames import where_raised
from .options import asking as options
from .options.chosen import chosen_settings
from .question.together import Launched, launched
from .rerun import rerun_line

if TYPE_CHECKING:
    from .._report.model import Report


@options.takes(
    options.TARGET,
    options.INPUTS,
    options.RULES,
    options.SETTINGS,
    options.PROCESSES,
    options.OUTPUT,
)
def check(context: typer.Context, **_: Any) -> None:
    """Check the derivatives of a function, a rule or a module at inputs that are drawn here.

    \b
    secant check kernels.py:Square --input 3x4
    secant check models:Net --init '8, 16' --input 5x8
    secant check losses:huber --input 10 --input 10:constant --kwarg delta=0.5
    secant check fit:energy --gradient fit:denergy --input 6:0.1..2
    torchrun --nproc-per-node 2 -m secant check layers.py:column --input 3x4 --input 4x2 --group
    """
    given = context.params
    files, is_quiet = report_files(given["report"]), given["quiet"]
    chosen = _settings(given, has_page=any(one.suffix == ".html" for one in files))
    with launched(given) as here:
        is_silent = here.rank > 0  # the first of a group delivers its report
        with printing_elsewhere(given["json"] or is_quiet or is_silent):
            made = _ask(given, chosen, here)
        if is_silent:
            leave(made.verdict.name)
        if made.rerun:
            made = replace(made, rerun=rerun_line(context, "--probe", "full"))
        deliver(made, files, is_json=given["json"], is_quiet=is_quiet, remarks=_remarks(made))


def _remarks(made: Report) -> list[str]:
    """Return where the target's own code raised."""
    raised = [finding.raised for finding in made.findings if finding.raised]
    return [legible(line) for one in raised for line in where_raised(one)]


def _ask(given: Mapping[str, Any], settings: dict[str, Any], here: Launched) -> Report:
    """Find the target, make its inputs, and check."""
    # Late: all that a check needs is slow to import, and --help does not need it.
    from .._settings import GIVEN, settle
    from .question.put import put
    from .question.targets import importable_here

    settle(settings)  # a bad setting is said at once, not after a model has been built
    with importable_here():
        return put(given, settings, {name: given[name] for name in GIVEN if given[name]}, here)


def _settings(given: Mapping[str, Any], *, has_page: bool) -> dict[str, Any]:
    chosen = chosen_settings(given)
    return {**chosen, "pictures": True} if has_page else chosen
