"""`secant localise TARGET`: every submodule call of one pass by itself, and who is to blame."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import typer

from .delivery import deliver, printing_elsewhere, report_files
from .options import asking as options
from .options.chosen import chosen_settings
from .rerun import rerun_line


@options.takes(options.TARGET, options.INPUTS, options.SETTINGS, options.OUTPUT)
def localise(context: typer.Context, **_: Any) -> None:
    """Check every submodule call of a module by itself, and name the one to blame.

    \b
    secant localise models:Net --init '8, 16' --input 5x8
    """
    from .question.put import put_apart
    from .question.targets import importable_here

    given = context.params
    files, settings = report_files(given["report"]), chosen_settings(given)
    with printing_elsewhere(given["json"] or given["quiet"]), importable_here():
        made = put_apart(given, settings)
    made = replace(made, rerun=rerun_line(context))
    deliver(made, files, is_json=given["json"], is_quiet=given["quiet"])
