"""The command that asks again, entry by entry: what a failure ends with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .._problem.trees import call_name, parameter_names
from .._settings import Settings, automatic_modes

_MOST_INPUTS = 4
_KEPT = ("modes", "order", "rtol", "atol", "step", "masked", "dtype")


def rerun_command(
    function: Callable[..., Any],
    inputs: int,
    settings: Settings,
    written: Mapping[str, Callable[..., Any]] | None = None,
) -> str:
    """Return the call that repeats a check with the same seed and every coordinate asked.

    `written` are derivatives by hand; one without a name goes by the keyword it was passed as.
    """
    names = parameter_names(function)
    given = [names[k] if k < len(names) else f"input{k}" for k in range(inputs)]
    words = [call_name(function).replace("<lambda>", "fn"), *given[:_MOST_INPUTS]]
    if inputs > _MOST_INPUTS:
        words.append("…")
    for keyword, derivative in (written or {}).items():
        words.append(f"{keyword}={call_name(derivative).replace('<lambda>', keyword)}")
    default = Settings(modes=automatic_modes(written)) if written else Settings()
    for name in _KEPT:
        value = getattr(settings, name)
        if value != getattr(default, name):
            words.append(f'{name}="{value}"' if isinstance(value, str) else f"{name}={value!r}")
    words += ["args=args"] if settings.args else []
    if settings.names:
        words.append(f"names={list(settings.names)!r}")
    if settings.kwargs:
        words.append("kwargs=kwargs")
    return f'secant.check({", ".join(words)}, probe="full", seed={settings.seed})'
