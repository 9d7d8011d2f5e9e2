"""Traces and their pulls, kept: a function checked again at another point is not compiled again.

A function may have changed since the last check, so it is traced anew each time; what is kept is
found by comparing traces, operation by operation. Anything that cannot be compared (a rule written
by hand, a callback) makes two traces different.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal, jaxpr_as_fun

_MOST = 64
_LARGEST = 1 << 20  # bytes of constants; larger ones are not worth holding on to
_kept: list[Kept] = []

Pull = Callable[[Sequence[Any], Sequence[Any]], tuple[list[Any], Sequence[Any]]]
"""From arrays and cotangents to the outputs of the derivative's own pass, and gradients."""


class Kept:
    """A trace as a function of its arrays, and its pulls, compiled when first asked for."""

    def __init__(self, traced: ClosedJaxpr, *, is_compiled: bool) -> None:
        self.traced = traced
        plain = jaxpr_as_fun(traced)
        self.run: Callable[..., Sequence[Any]] = jax.jit(plain) if is_compiled else plain
        self._pulls: dict[tuple[tuple[int, ...], tuple[int, ...]], Pull] = {}

    def pull(self, leaves: tuple[int, ...], outputs: tuple[int, ...]) -> Pull:
        """Return the pull from some outputs to some of the arrays, by their places."""
        known = self._pulls.get((leaves, outputs))
        if known is None:
            known = self._pulls[leaves, outputs] = jax.jit(_pulled(self.run, leaves, outputs))
        return known


def _pulled(run: Callable[..., Any], leaves: Sequence[int], outputs: Sequence[int]) -> Pull:
    def pull(arrays: Sequence[Any], cotangents: Sequence[Any]) -> tuple[list[Any], Sequence[Any]]:
        def call(*values: Any) -> list[Any]:
            given = list(arrays)
            for place, value in zip(leaves, values, strict=True):
                given[place] = value
            answers = run(*given)
            return [answers[place] for place in outputs]

        passed, back = jax.vjp(call, *(arrays[place] for place in leaves))
        return passed, back(list(cotangents))

    return pull


def kept(traced: ClosedJaxpr, *, is_compiled: bool) -> Kept:
    """Return a trace with what was compiled of it earlier, if there is such a one."""
    for place, earlier in enumerate(_kept):
        if _is_same_closed(earlier.traced, traced):
            _kept.append(_kept.pop(place))
            return earlier
    made = Kept(traced, is_compiled=is_compiled)
    if _can_be_kept(traced.consts):
        _kept.append(made)
        del _kept[:-_MOST]
    return made


def _can_be_kept(constants: Sequence[Any]) -> bool:
    is_concrete = not any(isinstance(one, jax.core.Tracer) for one in constants)
    return is_concrete and sum(getattr(one, "nbytes", 0) for one in constants) <= _LARGEST


def _is_same_closed(one: ClosedJaxpr, other: ClosedJaxpr) -> bool:
    return one is other or (
        _is_same(one.jaxpr, other.jaxpr) and _is_equal(list(one.consts), list(other.consts))
    )


def _is_same(one: Jaxpr, other: Jaxpr) -> bool:
    """Say whether two jaxprs are the same up to the names of their variables."""
    if len(one.eqns) != len(other.eqns) or one.effects != other.effects:
        return False
    names: dict[Any, Any] = {}
    if not _bound(names, [*one.constvars, *one.invars], [*other.constvars, *other.invars]):
        return False
    for a, b in zip(one.eqns, other.eqns, strict=True):
        if a.primitive is not b.primitive or a.ctx is not b.ctx or a.effects != b.effects:
            return False
        if not _is_read_alike(names, a.invars, b.invars) or not _is_equal(a.params, b.params):
            return False
        if not _bound(names, a.outvars, b.outvars):
            return False
    return _is_read_alike(names, one.outvars, other.outvars)


def _bound(names: dict[Any, Any], one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Let the variables of one stand for those of the other; say whether their types are equal."""
    names.update(zip(one, other, strict=False))
    return [v.aval for v in one] == [v.aval for v in other]


def _is_read_alike(names: dict[Any, Any], one: Sequence[Any], other: Sequence[Any]) -> bool:
    if len(one) != len(other):
        return False
    return all(
        isinstance(b, Literal) and a.aval == b.aval and _is_equal(a.val, b.val)
        if isinstance(a, Literal)
        else names.get(a) is b
        for a, b in zip(one, other, strict=True)
    )


def _is_equal(one: Any, other: Any) -> bool:
    """Say whether two parameters are equal for certain."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, ClosedJaxpr):
        return _is_same_closed(one, other)
    if isinstance(one, Jaxpr):
        return _is_same(one, other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_is_equal(one[k], other[k]) for k in one)
    if isinstance(one, (tuple, list)):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(_is_equal(a, b) for a, b in pairs)
    if isinstance(one, (np.ndarray, np.generic, jax.Array)):
        return _is_equal_array(one, other)
    try:
        return bool(one == other)
    except Exception:
        return False


def _is_equal_array(one: Any, other: Any) -> bool:
    if isinstance(one, jax.core.Tracer) or one.dtype != other.dtype or one.shape != other.shape:
        return False
    if jnp.issubdtype(one.dtype, jax.dtypes.extended):
        one, other = jax.random.key_data(one), jax.random.key_data(other)
    return np.asarray(one).tobytes() == np.asarray(other).tobytes()
