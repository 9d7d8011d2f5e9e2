"""A function of arrays as a trace, made in the shortest way that JAX has.

`jax.make_jaxpr` compiles nothing, but goes by way of a compiled function that is made for the
purpose, which takes four times as long as tracing a small one does. What it calls in the end is
open too, with less of a promise that it stays: so the two are held against each other once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.extend import linear_util
from jax.extend.core import ClosedJaxpr, DebugInfo

try:
    from jax.interpreters.partial_eval import trace_to_jaxpr_dynamic
except ImportError:  # another JAX than those that are known
    trace_to_jaxpr_dynamic = None

Flat = Callable[..., list[Any]]
"""From arrays to a list of arrays."""


def trace_of(function: Flat, arrays: Sequence[Any]) -> ClosedJaxpr:
    """Return the trace of a function at arrays of these shapes and dtypes."""
    return (_traced_directly if _is_the_same() else _traced_as_compiled)(function, arrays)


def _traced_directly(function: Flat, arrays: Sequence[Any]) -> ClosedJaxpr:
    called = linear_util.wrap_init(function, debug_info=_ABOUT)
    jaxpr, _, constants = trace_to_jaxpr_dynamic(called, list(map(jax.typeof, arrays)))
    return ClosedJaxpr(jaxpr, constants)


def _traced_as_compiled(function: Flat, arrays: Sequence[Any]) -> ClosedJaxpr:
    return jax.make_jaxpr(function)(*arrays)


_ABOUT = DebugInfo("secant", "function", None, None)


@functools.cache
def _is_the_same() -> bool:
    """Say whether this JAX makes the same trace directly."""
    try:
        closed = jax.numpy.asarray(np.ones(2, np.float32))

        def function(one: Any, other: Any) -> list[Any]:
            return [one + other, one.sum() * 2, jax.jit(jax.numpy.sin)(one) * closed]

        traces = [way(function, [closed] * 2) for way in (_traced_directly, _traced_as_compiled)]
        return str(traces[0]) == str(traces[1])
    except Exception:  # it takes other arguments, or the user forbids something
        return False
