"""`secant check TARGET`: from words to a question, asked, and its report shown."""
# ruff: noqa: ARG001 typer reads the parameters; most values travel on together, in the context

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from .._errors import InputError, expected
from . import options
from .exits import leave
from .frames import where_raised
from .printing import show, write
from .rerun import rerun_line

if TYPE_CHECKING:
    from .._report.model import Report

_RULES = ("gradient", "jacobian", "pull", "push")
_SETTINGS = (
    *("modes", "order", "probe", "probes", "rtol", "atol", "step", "seed", "dtype"),
    *("repeat", "memory"),
)
_ENDINGS = (".html", ".json", ".txt")


def check(
    context: typer.Context,
    target: options.Target,
    input: options.Input = None,  # noqa: A002 the option's name
    kwarg: options.Kwarg = None,
    init: options.Init = None,
    framework: options.Framework = None,
    device: options.Device = None,
    seed: options.Seed = None,
    gradient: options.Gradient = None,
    jacobian: options.Jacobian = None,
    pull: options.Pull = None,
    push: options.Push = None,
    modes: options.Modes = None,
    order: options.Order = None,
    probe: options.Probe = None,
    probes: options.Probes = None,
    laws: options.Laws = None,
    rtol: options.Rtol = None,
    atol: options.Atol = None,
    step: options.Step = None,
    dtype: options.Dtype = None,
    lift: options.Lift = None,
    budget: options.Budget = None,
    repeat: options.Repeat = None,
    memory: options.Memory = None,
    masked: options.Masked = False,
    no_explain: options.NoExplain = False,
    report: options.Reports = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Check the derivatives of a function, a rule or a module at inputs that are drawn here.

    \b
    secant check kernels.py:Square --input 3x4
    secant check models:Net --init '8, 16' --input 5x8
    secant check losses:huber --input 10 --input 10:constant --kwarg delta=0.5
    secant check fit:energy --gradient fit:denergy --input 6:0.1..2
    """
    given = context.params
    files = [_report_file(name) for name in report or ()]
    with _printing_elsewhere(json or quiet):
        made = _ask(given, _settings(given, has_page=any(one.suffix == ".html" for one in files)))
    if made.rerun:
        made = replace(made, rerun=rerun_line(context))
    for file in files:
        made.save(file)
    if json:
        write(made.to_json())
    elif not quiet:
        show(made)
        for finding in made.findings:
            for line in where_raised(finding.raised) if finding.raised else ():
                write(line)
    leave(made.verdict.name)


def _ask(given: Mapping[str, Any], settings: dict[str, Any]) -> Report:
    """Find the target, make its inputs, and check."""
    # Late: all that a check needs is slow to import, and --help does not need it.
    from .._settings import settle
    from .question import put
    from .targets import importable_here

    settle(settings)  # a bad setting is said at once, not after a model has been built
    with importable_here():
        return put(given, settings, {name: given[name] for name in _RULES if given[name]})


def _settings(given: Mapping[str, Any], *, has_page: bool) -> dict[str, Any]:
    """Return the settings that were given, as `secant.check` takes them."""
    chosen = {name: given[name] for name in _SETTINGS if given[name] is not None}
    if given["laws"] is not None:
        names = [name.strip() for name in given["laws"].split(",")]
        chosen["laws"] = names[0] if len(names) == 1 else tuple(names)
    if given["lift"] is not None:
        chosen["lift"] = {"true": True, "false": False}.get(given["lift"].lower(), given["lift"])
    if given["budget"] is not None:
        chosen["budget"] = _budget(given["budget"])
    if given["masked"]:
        chosen["masked"] = True
    if given["no_explain"]:
        chosen["explain"] = False
    if has_page:
        chosen["pictures"] = True
    return chosen


def _budget(text: str) -> int | float:
    """Read a number of evaluations, or of seconds where it has a unit or a point."""
    with contextlib.suppress(ValueError):
        return int(text)
    with contextlib.suppress(ValueError):
        return float(text.removesuffix("s"))
    raise expected("budget", "a number of evaluations as 500, or of seconds as 10s", text)


def _report_file(name: str) -> Path:
    """Return the file for a report, or say before the check why it could not be written."""
    file = Path(name)
    if file.suffix not in _ENDINGS:
        raise expected("report", "a file name that ends in .html, .json or .txt", name)
    if not file.parent.is_dir():
        raise InputError(f"expected a folder for the report {name!r}; there is no {file.parent}")
    return file


@contextlib.contextmanager
def _printing_elsewhere(is_wanted: bool) -> Iterator[None]:
    """Let what the user's code prints go to standard error, so that the output is one document."""
    if not is_wanted:
        yield
        return
    with contextlib.redirect_stdout(sys.stderr):
        yield
