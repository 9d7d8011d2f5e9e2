"""Many checks asked as one question: each with a name, its report or why it was refused."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ._check import check
from ._errors import InputError, SecantError, spell
from ._hearing import told
from ._problem.trees import function_name
from ._report.model import Report
from ._report.suite import Case, Suite
from ._settings import settle

Checks = Mapping[str, Sequence[Any]] | Iterable[Sequence[Any]]
"""Functions, each with its inputs behind it: by name, or one after the other."""


def check_many(checks: Checks, settings: Mapping[str, Any]) -> Suite:
    """Check every function, whatever becomes of the others."""
    started = time.perf_counter()
    settle(settings)  # a setting that is wrong is wrong for all
    cases = []
    for name, (function, *inputs) in _named(checks):
        ask = partial(check, function, *inputs, **settings)
        cases.append(judged(name, partial(told, "check", ask, function, inputs, settings)))
    versions = (one for case in cases if case.report is not None for one in case.report.versions)
    seconds = time.perf_counter() - started
    title = f"{len(cases):,} check{'s' if len(cases) > 1 else ''}"
    return Suite(title, tuple(cases), seconds, tuple(dict.fromkeys(versions)))


def judged(name: str, ask: Callable[[], Report]) -> Case:
    """Return a check as a case of a suite: what it says, or why it could not be asked."""
    try:
        return Case(name, ask())
    except SecantError as error:
        return Case(name, refusal=str(error))
    except Exception as error:
        return Case(name, refusal=spell(error))


def _named(checks: Checks) -> Iterator[tuple[str, Sequence[Any]]]:
    """Yield every check with a name of its own: functions of one name are numbered."""
    if isinstance(checks, Mapping):
        names, every = list(map(str, checks)), list(checks.values())
    else:
        every = list(checks)
        names = [function_name(one[0]) if _is_check(one) else "" for one in every]
    if not every:
        raise InputError("expected at least one check; got none, so there is nothing to say")
    shared, seen = Counter(names), Counter[str]()
    for name, one in zip(names, every, strict=True):
        if not _is_check(one):
            raise InputError(
                "expected every check to be a tuple of a function and its inputs, as in "
                f"(torch.sin, x); got {type(one).__name__}"
            )
        yield (name if shared[name] == 1 else f"{name}[{seen[name]}]"), one
        seen[name] += 1


def _is_check(one: Any) -> bool:
    return isinstance(one, (tuple, list)) and bool(one) and callable(one[0])
