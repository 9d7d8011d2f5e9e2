"""The command that asks again, with every setting that was not the default."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from .._problem.trees import call_name, parameter_names
from .._settings import DEFAULT_LAWS, LAWS, Settings, automatic_modes

_MOST_INPUTS = 4
_ARGUMENTS = ("args", "kwargs")  # the user's own values, which go by their names
_OWN_PLACE = ("seed", "progress")  # the seed is always said, and last; the other changes no answer


def rerun_check(
    function: Callable[..., Any],
    inputs: int,
    settings: Settings,
    written: Mapping[str, Callable[..., Any]] | None = None,
    group: Sequence[str] = (),
) -> str:
    """Return the call that repeats a check with the same seed and every coordinate asked.

    `written` are derivatives by hand; `group` is what is said about several processes.
    """
    default = Settings(modes=automatic_modes(written)) if written else Settings()
    words = [
        named(function, "fn"),
        *inputs_of(function, inputs),
        *(f"{keyword}={named(one, keyword)}" for keyword, one in (written or {}).items()),
        *changed(settings, default, without=("probe",)),
        *group,
        'probe="full"',
    ]
    return f"secant.check({', '.join(words)}, seed={settings.seed})"


def rerun_localise(module: Callable[..., Any], inputs: int, settings: Settings) -> str:
    """Return the call that repeats a localisation."""
    words = ["module", *inputs_of(module, inputs), *changed(settings, Settings())]
    return f"secant.localise({', '.join(words)}, seed={settings.seed})"


def rerun_compare(
    function: Callable[..., Any],
    reference: Callable[..., Any],
    inputs: int,
    settings: Any,
    default: Any,
) -> str:
    """Return the call that repeats a comparison."""
    functions = [named(function, "fn"), named(reference, "reference")]
    words = [*functions, *inputs_of(function, inputs), *changed(settings, default)]
    return f"secant.compare({', '.join(words)}, seed={settings.seed})"


def named(function: Callable[..., Any], otherwise: str) -> str:
    """Return what a function goes by; one without a name, by the word for its part."""
    return call_name(function).replace("<lambda>", otherwise)


def inputs_of(function: Callable[..., Any], count: int) -> list[str]:
    """Return the inputs by the names of the function's parameters; many of them together."""
    if count > _MOST_INPUTS:
        return ["*inputs"]
    names = parameter_names(function)
    return [names[k] if k < len(names) else f"input{k}" for k in range(count)]


def changed(settings: Any, default: Any, without: Sequence[str] = ()) -> Iterator[str]:
    """Yield every setting that is not the default, as it is written."""
    for name in (field.name for field in fields(settings)):
        value = getattr(settings, name)
        if name in (*_OWN_PLACE, *without) or value == getattr(default, name):
            continue
        if name in _ARGUMENTS:
            yield from [f"{name}={name}"] if value else []
        else:
            yield f"{name}={_spelt(name, value)}"


def _spelt(name: str, value: Any) -> str:
    if name == "laws":
        known = {frozenset(LAWS): "all", frozenset(): "none", DEFAULT_LAWS: "default"}
        value = known.get(value, [law for law in LAWS if law in value])
    if callable(value) and not isinstance(value, type):
        return named(value, name)
    value = getattr(value, "__name__", None) or (getattr(value, "name", value))
    value = list(value) if isinstance(value, tuple) else value
    return f'"{value}"' if isinstance(value, str) else repr(value)
