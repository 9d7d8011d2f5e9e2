"""What may be said about all checks of a run, on the command line or in the ini-file.

Takes text, gives values that secant accepts, or refuses with one sentence before any test has run.
Importing secant would be the plainer way to validate them, and would slow down every start.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

PROBES = ("auto", "fast", "full")
INCONCLUSIVE = ("fail", "skip", "pass", "assume")
GRADCHECK = ("off", "replace", "compare")
REPORTS = (".html", ".json", ".txt")


@dataclass(frozen=True)
class Options:
    """The defaults of a run's checks, and where its report goes."""

    settings: Mapping[str, Any]
    inconclusive: str
    reports: tuple[Path, ...]
    gradcheck: str = GRADCHECK[0]
    sabotage: float | None = None


def add(parser: pytest.Parser) -> None:
    """Add the options; the command line wins over the ini-file."""
    group = parser.getgroup("secant", "gradients")
    for name, (metavar, words, _) in _KNOWN.items():
        group.addoption(
            _option(name), metavar=metavar, default=None, help=f"{words} [ini: secant_{name}]"
        )
        parser.addini(f"secant_{name}", words, type="string", default=None)
    group.addoption(
        "--secant-report",
        metavar="FILE",
        action="append",
        default=[],
        help="write all checks of the run to FILE: .html, .json or .txt; may be given repeatedly",
    )


def read(config: pytest.Config) -> Options:
    """Return the options of a run, validated."""
    settings = {}
    for name, (_, _, parse) in _KNOWN.items():
        given, text = _option(name), config.getoption(_option(name))
        if text is None:
            given, text = f"secant_{name}", config.getini(f"secant_{name}")
        if text is not None:
            settings[name] = parse(given, str(text).strip())
    inconclusive = settings.pop("inconclusive", INCONCLUSIVE[0])
    gradcheck = settings.pop("gradcheck", GRADCHECK[0])
    sabotage = settings.pop("sabotage", None)
    if sabotage is not None and gradcheck != "compare":
        raise pytest.UsageError("--secant-sabotage needs --secant-gradcheck=compare")
    return Options(settings, inconclusive, _reports(config), gradcheck, sabotage)


def _option(name: str) -> str:
    return f"--secant-{name.replace('_', '-')}"


def is_worker(config: pytest.Config) -> bool:
    """Say whether this is one of xdist's processes, whose results another one gathers."""
    return hasattr(config, "workerinput")


def _whole(given: str, text: str) -> int:
    if not text.isdecimal():
        raise _refused(given, "a whole number of at least 0", text)
    return int(text)


def _number(what: str, is_meant: Callable[[float], bool], given: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and is_meant(number)):
        raise _refused(given, what, text)
    return number


def _choice(choices: tuple[str, ...], given: str, text: str) -> str:
    if text not in choices:
        raise _refused(given, f"one of {', '.join(choices)}", text)
    return text


def _reports(config: pytest.Config) -> tuple[Path, ...]:
    """Return where reports go, once it is certain that they can be written there."""
    given = list(dict.fromkeys(config.getoption("--secant-report")))
    paths = [Path(config.invocation_params.dir, text) for text in given]
    if not is_worker(config):  # else the controller has looked already, and writes
        for text, path in zip(given, paths, strict=True):
            _refuse_report(text, path)
    return tuple(paths)


def _refuse_report(text: str, path: Path) -> None:
    if path.suffix not in REPORTS:
        raise _refused("--secant-report", "a file name that ends in .html, .json or .txt", text)
    if not path.parent.is_dir():
        raise pytest.UsageError(f"--secant-report: the folder of {text!r} does not exist")
    if path.is_dir():
        raise pytest.UsageError(f"--secant-report: {text!r} is a folder")
    if path.suffix == ".html":
        missing = [name for name in ("jinja2", "plotly") if importlib.util.find_spec(name) is None]
        if missing:
            raise pytest.UsageError(
                f"--secant-report: a page needs {' and '.join(missing)}; "
                "run: pip install 'secant[html]'"
            )


def _refused(given: str, choices: str, text: str) -> pytest.UsageError:
    return pytest.UsageError(f"expected {given} to be {choices}; got {text!r}")


_SECONDS = partial(_number, "a number of seconds, as 2.5", lambda seconds: seconds >= 0)
_KNOWN: dict[str, tuple[str, str, Callable[[str, str], Any]]] = {
    "seed": ("N", "seed of all random directions", _whole),
    "probe": ("PROBE", "which directions are asked: auto, fast or full", partial(_choice, PROBES)),
    "max_evaluations": ("N", "calls beyond which a check looks no closer", _whole),
    "max_seconds": ("X", "seconds beyond which a check looks no closer", _SECONDS),
    "inconclusive": (
        "WHAT",
        "what becomes of a test whose numbers cannot tell: fail (default), skip, pass, or assume: "
        "the example of a property does not count, any other test is skipped",
        partial(_choice, INCONCLUSIVE),
    ),
    "gradcheck": (
        "WHAT",
        "who answers torch's gradcheck and gradgradcheck and JAX's check_grads, check_jvp and "
        "check_vjp: they themselves (off, the default), secant instead (replace), or they, with "
        "secant asked too (compare)",
        partial(_choice, GRADCHECK),
    ),
    "sabotage": (
        "FACTOR",
        "with --secant-gradcheck=compare: ask both again with every claim times FACTOR (1.05)",
        partial(_number, "a factor other than 1, such as 1.05", lambda factor: factor != 1),
    ),
}
