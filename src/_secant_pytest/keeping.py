"""All that a check's function can reach and change, kept and put back.

Takes the arguments of a call. Two checks on the same arguments see the same state only if what the
first one's calls changed is undone before the second: generators of random numbers, tensors and
their gradients, a module's buffers, a counter in a closure, a cache in a dictionary. Tensors are
put back byte by byte below autograd, so that nobody notices who has saved them for backward.
"""

from __future__ import annotations

import contextlib
import functools
import random
import sys
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

Undo = Callable[[], None]

_MOST = 20_000  # objects looked at: no test's function holds more, but what it holds may
_FOREIGN = {"torch", "jax", "jaxlib", "numpy", "scipy", "secant", "_secant_pytest"}
_FOREIGN |= {"pytest", "_pytest", "pluggy", "xdist", "execnet", "hypothesis"}
_FOREIGN |= sys.stdlib_module_names


class ReachableState:
    """The state that some values can reach, as it is now."""

    def __init__(self, *values: Any) -> None:
        self._undo = [*_random_numbers()]
        for value in _reachable(values):
            with contextlib.suppress(Exception):  # what cannot be copied stays as it is
                self._undo += _kept(value)

    def put_back(self) -> None:
        """Make it again what it was."""
        for undo in self._undo:
            with contextlib.suppress(Exception):
                undo()


def _random_numbers() -> Iterator[Undo]:
    """Keep the generators that everybody shares."""
    yield functools.partial(random.setstate, random.getstate())
    if (numpy := sys.modules.get("numpy")) is not None:
        yield functools.partial(numpy.random.set_state, numpy.random.get_state())
    if (torch := sys.modules.get("torch")) is not None:
        yield functools.partial(torch.set_rng_state, torch.get_rng_state())
        if torch.cuda.is_initialized():
            yield functools.partial(torch.cuda.set_rng_state_all, torch.cuda.get_rng_state_all())


# -- one value -------------------------------------------------------------------------------------


def _kept(value: Any) -> Iterator[Undo]:
    if isinstance(value, types.CellType):
        yield functools.partial(setattr, value, "cell_contents", value.cell_contents)
    elif isinstance(value, types.FunctionType):
        yield _bindings(value)
    elif isinstance(value, (dict, list, set, deque)):
        yield _container(value)
    elif isinstance(value, random.Random):
        yield functools.partial(value.setstate, value.getstate())
    elif _is_a(value, "torch", "Tensor"):
        with sys.modules["torch"]._C.DisableTorchFunction():  # no subclass is asked
            yield from [*_tensor(value)]
    elif _is_a(value, "torch", "Generator"):
        yield functools.partial(value.set_state, value.get_state())
    elif _is_a(value, "numpy", "ndarray"):
        yield _array(value)
    elif _is_a(value, "numpy.random", "Generator"):
        generator = value.bit_generator
        yield functools.partial(setattr, generator, "state", generator.state)
    elif _is_a(value, "numpy.random", "RandomState"):
        yield functools.partial(value.set_state, value.get_state())


def _bindings(function: types.FunctionType) -> Undo:
    """Keep what the global names that a function mentions stand for."""
    space = function.__globals__
    before = {name: space[name] for name in _names(function.__code__) if name in space}

    def put_back() -> None:
        for name, value in before.items():
            if space.get(name) is not value:
                space[name] = value

    return put_back


def _container(value: Any) -> Undo:
    before = value.copy()

    def put_back() -> None:
        if _is_same(value, before):
            return
        value.clear()
        (value.extend if isinstance(value, (list, deque)) else value.update)(before)

    return put_back


def _is_same(now: Any, before: Any) -> bool:
    """Say whether two containers hold the very same objects in the same order."""
    if len(now) != len(before):
        return False
    pairs = zip(now, before, strict=True)
    if isinstance(now, dict):
        return all(a is b and now[a] is before[b] for a, b in pairs)
    return now == before if isinstance(now, set) else all(a is b for a, b in pairs)


def _array(value: Any) -> Undo:
    before = value.copy()

    def put_back() -> None:
        if value.tobytes() != before.tobytes():
            value[...] = before

    return put_back


def _tensor(value: Any) -> Iterator[Undo]:
    for part in _stored(value):
        yield _storage(part)
    if value.is_leaf or value.retains_grad:
        gradient = value.grad
        if gradient is not None:
            yield from _tensor(gradient)
        yield functools.partial(_put_gradient_back, value, gradient)


def _stored(value: Any) -> Iterable[Any]:
    """Return the tensors that hold a tensor's numbers."""
    torch = sys.modules["torch"]
    if value.layout is torch.strided:
        return (value,)
    if value.layout is torch.sparse_coo:
        return (value._indices(), value._values())
    return (value.values(),)


def _storage(part: Any) -> Undo:
    torch = sys.modules["torch"]
    everything = torch.empty(0, dtype=torch.uint8, device=part.device)
    everything.set_(part.untyped_storage())
    before = everything.clone()

    def put_back() -> None:
        if not torch.equal(everything, before):
            everything.copy_(before)

    return put_back


def _put_gradient_back(value: Any, gradient: Any) -> None:
    if value.grad is not gradient:
        value.grad = gradient


# -- what it can reach -----------------------------------------------------------------------------


def _reachable(values: Sequence[Any]) -> Iterator[Any]:
    """Yield what a function can reach, each object once."""
    seen: dict[int, Any] = {}
    waiting = deque(values)
    while waiting and len(seen) < _MOST:
        value = waiting.popleft()
        if id(value) in seen or isinstance(value, (str, bytes, int, float, complex, type)):
            continue
        seen[id(value)] = value  # kept alive, so that no other takes its number
        yield value
        with contextlib.suppress(Exception):
            waiting.extend(_children(value))


def _children(value: Any) -> Iterable[Any]:
    if isinstance(value, types.FunctionType):
        return _of_function(value)
    if isinstance(value, types.MethodType):
        return (value.__self__, value.__func__)
    if isinstance(value, types.CellType):
        return (value.cell_contents,)
    if isinstance(value, functools.partial):
        return (value.func, value.args, value.keywords)
    if isinstance(value, dict):
        return dict.values(value)
    if isinstance(value, (tuple, list, set, frozenset, deque)):
        return value
    if callable(value) and hasattr(value, "__wrapped__"):
        return (value.__wrapped__,)
    is_module = _is_a(value, "torch.nn", "Module")
    if is_module or not (isinstance(value, types.ModuleType) or _is_foreign(type(value))):
        return (vars(value),)
    return ()


def _of_function(function: types.FunctionType) -> Iterable[Any]:
    if _is_foreign(function):
        return
    yield from function.__closure__ or ()
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    yield from (vars(function), getattr(function, "__wrapped__", None))
    for name in _names(function.__code__):
        yield function.__globals__.get(name)


def _names(code: types.CodeType) -> Iterator[str]:
    """Yield the global names that code mentions, and functions defined in it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _is_foreign(value: Any) -> bool:
    """Say whether a function or class is of a framework, of Python, or of what runs the tests."""
    return str(value.__module__).partition(".")[0] in _FOREIGN


def _is_a(value: Any, module: str, name: str) -> bool:
    """Say whether a value is of a class, without importing where that lives."""
    found = getattr(sys.modules.get(module), name, None)
    return found is not None and isinstance(value, found)
