"""The settings of a check, validated once at the border; the inside trusts its types."""

from __future__ import annotations

import difflib
import functools
import inspect
import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, get_args

from ._errors import InputError, expected, one_of
from ._keywords import Law

MODES = ("reverse", "forward", "all")
PROBES = ("auto", "fast", "full")
GLANCE = "glance"  # the fast probe's first look by itself, where a full one follows; nobody's word
LIFTS = ("auto", True, False)
LAWS: tuple[str, ...] = get_args(Law)
# What a check asks unless told otherwise; the others need a second forward pass or a batching
# rule of their own, which most checks would pay for and few would profit from.
DEFAULT_LAWS = frozenset(LAWS) - {"batching", "batched_tangents", "subsets"}
DEFAULT_SEED = 1729
_STEPS = (1e-300, 1e300)  # what lies around them is still a number, and not 0


@dataclass(frozen=True, slots=True)
class Settings:
    """How a check is made. `None` means automatic."""

    modes: str = "reverse"
    order: int = 1
    probe: str = "auto"
    laws: frozenset[str] = DEFAULT_LAWS
    rtol: float | None = None
    atol: float | None = None
    step: float | None = None
    draws: int = 1  # rounds of random directions
    seed: int = DEFAULT_SEED
    masked: bool = False
    kwargs: Mapping[str, Any] | None = None
    args: tuple[Any, ...] = ()  # constants that follow the inputs
    names: tuple[str, ...] = ()  # of the inputs, or of the entries of the only one
    dtype: Any = None  # the framework's, or its name; a backend says whether it is one
    lift: str | bool = "auto"
    nondeterminism: float | None = None  # how far apart two answers to one question may be
    max_evaluations: int | None = None  # beyond which nothing is looked at closer
    max_seconds: float | None = None
    memory: int = 2**28
    explain: bool = True
    pictures: bool = False  # measure what only a picture of a right derivative needs
    progress: bool | None = None

    @property
    def directions(self) -> tuple[str, ...]:
        """The modes of differentiation asked for, one by one."""
        return ("reverse", "forward") if self.modes == "all" else (self.modes,)


GIVEN = ("pull", "push", "jacobian", "gradient")
"""Derivatives written by hand, which a check takes beside its settings."""

ABOUT_GROUPS = ("group", "replicated", "gradients", "timeout")
"""What a check of a function on many processes takes beside its settings."""


def automatic_modes(given: Iterable[str]) -> str:
    """Return the modes in which derivatives written by hand are asked unless told otherwise."""
    names = set(given)
    if names == {"push"}:
        return "forward"
    return "all" if "push" in names else "reverse"


_DEFAULT = Settings()
_NAMES = tuple(field.name for field in fields(Settings))


def settle(options: Mapping[str, Any], function: object = None) -> Settings:
    """Turn keyword arguments into `Settings`, or refuse them with the list of good ones.

    One that is a parameter of the function under test is told where it goes.
    """
    if not options:
        return _DEFAULT
    for name in options:
        if name not in _NAMES:
            choices = one_of((*_NAMES, *GIVEN))
            meant = meant_setting(name, (*_NAMES, *GIVEN), function)
            if name in ABOUT_GROUPS:
                meant = ". It is about several processes: `check` takes it, beside `group`"
            raise InputError(f"expected a setting to be {choices}; got {name!r}{meant}")
    kinds = tuple(map(type, options.values()))  # 1, 1.0 and True are equal, and not all whole
    if _PLAIN.issuperset(kinds):  # the same few settings come by the thousand
        return _settled(tuple(options.items()), kinds)
    return _settle(options)


_PLAIN = frozenset({str, int, float, bool, frozenset, type(None)})


@functools.lru_cache(maxsize=32)
def _settled(options: tuple[tuple[str, Any], ...], _kinds: tuple[type, ...]) -> Settings:
    return _settle(dict(options))


def meant_setting(name: str, known: Iterable[str], function: object) -> str:
    """Guess what an unknown keyword is about: the function's own, another tool's, or a slip."""
    rule: Any = getattr(function, "__self__", None)
    if isinstance(rule, type) and name in _own_parameters(getattr(rule, "forward", None)):
        return (
            ". It is the rule's own, which takes no keywords: pass it in its place, or in args=()"
        )
    if name in _own_parameters(function):
        return f". It is the function's own: pass kwargs={{{name!r}: ...}}"
    choices = list(known)
    spelt = _ELSEWHERE.get(name, "")
    if not spelt or spelt.partition("=")[0].partition(" ")[0] not in choices:
        close = difflib.get_close_matches(name, choices, 1, 0.6)
        spelt = close[0] if close else ""
    return f". Did you mean {spelt}?" if spelt else ""


# what other checkers of gradients call it
_ELSEWHERE = {
    "jac": "jacobian",
    "grad": "gradient",
    "fprime": "gradient",
    "vjp": "pull",
    "jvp": "push",
    "tol": "rtol or atol",
    "tolerance": "rtol or atol",
    "eps": "step",
    "epsilon": "step",
    "h": "step",
    "mode": "modes",
    "fast_mode": 'probe="fast"',
    "nondet_tol": "nondeterminism",
    "budget": "max_evaluations or max_seconds",
    "probes": "draws",
    "repeat": "nondeterminism",
    "check_forward_ad": 'modes="all"',
    "check_batched_grad": 'laws="all"',
}


def _own_parameters(function: object) -> Collection[str]:
    body: Any = getattr(function, "forward", function)
    try:
        return inspect.signature(body).parameters.keys()
    except (TypeError, ValueError):
        return ()


def _settle(options: Mapping[str, Any]) -> Settings:
    values = {name: single(value) for name, value in options.items()}
    if "laws" in values:
        values["laws"] = _laws(values["laws"])
    for name in ("args", "names"):
        if name in values:
            values[name] = _sequence(name, values[name])
    settings = Settings(**values)
    _validate(settings)
    return settings


def single(value: Any) -> Any:
    """Return the number in an array that is a single one, and anything else as it is."""
    is_single = getattr(value, "shape", None) == () and callable(getattr(value, "item", None))
    return value.item() if is_single else value


def _laws(value: Any) -> frozenset[str]:
    if isinstance(value, str) and value in _SETS_OF_LAWS:
        return _SETS_OF_LAWS[value]
    names = {value} if isinstance(value, str) else value
    is_known = isinstance(names, (set, frozenset, list, tuple))
    if not is_known or not all(is_among(name, LAWS) for name in names):
        raise expected("laws", f"default, all, none, or names from {', '.join(LAWS)}", value)
    return frozenset(names)


def _sequence(name: str, value: Any) -> tuple[Any, ...]:
    """Return constants, or names, as a tuple; None are none."""
    if value is None:
        return ()
    is_fit = isinstance(value, (tuple, list))
    if name == "names" and is_fit:
        is_fit = all(isinstance(one, str) for one in value) and len(set(value)) == len(value)
    if not is_fit:
        what = "a tuple of constants" if name == "args" else "a list of different names"
        raise expected(name, f"{what}, or None", value)
    return tuple(value)


_SETS_OF_LAWS: dict[str, frozenset[str]] = {
    "default": DEFAULT_LAWS,
    "all": frozenset(LAWS),
    "none": frozenset(),
}


def _validate(settings: Settings) -> None:
    if not is_among(settings.modes, MODES):
        raise expected("modes", one_of(MODES), settings.modes)
    if not is_among(settings.probe, PROBES):
        raise expected("probe", one_of(PROBES), settings.probe)
    for name in ("order", "draws", "memory"):
        if not is_whole(getattr(settings, name), least=1):
            raise expected(name, "a whole number of at least 1", getattr(settings, name))
    most = settings.max_evaluations
    if most is not None and not is_whole(most, least=0):
        raise expected("max_evaluations", "a whole number of at least 0, or None", most)
    if not is_whole(settings.seed, least=0):
        raise expected("seed", "a whole number of at least 0", settings.seed)
    for name in ("rtol", "atol", "nondeterminism", "max_seconds"):
        value = getattr(settings, name)
        if value is not None and not is_number(value, 0.0):
            raise expected(name, "a number that is finite and not negative, or None", value)
    if settings.step is not None and not is_number(settings.step, *_STEPS):
        limits = f"from {_STEPS[0]} to {_STEPS[1]}"
        raise expected("step", f"a number {limits}, or None", settings.step)
    if settings.kwargs is not None and not isinstance(settings.kwargs, Mapping):
        raise expected("kwargs", "a mapping of keyword arguments, or None", settings.kwargs)
    if not is_among(settings.lift, LIFTS):
        raise expected("lift", one_of(map(str, LIFTS)), settings.lift)
    for name in ("masked", "explain", "pictures"):
        if not is_among(getattr(settings, name), (True, False)):
            raise expected(name, "True or False", getattr(settings, name))
    if not is_among(settings.progress, (None, True, False)):
        raise expected("progress", "True, False or None", settings.progress)


def is_among(value: Any, choices: Iterable[Any]) -> bool:
    """Say whether a value is one of a few words, truth values or None; an array is none of them."""
    return isinstance(value, (str, int, type(None))) and value in choices


def is_whole(value: Any, least: int) -> bool:
    """Say whether a value is a whole number, and no truth value."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def is_number(value: Any, least: float, most: float = sys.float_info.max) -> bool:
    """Say whether a value is a number between two others."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return least <= value <= most
