"""Versions of a function, told from one process to the others: in float64, without casts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from torch.overrides import _get_current_function_mode_stack
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

from ..lift import Widening
from ..redraw import Redrawing
from ..uncast import Casts, uncasting

_functions: Any = _get_current_function_mode_stack
_dispatches: Any = _get_current_dispatch_mode_stack


def versions_here() -> tuple[str, ...]:
    """Name what calls made here leave out or widen."""
    modes = [*_functions(), *_dispatches()]
    redraws = ["redrawing"] if any(isinstance(one, Redrawing) for one in modes) else []
    if any(isinstance(one, Casts) and one.is_left_out for one in modes):
        return (*redraws, "uncasting")
    widens = ["widening"] if any(isinstance(one, Widening) for one in modes) else []
    return (*redraws, *widens)


@contextlib.contextmanager
def in_versions(names: Sequence[str]) -> Iterator[None]:
    """Leave out and widen what another process named."""
    makers: dict[str, Any] = {
        "redrawing": Redrawing,
        "uncasting": uncasting,
        "widening": Widening,
    }
    with contextlib.ExitStack() as stack:
        for name in names:
            stack.enter_context(makers[name]())
        yield
