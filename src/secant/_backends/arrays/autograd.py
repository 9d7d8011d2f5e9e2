"""HIPS autograd: derivatives of functions written with `autograd.numpy`.

Conjugation: autograd pairs v and J u without a conjugate, so that its answers are conjugated on
the way in and on the way out: pull(v) = conj(vjp(conj v)).
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import autograd.numpy as anp  # type: ignore[import-untyped]
from autograd.builtins import tuple as traced_tuple  # type: ignore[import-untyped]
from autograd.core import make_jvp, make_vjp  # type: ignore[import-untyped]
from autograd.tracer import trace_stack  # type: ignore[import-untyped]

from ..interface.transforms import Call, NotTraceable, Transforms


class Autograd(Transforms):
    """What autograd says about a function of NumPy arrays."""

    name = "autograd"

    def pull(self, call: Call, values: Sequence[Any], cotangents: Sequence[Any]) -> list[Any]:
        with _restored():
            vjp, _ = _traced(lambda: make_vjp(_of_tuple(call, len(values)), tuple(values)))
            return [anp.conj(one) for one in vjp(tuple(anp.conj(one) for one in cotangents))]

    def push(self, call: Call, values: Sequence[Any], tangents: Sequence[Any]) -> list[Any]:
        with _restored():
            jvp = make_jvp(_of_tuple(call, len(values)), tuple(values))
            _, pushed = _traced(lambda: jvp(tuple(tangents)))
            return list(pushed)


def _of_tuple(call: Call, count: int) -> Callable[[Any], Any]:
    """Return the function as one of a tuple, and of one, as autograd's transforms want it."""

    def function(values: Any) -> Any:
        return traced_tuple(call([values[k] for k in range(count)]))

    return function


def _traced(trace: Callable[[], Any]) -> Any:
    try:
        return trace()
    except Exception as error:
        cause = error.__cause__ or error
        if isinstance(cause, NotImplementedError):
            raise cause from None  # autograd follows, but has no derivative of something
        raise NotTraceable from error


@contextlib.contextmanager
def _restored() -> Iterator[None]:
    """Leave autograd's count of open traces as it was, also where a function raises.

    That an output does not depend on the input is for the report to say, not for a warning.
    """
    top = trace_stack.top
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Output seems independent of input")
            yield
    finally:
        trace_stack.top = top
