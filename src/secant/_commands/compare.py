"""`secant compare TARGET REFERENCE`: a kernel against a trusted implementation."""
# ruff: noqa: ARG001 typer reads the parameters; most values travel on together, in the context

from __future__ import annotations

from dataclasses import replace
from typing import Any

import typer

from . import options
from .delivery import deliver, printing_elsewhere, report_files
from .rerun import rerun_line

_SETTINGS = ("dtype", "limit", "draws", "seed", "reference_device")


def compare(
    context: typer.Context,
    target: options.Kernel,
    reference: options.ReferenceTarget,
    input: options.Input = None,  # noqa: A002 the option's name
    kwarg: options.Kwarg = None,
    init: options.Init = None,
    framework: options.Framework = None,
    device: options.Device = None,
    seed: options.Seed = None,
    dtype: options.KernelDtype = None,
    limit: options.Limit = None,
    draws: options.Cotangents = None,
    reference_device: options.ReferenceDevice = None,
    no_gradients: options.NoGradients = False,
    report: options.Reports = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Hold a kernel's outputs and gradients against those of a trusted implementation.

    \b
    secant compare kernels:fused_softmax kernels:softmax --input 64x128 --dtype bfloat16
    """
    from .question import put_beside
    from .targets import importable_here

    given, files = context.params, report_files(report)
    settings: dict[str, Any] = {name: given[name] for name in _SETTINGS if given[name] is not None}
    if no_gradients:
        settings["gradients"] = False
    with printing_elsewhere(json or quiet), importable_here():
        made = put_beside(given, settings)
    made = replace(made, rerun=rerun_line(context))
    deliver(made, files, is_json=json, is_quiet=quiet)
