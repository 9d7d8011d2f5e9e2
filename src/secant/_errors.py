"""Everything secant raises, in one tree.

SecantError
├── InputError (ValueError)          a setting, an input or the point itself cannot be checked
│   ├── NothingReturned              the function returns nothing
│   ├── NotFinite                    the point is NaN, or the function NaN or infinite at it
│   └── UnsupportedOutput            an output is stored in a way that cannot be checked
└── EvaluationError (RuntimeError)   the function changed its mind between calls
    ├── OutputChanged                it answered with another shape or dtype than before
    └── FunctionRaised               the function raised; its own exception is chained
AssertionError
└── GradientError                    a check did not pass; carries ``.report``
    ├── GradientMismatch             the gradient is wrong
    └── GradientInconclusive         the numbers could not tell
UserWarning
└── Undecided                        a drop-in decided as its incumbent would; says why
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ._legible import legible, legible_lines


class SecantError(Exception):
    """The root of what secant raises about a check that could not be made."""

    __module__ = "secant"  # in tracebacks, the name that users import


class InputError(SecantError, ValueError):
    """A setting, an input or the point itself cannot be checked."""

    __module__ = "secant"


class NothingReturned(InputError):
    """The function returns an empty container, so that there is nothing to differentiate."""

    __module__ = "secant"


class NotFinite(InputError):
    """The point is NaN, or the function is NaN or infinite at it."""

    __module__ = "secant"


class UnsupportedOutput(InputError):
    """An output is stored in a way that cannot be checked; `layout` says in which."""

    __module__ = "secant"

    def __init__(self, message: str, layout: object) -> None:
        super().__init__(message)
        self.layout = layout


class EvaluationError(SecantError, RuntimeError):
    """The function under test raised, or answered with another structure than before."""

    __module__ = "secant"


class OutputChanged(EvaluationError):
    """The function answered with another shape, dtype or layout than before; `what` says which."""

    __module__ = "secant"

    def __init__(self, message: str, what: str = "") -> None:
        super().__init__(message)
        self.what = what


class FunctionRaised(EvaluationError):
    """The function under test raised; its own exception is the cause."""

    __module__ = "secant"


class GradientError(AssertionError):
    """A gradient did not pass; `report` holds the evidence."""

    __module__ = "secant"

    def __init__(self, message: str, report: Any) -> None:
        super().__init__(message)
        self.report = report  # a Report, a Comparison or a Localisation


class GradientMismatch(GradientError):
    """The gradient is wrong; `report` says where and probably why."""

    __module__ = "secant"


class GradientInconclusive(GradientError):
    """The measurement was too weak to tell; `report` says what is missing."""

    __module__ = "secant"


class Undecided(UserWarning):
    """The numbers could not tell, so that a drop-in decided as the incumbent checker would."""

    __module__ = "secant"


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn as if the line that called secant had, however deep inside this is."""
    depth, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        depth, frame = depth + 1, frame.f_back
    warnings.warn(message, category, stacklevel=depth)


_HERE = str(Path(__file__).parent)


def interruption_behind(
    error: BaseException, handled: BaseException | None
) -> BaseException | None:
    """Return the interrupt at which an exception was raised, None if there was none.

    What cleans up after an interrupt may itself raise, and then hides it. What was being `handled`
    before has nothing to do with it.
    """
    behind = error.__context__
    while behind is not handled and isinstance(behind, Exception):
        behind = behind.__context__
    return None if behind is handled else behind


def spell(error: BaseException) -> str:
    r"""Name an exception and say what it says, a paragraph at most: it will be chained anyway.

    >>> spell(ValueError("no such thing\n\nand a list of all things"))
    'ValueError: no such thing …'
    """
    text = said_by(error).strip()
    short = text.partition("\n\n")[0]
    if len(short) > _LONGEST:
        short = short[:_LONGEST].rpartition(" ")[0] or short[:_LONGEST]
    said = "\n".join(legible_lines(short))
    return f"{legible(type(error).__name__)}: {said}{'' if short == text else ' …'}"


_LONGEST = 600


def said_by(error: BaseException) -> str:
    """Return what an exception says, also of one that raises when it is asked."""
    try:
        return str(error)
    except Exception as another:
        return f"(its own words cannot be had: str() of it raises {type(another).__name__})"


def expected(name: str, choices: str, value: object) -> InputError:
    """Return the one form every argument error has."""
    return InputError(f"expected `{name}` to be {choices}; got {spell_value(value)}")


def spell_value(value: object) -> str:
    """Return a value as it is written, in one line; of an array, its shape.

    >>> spell_value("slow"), spell_value(list(range(99)))[-9:]
    ("'slow'", '25, 26, …')
    """
    kind, shape = type(value).__name__, getattr(value, "shape", None)
    if isinstance(shape, tuple):
        return f"a {kind} of shape {tuple(shape)}"
    try:
        text = legible(" ".join(repr(value).split()))
    except Exception:
        return f"a {kind}"
    if len(text) > _WIDEST:
        text = (text[:_WIDEST].rpartition(" ")[0] or text[:_WIDEST]) + " …"
    return text


_WIDEST = 100


def one_of(choices: Iterable[str]) -> str:
    """Spell a list of choices as the argument errors do."""
    return "one of " + ", ".join(choices)
