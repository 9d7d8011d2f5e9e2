"""`secant compare TARGET REFERENCE`: a kernel against a trusted implementation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import typer

from .delivery import deliver, printing_elsewhere, report_files
from .options import asking as options
from .rerun import rerun_line

_SETTINGS = ("dtype", "limit", "draws", "seed", "reference_device")


@options.takes(options.KERNELS, options.INPUTS, options.COMPARISON, options.OUTPUT)
def compare(context: typer.Context, **_: Any) -> None:
    """Hold a kernel's outputs and gradients against those of a trusted implementation.

    \b
    secant compare kernels:fused_softmax kernels:softmax --input 64x128 --dtype bfloat16
    """
    from .question.put import put_beside
    from .question.targets import importable_here

    given = context.params
    files = report_files(given["report"])
    settings: dict[str, Any] = {name: given[name] for name in _SETTINGS if given[name] is not None}
    if given["no_gradients"]:
        settings["gradients"] = False
    with printing_elsewhere(given["json"] or given["quiet"]), importable_here():
        made = put_beside(given, settings)
    made = replace(made, rerun=rerun_line(context))
    deliver(made, files, is_json=given["json"], is_quiet=given["quiet"])
