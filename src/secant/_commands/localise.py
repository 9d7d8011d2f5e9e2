"""`secant localise TARGET`: every submodule call of one pass by itself, and who is to blame."""
# ruff: noqa: ARG001 typer reads the parameters; most values travel on together, in the context

from __future__ import annotations

from dataclasses import replace

import typer

from . import options
from .chosen import chosen_settings
from .delivery import deliver, printing_elsewhere, report_files
from .rerun import rerun_line


def localise(
    context: typer.Context,
    target: options.Target,
    input: options.Input = None,  # noqa: A002 the option's name
    kwarg: options.Kwarg = None,
    init: options.Init = None,
    framework: options.Framework = None,
    device: options.Device = None,
    seed: options.Seed = None,
    modes: options.Modes = None,
    order: options.Order = None,
    probe: options.Probe = None,
    draws: options.Draws = None,
    laws: options.Laws = None,
    rtol: options.Rtol = None,
    atol: options.Atol = None,
    step: options.Step = None,
    dtype: options.Dtype = None,
    lift: options.Lift = None,
    max_evaluations: options.MaxEvaluations = None,
    max_seconds: options.MaxSeconds = None,
    nondeterminism: options.Nondeterminism = None,
    memory: options.Memory = None,
    masked: options.Masked = False,
    no_explain: options.NoExplain = False,
    report: options.Reports = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Check every submodule call of a module by itself, and name the one to blame.

    \b
    secant localise models:Net --init '8, 16' --input 5x8
    """
    from .question import put_apart
    from .targets import importable_here

    files, settings = report_files(report), chosen_settings(context.params)
    with printing_elsewhere(json or quiet), importable_here():
        made = put_apart(context.params, settings)
    made = replace(made, rerun=rerun_line(context))
    deliver(made, files, is_json=json, is_quiet=quiet)
