"""The command line that asks again: the same words, with every entry asked and the seed stated."""

from __future__ import annotations

import shlex
from typing import Any

import typer

from .._settings import DEFAULT_SEED

_ASKED_ANEW = ("probe", "seed", "report", "json", "quiet")


def rerun_line(context: typer.Context, *more: str) -> str:
    """Return the command that asks again, with more words and the seed stated."""
    names = [one for one in ("target", "reference") if one in context.params]
    words = ["secant", str(context.info_name), *(context.params[name] for name in names)]
    anew = _ASKED_ANEW if "--probe" in more else _ASKED_ANEW[1:]
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if parameter.name in (*names, "help", *anew) or (not value and value != 0):
            continue
        if value is not False:
            words += _spelt(parameter.opts[0], value)
    seed = context.params["seed"]
    words += [*more, "--seed", str(DEFAULT_SEED if seed is None else seed)]
    return shlex.join(words)


def _spelt(option: str, value: Any) -> list[str]:
    if value is True:
        return [option]
    values = value if isinstance(value, (list, tuple)) else [value]
    return [word for one in values for word in (option, str(one))]
