"""One call of a check, answered by secant's drop-in, or by both with the original's word given.

The original goes first, so that its answer is what it would have been without this plugin; what its
calls changed is undone for secant, and what secant's changed is undone afterwards.
"""

from __future__ import annotations

import importlib
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .calls import FAILS, PASSES, RAISES, Call, Sabotage, Word
from .hearing import unheard
from .interception import Check, Function, originals
from .keeping import ReachableState
from .sabotage import sabotaged

__tracebackhide__ = True  # nothing in here helps to understand a failure

_PASSED_THROUGH = ("torch", "jax", "_secant_pytest", "functools", "contextlib")


@dataclass(frozen=True)
class Heard:
    """What a checker returned or raised, and what secant warned of meanwhile."""

    value: Any
    error: Exception | None
    seconds: float
    undecided: str = ""


class Answering:
    """Answers the calls of a run; every one is told to `keep`, with what secant raised."""

    def __init__(
        self, mode: str, factor: float | None, root: Path, keep: Callable[[Call, Heard], None]
    ) -> None:
        self._factor = factor
        self._root = root
        self._keep = keep
        self.answer = self._replace if mode == "replace" else self._compare

    def _replace(
        self, check: Check, _: Function, arguments: Sequence[Any], keywords: Mapping[str, Any]
    ) -> Any:
        drop_in = _drop_in(check)
        with originals():  # whom a drop-in asks where the numbers cannot tell
            heard = _ask(drop_in, arguments, keywords)
        self._keep(Call(check.name, self._place(), _word(check, heard)), heard)
        return _given(heard)

    def _compare(
        self,
        check: Check,
        original: Function,
        arguments: Sequence[Any],
        keywords: Mapping[str, Any],
    ) -> Any:
        drop_in = _drop_in(check)
        before = ReachableState(arguments, keywords)
        with originals():
            theirs = _ask(original, arguments, keywords)
            after = ReachableState(arguments, keywords)
            try:
                before.put_back()
                ours = _ask_quietly(drop_in, arguments, keywords)
                call = Call(check.name, self._place(), _word(check, ours), _word(check, theirs))
                if self._factor is not None and call.are_passing:
                    wrong = sabotaged(check, arguments, keywords, self._factor)
                    call.sabotage = _sabotage(check, before, (original, drop_in), *wrong)
            finally:
                after.put_back()
        self._keep(call, ours)
        return _given(theirs)

    def _place(self) -> str:
        """Return file and line of the call, from the first frame that is a user's."""
        frame = sys._getframe(1)
        while _is_passed_through(str(frame.f_globals.get("__name__"))) and frame.f_back is not None:
            frame = frame.f_back
        file = Path(frame.f_code.co_filename)
        shown = file.relative_to(self._root) if file.is_relative_to(self._root) else file
        return f"{shown.as_posix()}:{frame.f_lineno}"


def _sabotage(
    check: Check,
    before: ReachableState,
    checkers: tuple[Function, Function],
    arguments: Sequence[Any],
    keywords: Mapping[str, Any],
) -> Sabotage:
    words = []
    for checker in checkers:
        before.put_back()
        words.append(_word(check, _ask_quietly(checker, arguments, keywords)))
    return Sabotage(*words)


def _ask(checker: Function, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Heard:
    started = time.perf_counter()
    try:
        with unheard():
            value = checker(*arguments, **keywords)
    except Exception as error:
        return Heard(None, error, time.perf_counter() - started)
    return Heard(value, None, time.perf_counter() - started)


def _ask_quietly(checker: Function, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Heard:
    """Ask somebody whom the test does not hear: warnings stay here, and secant's never raise."""
    with warnings.catch_warnings(record=True) as caught:
        for category in categories():
            warnings.simplefilter("always", category)
        heard = _ask(checker, arguments, keywords)
    said = [str(one.message) for one in caught if one.category in categories()]
    return Heard(heard.value, heard.error, heard.seconds, said[0] if said else "")


def categories() -> list[type[Warning]]:
    """Return the classes by which the drop-ins say that numbers cannot tell."""
    modules = [sys.modules.get(name) for name in ("secant", "secant.torch", "secant.jax")]
    named = [value for module in modules if module is not None for value in vars(module).values()]
    return [
        value
        for value in named
        if isinstance(value, type)
        and issubclass(value, Warning)
        and value.__module__.partition(".")[0] == "secant"
    ]


def _word(check: Check, heard: Heard) -> Word:
    error = heard.error
    if error is None:
        is_passing = heard.value is None or bool(heard.value)
        return Word(PASSES if is_passing else FAILS, "", heard.seconds, _first(heard.undecided))
    classes = [one.__name__ for one in type(error).__mro__]
    outcome = FAILS if check.failure in classes else RAISES
    return Word(outcome, _said(error), heard.seconds, "", tuple(classes))


def _said(error: Exception) -> str:
    """Return in one line what an exception says, of a report the decisive part."""
    report = getattr(error, "report", None)
    if report is not None:
        from .tally import short

        return short(report)
    return f"{type(error).__name__}: {_first(str(error))}"


def _first(message: str) -> str:
    """Return the first lines of a message that say something, as one."""
    lines = [" ".join(line.split()) for line in message.strip().splitlines() if line.strip()]
    return "; ".join(lines[:3])


def _given(heard: Heard) -> Any:
    if heard.error is not None:
        raise heard.error
    return heard.value


def _drop_in(check: Check) -> Function:
    function: Function = getattr(importlib.import_module(check.drop_in), check.name)
    return function


def _is_passed_through(module: str) -> bool:
    return module.partition(".")[0] in _PASSED_THROUGH
