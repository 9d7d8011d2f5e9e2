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
    return _directly(function, arrays) if _is_the_same() else _by_compiled(function, arrays)


def _directly(function: Flat, arrays: Sequence[Any]) -> ClosedJaxpr:
    """Return the trace as `jax.make_jaxpr` does, without what a compiled function needs."""
    called = linear_util.wrap_init(function, debug_info=_ABOUT)
    jaxpr, _, constants = trace_to_jaxpr_dynamic(called, list(map(jax.typeof, arrays)))
    return ClosedJaxpr(jaxpr, constants)


def _by_compiled(function: Flat, arrays: Sequence[Any]) -> ClosedJaxpr:
    return jax.make_jaxpr(function)(*arrays)


_ABOUT = DebugInfo("secant", "function", None, None)


@functools.cache
def _is_the_same() -> bool:
    """Say whether this JAX makes the same trace directly; a mistake shows at once or never."""
    closed = jax.numpy.asarray(np.arange(2))
    arrays = [jax.numpy.asarray(np.ones(2, np.float32)), closed]

    def function(one: Any, other: Any) -> list[Any]:
        return [one + other, one.sum() * 2, closed + other]

    try:
        direct = str(_directly(function, arrays))
    except Exception:
        return False
    return direct == str(_by_compiled(function, arrays))
