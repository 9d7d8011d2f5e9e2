"""Everything that hangs on a module, kept, so that every call begins alike and none leaves a trace.

From a module one reaches its submodules, attributes, containers, plain objects, tensors, arrays and
generators. For the time of a call private copies stand where tensors and arrays are; afterwards
every container and every object holds again the very things it held. A tensor that must stay where
it is, because a tuple holds it or a gradient leads to it, gets its values back. All of this can be
done any number of times. Out of reach is what only code can see: closures, globals, open files.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import io
import operator
import random
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import torch

from ...process.restoration import put_back_later
from .copies import ArrayCopy, Copy, Watched, shared_memory

_MOST = 20_000  # objects: beyond them something else than a module's own state is reached
_ATOMS = frozenset(
    {bool, int, float, complex, str, bytes, type(None), range, slice, type}
    | {torch.dtype, torch.device, torch.Size, torch.layout, types.FunctionType}
    | {types.BuiltinFunctionType, types.ModuleType, np.dtype}
)
_TABLES = frozenset({dict, collections.OrderedDict, list})
_OPEN_CLASSES = (types.SimpleNamespace, argparse.Namespace)  # the library's own that hold settings
_CLOSED = sys.stdlib_module_names | {"torch", "numpy", "jax", "jaxlib", "triton", "functorch"}
_FAR = f"more than {_MOST:,} objects hang on it: state beyond them is not put back"


class ModuleState:
    """Some modules and all that hangs on them, except what the caller puts in: `own` tensors."""

    def __init__(
        self, modules: Iterable[torch.nn.Module], own: Iterable[torch.Tensor] = ()
    ) -> None:
        self.remarks: list[str] = []
        self._own = {id(one) for one in own}
        self._seen: dict[int, Any] = {}  # by identity; held, so that no identity is used twice
        self._dicts: list[tuple[dict[Any, Any], dict[Any, Any]]] = []  # and what they held
        self._tables: list[tuple[Any, Any]] = []  # other containers
        self._empty: list[Any] = []  # most of them: hooks that nobody has set
        self._slotted: list[tuple[Any, dict[str, Any]]] = []
        self._slots: list[tuple[Any, Any, Any]] = []  # a container, a key, what is there
        self._watched: dict[int, Watched] = {}
        self._generators: list[tuple[Callable[[Any], Any], Any]] = []
        self._is_looked_at = False
        for module in modules:
            self._reach(type(module).__name__, module)
        self._copies: list[Copy | ArrayCopy] = [
            *map(Copy, shared_memory(self._originals(torch.Tensor))),
            *map(ArrayCopy, self._originals(np.ndarray)),
        ]
        by_original = {id(o): (one, k) for one in self._copies for k, o in enumerate(one.originals)}
        self._places = [(table, key, *by_original[id(one)]) for table, key, one in self._slots]
        put_back_later(self._put_back_for_good)

    def _originals(self, kind: type) -> list[Any]:
        return list({id(one): one for _, _, one in self._slots if isinstance(one, kind)}.values())

    # -- what hangs on a module ------------------------------------------------------------------

    def _reach(self, path: str, value: Any, table: Any = None, key: Any = None) -> None:
        """Take note of a value, and of what it holds; `table[key]` is where it may be replaced."""
        kind = type(value)
        if kind in _ATOMS:
            return
        if kind in _TABLES and not value:  # most of what hangs on a module
            if id(value) not in self._seen:
                self._seen[id(value)] = value
                self._empty.append(value)
            return
        if isinstance(value, (type, torch.autograd.graph.Node)):
            return
        if isinstance(value, torch.Tensor):
            self._reach_tensor(value, table, key)
        elif isinstance(value, np.ndarray):
            if table is not None:
                self._slots.append((table, key, value))
        elif id(value) not in self._seen:
            self._seen[id(value)] = value
            if len(self._seen) <= _MOST:
                self._reach_inside(path, value)
            elif _FAR not in self.remarks:
                self.remarks.append(_FAR)

    def _reach_tensor(self, value: torch.Tensor, table: Any, key: Any) -> None:
        is_parameter = isinstance(value, torch.nn.Parameter)
        if id(value) in self._own or (is_parameter and type(value) is not torch.nn.Parameter):
            return
        if table is not None and not value.requires_grad:
            self._slots.append((table, key, value))
        elif value.is_leaf and not value.is_inference() and id(value) not in self._watched:
            self._watched[id(value)] = Watched(value)

    def _reach_inside(self, path: str, value: Any) -> None:
        if isinstance(value, (dict, list, collections.deque)):
            self._reach_table(path, value)
        elif isinstance(value, torch.nn.Module):
            self._reach_object(path, value)
        elif (restore := _rewinding(value)) is not None:
            self._generators.append(restore)
        elif isinstance(value, (tuple, set, frozenset)):
            if isinstance(value, set):
                self._keep_table(value)
            for place, one in enumerate(value):
                self._reach(f"{path}[{place}]", one)
        elif isinstance(value, types.MethodType):
            self._reach(path, value.__self__)
        elif isinstance(value, (io.IOBase, collections.abc.Iterator)):
            self.remarks.append(f"{path} is read by calls, and cannot be wound back")
        elif _is_plain(value):
            self._reach_object(path, value)

    def _reach_table(self, path: str, table: Any) -> None:
        self._keep_table(table)
        pairs = table.items() if isinstance(table, dict) else enumerate(table)
        for key, one in pairs:
            self._reach(f"{path}[{key!r}]" if type(one) not in _ATOMS else path, one, table, key)

    def _keep_table(self, table: Any) -> None:
        if table and isinstance(table, dict):
            self._dicts.append((table, dict(table)))
        elif table:
            self._tables.append((table, list(table)))
        else:
            self._empty.append(table)

    def _reach_object(self, path: str, value: Any) -> None:
        attributes = getattr(value, "__dict__", None)
        if type(attributes) is dict:
            self._keep_table(attributes)
            for name, one in attributes.items():
                self._reach(f"{path}.{name}" if type(one) not in _ATOMS else path, one,
                            attributes, name)  # fmt: skip
        held = {name: getattr(value, name) for name in _slot_names(type(value), value)}
        if held:
            self._slotted.append((value, held))
            for name, one in held.items():
                self._reach(f"{path}.{name}", one)

    # -- around a call ---------------------------------------------------------------------------

    @contextlib.contextmanager
    def holding(self) -> Iterator[None]:
        """Let a call begin as every other, and put back what it changes."""
        try:
            self.put_in()
            yield
        finally:
            self.put_back()

    def put_in(self) -> None:
        """Put copies where tensors and arrays are, the same one where the tensor is the same."""
        for copy in self._copies:
            copy.renew()
        for table, key, copy, place in self._places:
            table[key] = copy.made[place]
        for watched in self._watched.values():
            watched.look()

    def put_back(self) -> None:
        """Put everything back that a call has changed."""
        same = operator.is_
        for table, before in self._dicts:  # asked at every call, most of them about the same
            if (
                len(table) != len(before)
                or not all(map(same, table.values(), before.values()))
                or not all(map(same, table, before))
            ):
                _refill(table, before)
        for table, before in self._tables:
            if not _is_same(table, before):
                _refill(table, before)
        for table in self._empty:
            if table:
                table.clear()
        for value, held in self._slotted:
            for name, one in held.items():
                if getattr(value, name, None) is not one:
                    setattr(value, name, one)
        for rewind, state in self._generators:
            rewind(state)
        for watched in self._watched.values():
            watched.put_back(is_sure=not self._is_looked_at)
        if not self._is_looked_at:
            self._is_looked_at = True
            for copy in self._copies:
                copy.look()

    def _put_back_for_good(self) -> None:
        self._is_looked_at = False
        self.put_back()


def _is_plain(value: Any) -> bool:
    """Say whether an object is a user's, or holds nothing but settings."""
    if isinstance(value, _OPEN_CLASSES):
        return True
    return type(value).__module__.partition(".")[0] not in _CLOSED


def _slot_names(kind: type, value: Any) -> Iterator[str]:
    for one in kind.__mro__[:-1]:
        own = one.__dict__.get("__slots__", ())
        for name in (own,) if isinstance(own, str) else own:
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                yield name


def _rewinding(value: Any) -> tuple[Callable[[Any], Any], Any] | None:
    """Return how a random generator is put back, and to what; None for anything else."""
    if isinstance(value, torch.Generator):
        return value.set_state, value.get_state()
    if isinstance(value, random.Random):
        return value.setstate, value.getstate()
    if isinstance(value, np.random.RandomState):
        return value.set_state, value.get_state(legacy=False)
    if isinstance(value, np.random.Generator):
        value = value.bit_generator
    if isinstance(value, np.random.BitGenerator):
        generator: Any = value
        return lambda state: setattr(generator, "state", state), generator.state
    return None


def _is_same(table: Any, before: Any) -> bool:
    """Say whether a container holds the very same things in the same order."""
    if len(table) != len(before):
        return False
    if isinstance(table, set):
        return all(one in table for one in before)
    return all(map(operator.is_, table, before))


def _refill(table: Any, before: Any) -> None:
    """Let a container hold what it held, whatever its class makes of being written into."""
    if isinstance(table, collections.OrderedDict):
        collections.OrderedDict.clear(table)
        for key, one in before.items():
            collections.OrderedDict.__setitem__(table, key, one)
    elif isinstance(table, dict):
        dict.clear(table)
        dict.update(table, before)
    elif isinstance(table, set):
        set.clear(table)
        set.update(table, before)
    elif isinstance(table, list):
        list.clear(table)
        list.extend(table, before)
    else:
        table.clear()
        table.extend(before)
