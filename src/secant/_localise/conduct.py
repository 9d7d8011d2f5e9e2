"""localise(): the conductor. Record one pass, check every call by itself, say who is to blame."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._backends.base import Backend
from .._backends.containers import mapped
from .._backends.interface.modules import Call
from .._backends.process.restoration import EarlyRestoration, Restoration, random_states, rewind
from .._check import conduct
from .._errors import FunctionRaised, InputError, SecantError, spell
from .._findings import Verdict
from .._problem.pose import gather
from .._problem.trees import function_name
from .._report.localisation import Localisation, LocalisedCall
from .._report.model import Cost, Report
from .._report.rerun import rerun_localise
from .._settings import Settings, settle
from .._version import __version__
from .blame import blame

_MOST_EXPLAINED = 3


def localise(module: Callable[..., Any], *inputs: Any, **settings: Any) -> Localisation:
    """Check every call that one pass through a module makes, and name the innermost guilty one."""
    started, chosen = time.perf_counter(), settle(settings, module)
    arguments, backend = gather(module, inputs, chosen.kwargs or {})
    if not backend.modules.is_module(module):
        raise InputError(
            f"expected a module to take apart; got {type(module).__name__}. "
            "secant.check takes any function"
        )
    if chosen.args:
        raise InputError("expected all arguments of a module as inputs; got `args`")
    name = function_name(module)
    if chosen.dtype is not None:
        module = backend.modules.converted(module, chosen.dtype)
        arguments.convert(backend, chosen.dtype)
    positional, named = arguments.rebuild(arguments.leaves)
    quick = replace(chosen, kwargs=named, dtype=None, explain=False)
    with Restoration(backend) as restoration, EarlyRestoration(restoration):
        whole = conduct(module, positional, quick, unfolds=True)
        calls = _recorded(backend, module, positional, named)
        rows = [_row(calls, 0, whole)]
        rows += [_checked(calls, place, quick) for place in range(1, len(calls))]
        verdict = blame(calls, rows)
        for place in verdict.blamed[:_MOST_EXPLAINED] if chosen.explain else ():
            rows[place] = _explained(calls, place, rows[place], positional, quick)
    return Localisation(
        name,
        tuple(rows),
        tuple(rows[place] for place in verdict.blamed),
        verdict.sentence,
        verdict.advice,
        _cost(rows, time.perf_counter() - started),
        chosen.seed,
        (f"secant {__version__}", backend.version(), f"numpy {np.__version__}"),
        rerun_localise(module, len(inputs), chosen),
    )


def _recorded(
    backend: Backend, module: Callable[..., Any], positional: Sequence[Any], named: dict[str, Any]
) -> list[Call]:
    try:
        return backend.modules.record(
            module, positional, named, mapped, lambda: random_states(backend)
        )
    except Exception as error:
        name = function_name(module)
        raise FunctionRaised(f"`{name}` raised {spell(error)}") from error


def _checked(calls: Sequence[Call], place: int, quick: Settings) -> LocalisedCall:
    """Check one call by itself; what cannot be checked says why."""
    call = calls[place]
    rewind(call.random)
    settings = replace(quick, kwargs=call.named)
    try:
        report = conduct(
            call.function, call.positional, settings, unfolds=not call.is_rule, only_marked=True
        )
    except SecantError as error:
        return _row(calls, place, None, str(error).partition("\n")[0])
    return _row(calls, place, report)


def _explained(
    calls: Sequence[Call],
    place: int,
    row: LocalisedCall,
    positional: Sequence[Any],
    quick: Settings,
) -> LocalisedCall:
    """Look once more at a call that is to blame: which entries, and why."""
    if place:
        looked = _checked(calls, place, replace(quick, explain=True))
    else:
        report = conduct(calls[0].function, positional, replace(quick, explain=True), unfolds=True)
        looked = _row(calls, 0, report)
    return looked if looked.verdict is Verdict.FAIL else row


def _row(
    calls: Sequence[Call], place: int, report: Report | None, remark: str = ""
) -> LocalisedCall:
    call, depth, above = calls[place], 0, calls[place].parent
    while above >= 0:
        depth, above = depth + 1, calls[above].parent
    return LocalisedCall(call.path, call.kind, call.number, depth, call.is_rule, report, remark)


def _cost(rows: Sequence[LocalisedCall], seconds: float) -> Cost:
    costs = [row.report.cost for row in rows if row.report is not None]
    return Cost(
        sum(cost.evaluations for cost in costs),
        sum(cost.pulls for cost in costs),
        sum(cost.pushes for cost in costs),
        seconds,
        max(cost.peak_bytes for cost in costs),
    )
