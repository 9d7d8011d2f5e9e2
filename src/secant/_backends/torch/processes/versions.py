"""Versions of a function, told from one process to the others: in float64, without casts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from torch.overrides import _get_current_function_mode_stack
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

from ..versions.lift import Widening
from ..versions.redraw import Redrawing
from ..versions.uncast import Casts, uncasting

_REDRAWING, _WIDENING, _UNCASTING, _BETWEEN = "redrawing", "widening", "uncasting ", ","
_functions: Any = _get_current_function_mode_stack
_dispatches: Any = _get_current_dispatch_mode_stack


def versions_here() -> tuple[str, ...]:
    """Name what calls made here leave out or widen."""
    names = []
    for one in (*_functions(), *_dispatches()):
        if isinstance(one, Redrawing):
            names.append(_REDRAWING)
        elif isinstance(one, Widening):
            names.append(_WIDENING)
        elif isinstance(one, Casts) and one.is_left_out:
            names.append(_UNCASTING + _BETWEEN.join(sorted(one.only)))
    if any(name == _UNCASTING for name in names):
        names.remove(_WIDENING)  # which leaving out all casts brings along
    return tuple(sorted(names))


@contextlib.contextmanager
def in_versions(names: Sequence[str]) -> Iterator[None]:
    """Leave out and widen what another process named."""
    makers: dict[str, Any] = {_REDRAWING: Redrawing, _WIDENING: Widening}
    with contextlib.ExitStack() as stack:
        for name in names:
            only = name.removeprefix(_UNCASTING)
            made = uncasting(only.split(_BETWEEN) if only else ()) if only != name else None
            stack.enter_context(makers[name]() if made is None else made)
        yield
