"""The checks of an existing suite, answered by somebody else wherever they were imported from.

A test may have bound `gradcheck` under any name, in a table or as a default, before or after this
run began. All of them are one function object, so its code is what is exchanged, and put back when
the run is over. Nothing is imported for that: a module that is loaded later is waited for.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from .waiting import Waiting

Function = Callable[..., Any]
Answer = Callable[["Check", Function, Sequence[Any], Mapping[str, Any]], Any]
"""Takes which check was called, the original, and its arguments; returns what the caller gets."""

_IS_ORIGINAL: ContextVar[bool] = ContextVar("secant_original_answers", default=False)


@dataclass(frozen=True)
class Check:
    """A function that checks gradients, the module that defines it, and secant's stand-in."""

    name: str
    module: str
    drop_in: str
    failure: str  # the class of exception that says that a gradient is wrong
    public: str  # what users call it

    @property
    def framework(self) -> str:
        """The package that it belongs to."""
        return self.public.partition(".")[0]


_TORCH = ("torch.autograd.gradcheck", "secant.torch", "GradcheckError")
_JAX = ("jax._src.public_test_util", "secant.jax", "AssertionError")
CHECKS = {
    check.name: check
    for check in (
        Check("gradcheck", *_TORCH, "torch.autograd.gradcheck"),
        Check("gradgradcheck", *_TORCH, "torch.autograd.gradgradcheck"),
        Check("check_grads", *_JAX, "jax.test_util.check_grads"),
        Check("check_jvp", *_JAX, "jax.test_util.check_jvp"),
        Check("check_vjp", *_JAX, "jax.test_util.check_vjp"),
    )
}


@contextmanager
def originals() -> Iterator[None]:
    """Let calls made meanwhile be answered by the originals: one check is built on another."""
    token = _IS_ORIGINAL.set(True)
    try:
        yield
    finally:
        _IS_ORIGINAL.reset(token)


class Interception:
    """Between `open` and `close` every check goes to `answer`, whichever module is loaded when."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._waiting = Waiting({check.module for check in CHECKS.values()}, self._exchange)
        self._opened: list[_Intercepted] = []

    def open(self) -> None:
        """Exchange what is loaded, and wait for the rest."""
        self._waiting.open()

    def close(self) -> None:
        """Put everything back."""
        self._waiting.close()
        while self._opened:
            self._opened.pop().close()

    def _exchange(self, module: types.ModuleType) -> None:
        for check in CHECKS.values():
            if check.module == module.__name__:
                self._opened.append(_Intercepted(check, vars(module)[check.name], self._answer))


class _Intercepted:
    """One check's function, with a stand-in's code until it is closed."""

    def __init__(self, check: Check, function: types.FunctionType, answer: Answer) -> None:
        self.check, self.answer = check, answer
        self._function = function
        stack = _OPEN.setdefault(check.name, [])
        if stack:  # a run inside a run
            self.original: Function = stack[-1].original
        else:
            self.original = _copy(function)
            signature = inspect.signature(function)
            function.__code__ = _code_for(check.name)
            function.__signature__ = signature  # type: ignore[attr-defined]
        stack.append(self)

    def close(self) -> None:
        stack = _OPEN[self.check.name]
        stack.remove(self)
        if not stack:
            self._function.__code__ = self.original.__code__
            del self._function.__signature__  # type: ignore[attr-defined]


_OPEN: dict[str, list[_Intercepted]] = {}


def _copy(function: types.FunctionType) -> Function:
    """Return the same function as another object, which keeps its code."""
    copy = types.FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__qualname__ = function.__qualname__
    return copy


def answer(name: str, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """Answer a call of a check, as the run that took it over last wants it."""
    __tracebackhide__ = True
    taken = _OPEN[name][-1]
    if _IS_ORIGINAL.get():
        return taken.original(*arguments, **keywords)
    return taken.answer(taken.check, taken.original, arguments, keywords)


# This code runs with the names of the original's module, so that it says all that it needs.
def _stand_in(*arguments: Any, **keywords: Any) -> Any:
    __tracebackhide__ = True
    from _secant_pytest.interception import answer

    return answer("CHECK", arguments, keywords)


def _code_for(name: str) -> types.CodeType:
    """Return the code of a stand-in for this check."""
    code = _stand_in.__code__
    return code.replace(co_consts=tuple(name if one == "CHECK" else one for one in code.co_consts))
