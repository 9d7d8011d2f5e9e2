"""secant's frames, hidden from tracebacks of what secant itself raises on purpose.

An error of the user's function, or a bug in secant, keeps every frame. pytest reads the name
`__tracebackhide__` from a frame's module where it is no local variable.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

_NAME = "__tracebackhide__"


def hide_frames() -> None:
    """Mark the modules of secant that are loaded by now."""
    for names in _modules():
        names.setdefault(_NAME, is_deliberate)


def show_frames() -> None:
    """Take the marks away again."""
    for names in _modules():
        if names.get(_NAME) is is_deliberate:
            del names[_NAME]


def is_deliberate(excinfo: pytest.ExceptionInfo[BaseException] | None) -> bool:
    """Say whether secant raised this to tell the user something."""
    return excinfo is not None and _package(excinfo.type.__module__) == "secant"


def _modules() -> Iterator[dict[str, Any]]:
    for name, module in list(sys.modules.items()):
        if _package(name) == "secant" and module is not None:
            yield vars(module)


def _package(name: str) -> str:
    return name.partition(".")[0]
