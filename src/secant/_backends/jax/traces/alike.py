"""Whether two traces are the same: operation by operation, up to the names of their variables.

What cannot be compared for certain (a rule written by hand, a callback) is not the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal


def is_same(one: Jaxpr, other: Jaxpr, but: Sequence[str] | frozenset[str]) -> bool:
    """Say whether two traces are the same up to names of variables, and parameters named `but`."""
    if one is other:
        return True
    if len(one.eqns) != len(other.eqns) or one.effects != other.effects:
        return False
    names: dict[Any, Any] = {}
    if not _bound(names, [*one.constvars, *one.invars], [*other.constvars, *other.invars]):
        return False
    for a, b in zip(one.eqns, other.eqns, strict=True):
        if a.primitive is not b.primitive or a.ctx is not b.ctx or a.effects != b.effects:
            return False
        if not _is_read_alike(names, a.invars, b.invars) or not _is_equal(a.params, b.params, but):
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


def _is_equal(one: Any, other: Any, but: Sequence[str] | frozenset[str] = ()) -> bool:
    """Say whether two parameters are equal for certain."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, ClosedJaxpr):
        constants = _is_equal(list(one.consts), list(other.consts))
        return constants and is_same(one.jaxpr, other.jaxpr, but)
    if isinstance(one, Jaxpr):
        return is_same(one, other, but)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(
            key in but or _is_equal(one[key], other[key], but) for key in one
        )
    if isinstance(one, (tuple, list)):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(_is_equal(a, b, but) for a, b in pairs)
    if isinstance(one, (np.ndarray, np.generic, jax.Array)):
        return _is_equal_array(one, other)
    if isinstance(one, float):
        return float.hex(one) == float.hex(other)  # NaN is itself here, and −0 is not 0
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
