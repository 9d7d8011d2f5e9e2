"""Where a derivative is written: its name, file and line, and which of its values is meant.

Looked up after a failure only: a report names the leaf, and then the code that has to change.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import linecache
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_DEFINES = ("def ", "async def ", "class ")
_FARTHEST = 40  # lines of decorators above a definition


@dataclass(frozen=True, slots=True)
class Code:
    """A place in somebody's source.

    Attributes:
        name: What is written there: `FusedFocal.backward`.
        file: The file as Python knows it.
        line: The line of its definition.
        value: Which of the values that it returns is meant, from 1 on; None: it has only one.
    """

    name: str
    file: str
    line: int
    value: int | None = None

    @property
    def place(self) -> str:
        """The file and the line, as short as they can be found from here."""
        return f"{_from_here(self.file)}:{self.line}"

    @property
    def link(self) -> str:
        """The file's address, empty where it is no file."""
        path = Path(self.file)
        return f"{path.as_uri()}#L{self.line}" if path.is_absolute() else ""

    def __str__(self) -> str:
        which = "" if self.value is None else f"{_ordinal(self.value)} value returned by "
        return f"{which}`{self.name}`, {self.place}"


def code_of(
    function: Callable[..., Any] | None, name: str = "", value: int | None = None
) -> Code | None:
    """Return where a function is written, None where it has no source of its own."""
    plain: Any = function
    while isinstance(plain, functools.partial):
        plain = plain.func
    try:
        plain = inspect.unwrap(plain)
    except ValueError:  # it wraps itself
        return None
    plain = getattr(plain, "__func__", plain)
    code = getattr(plain, "__code__", None)
    if code is None:
        return None
    own = str(getattr(plain, "__qualname__", code.co_name)).rpartition("<locals>.")[2]
    return Code(
        name or own, code.co_filename, defined_at(code.co_filename, code.co_firstlineno), value
    )


def defined_at(file: str, line: int) -> int:
    """Return the line of a definition, below the decorators that Python counts as its first."""
    lines = linecache.getlines(file)
    for below, text in enumerate(lines[line - 1 : line - 1 + _FARTHEST]):
        if text.lstrip().startswith(_DEFINES):
            return line + below
        if not text.lstrip().startswith("@") and below == 0:
            break  # a lambda: there is nothing above it
    return line


def common_steps(paths: Sequence[Sequence[str]]) -> list[str]:
    """Return the steps that several ways begin with.

    >>> common_steps([["encoder", "0", "norm"], ["encoder", "0"]])
    ['encoder', '0']
    """
    together = itertools.takewhile(lambda steps: len(set(steps)) == 1, zip(*paths, strict=False))
    return [steps[0] for steps in together]


def _from_here(file: str) -> str:
    try:
        return Path(file).relative_to(Path.cwd()).as_posix()
    except (ValueError, OSError):
        return file


def _ordinal(number: int) -> str:
    endings = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if number % 100 in (11, 12, 13) else endings.get(number % 10, 'th')}"
