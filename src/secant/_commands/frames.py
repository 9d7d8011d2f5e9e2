"""Where a user's own code raised: a few lines of their files instead of a whole traceback."""

from __future__ import annotations

import linecache
import os
import sysconfig
from pathlib import Path
from traceback import walk_tb

from .._errors import spell

_MOST = 5  # lines of the user's code, the innermost
_OURS = str(Path(__file__).parent.parent) + os.sep
_INSTALLED = tuple(
    sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib", "purelib", "platlib")
)


def where_raised(error: BaseException) -> list[str]:
    """Return a line for every call in the user's files that led to an exception, outermost first.

    Of a file that cannot be parsed, the line that says so.
    """
    places = [
        (frame.f_code.co_filename, line, frame.f_code.co_name)
        for frame, line in walk_tb(error.__traceback__)
        if _is_users(frame.f_code.co_filename)
    ]
    if isinstance(error, SyntaxError) and error.filename:
        places.append((error.filename, error.lineno or 1, "<module>"))
    return [_line(*place) for place in places[-_MOST:]]


def spell_raised(error: BaseException) -> str:
    """Name an exception and say what it says; a syntax error without the place, which follows."""
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__}: {error.msg}"
    return spell(error)


def _is_users(file: str) -> bool:
    if file.startswith("<"):
        return False
    inside = os.path.abspath(file)
    return not inside.startswith(_OURS) and not inside.startswith(_INSTALLED)


def _line(file: str, line: int, name: str) -> str:
    shown = os.path.relpath(file) if os.path.abspath(file).startswith(os.getcwd()) else file
    inside = "" if name.startswith("<") else f" in {name}"
    return f"  at {shown}:{line}{inside}: {linecache.getline(file, line).strip()}"
