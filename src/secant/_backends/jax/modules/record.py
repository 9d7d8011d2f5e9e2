"""One pass through a JAX module, call by call: what each submodule really got.

The classes of its submodules answer their calls through a wrapper for the time of the pass, and are
put back. A call inside a transformation (vmap, scan) gets no numbers and is not recorded.
"""

from __future__ import annotations

import collections
import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax

from ...interface.modules import Call
from ...process.restoration import replaced
from .unfold import is_nnx, submodules

_CALL = "__call__"


def record(
    module: Any,
    positional: Sequence[Any],
    named: Mapping[str, Any],
    random_state: Callable[[], Any],
) -> list[Call]:
    """Run the module once, a copy where it keeps state, and return its calls, its own first."""
    if is_nnx(module):
        module = sys.modules["flax.nnx"].clone(module)
    found = [pair for pair in submodules(module) if callable(pair[1])]
    tape = _Tape({id(one): path for path, one in reversed(found)}, random_state)
    kinds = {type(one) for _, one in found}
    with replaced(_CALL, {kind: _heard(tape, _plain(kind)) for kind in kinds}):
        module(*positional, **named)
    return tape.calls


@dataclass(slots=True)
class _Tape:
    """What has been heard so far."""

    paths: Mapping[int, str]  # of the submodules, by their identity
    random_state: Callable[[], Any]
    calls: list[Call] = field(default_factory=list)
    _open: list[int] = field(default_factory=list)
    _numbers: collections.Counter[str] = field(default_factory=collections.Counter)

    def heard(self, module: Any, call: Callable[..., Any], given: Any, named: Any) -> Any:
        """Call a submodule, and take note of it where it gets numbers."""
        path = self.paths.get(id(module))
        leaves = jax.tree_util.tree_leaves((given, named))
        if path is None or any(isinstance(leaf, jax.core.Tracer) for leaf in leaves):
            return call(module, *given, **named)
        self._numbers[path] += 1
        parent = self._open[-1] if self._open else -1
        own = _as_it_is(module)
        self._open.append(len(self.calls))
        self.calls.append(
            Call(
                path,
                type(module).__name__,
                own,
                tuple(given),
                dict(named),
                self.random_state(),
                self._numbers[path],
                parent,
            )
        )
        try:
            return call(module, *given, **named)
        finally:
            self._open.pop()


def _as_it_is(module: Any) -> Any:
    """Return a module as it is before a call, which may change its state."""
    return sys.modules["flax.nnx"].clone(module) if is_nnx(module) else module


def _plain(kind: type) -> Callable[..., Any]:
    """Return the function behind a class's way to be called; Equinox keeps it in a descriptor."""
    found: Any = next(one.__dict__[_CALL] for one in kind.__mro__ if _CALL in one.__dict__)
    plain: Callable[..., Any] = getattr(found, "method", found)
    return plain


def _heard(tape: _Tape, call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    def heard(module: Any, *given: Any, **named: Any) -> Any:
        return tape.heard(module, call, given, named)

    return heard
