"""The shortest way to a trace, and to run one, leads where JAX's own does."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import secant
from secant._backends.jax.traces import tracing
from secant._backends.jax.traces.kept import _one_by_one

X = jnp.asarray(np.linspace(-1.0, 1.5, 6), jnp.float32)
TABLE = jnp.arange(6.0)


@jax.custom_jvp
def ruled(x):
    return jnp.sin(x)


ruled.defjvp(lambda at, move: (jnp.sin(at[0]), move[0] * jnp.cos(at[0])))


@jax.jit
def compiled(x):
    return jnp.where(x > 0, jnp.sin(x), x) + TABLE


def scanned(x):
    return jax.lax.scan(lambda total, one: (total + one * one, total), 0.0, x)[1]


def drawn(x):
    return x + jax.random.normal(jax.random.key(3), x.shape)


FUNCTIONS = [
    lambda x: jnp.sin(x),
    lambda x: jnp.sin(x) * 2 + TABLE,
    lambda x: x,
    lambda x: (x, jnp.arange(3), x.astype(jnp.bfloat16) @ x.astype(jnp.bfloat16)),
    jax.nn.celu,
    jnp.ptp,
    compiled,
    scanned,
    drawn,
    lambda x: compiled(x) * compiled(x + 1),
]


def flat(function):
    return lambda *arrays: list(map(jnp.asarray, jax.tree_util.tree_leaves(function(*arrays))))


@pytest.mark.parametrize("function", [*FUNCTIONS, lambda x: 3.0, ruled, lambda x: ruled(x) * 2])
def test_a_trace_made_directly_is_the_one_that_jax_makes(function):
    assert tracing._is_the_same()
    assert str(tracing.trace_of(flat(function), [X])) == str(jax.make_jaxpr(flat(function))(X))


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("x", [X, np.asarray(X)])
def test_operations_run_one_by_one_give_what_jax_gives(function, x):
    trace = jax.make_jaxpr(flat(function))(X)
    expected = jax.extend.core.jaxpr_as_fun(trace)(x)
    found = _one_by_one(trace.jaxpr)(trace.consts, [x])
    for one, other in zip(found, expected, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        assert np.asarray(one).tobytes() == np.asarray(other).tobytes()


def test_where_nan_is_debugged_an_operation_that_makes_some_is_no_error():
    with jax.debug_nans(True):
        assert secant.check(lambda x: jnp.where(x > 9, jnp.nan, x), X)


def test_a_jax_without_the_direct_way_traces_as_it_documents(monkeypatch):
    def changed(*_):
        raise TypeError("another JAX takes other arguments")

    monkeypatch.setattr(tracing, "trace_to_jaxpr_dynamic", changed)
    tracing._is_the_same.cache_clear()
    try:
        report = secant.check(lambda x: jnp.sin(x) * x + jnp.exp(x), X)
        assert not tracing._is_the_same()
    finally:
        tracing._is_the_same.cache_clear()
    assert report
    assert report.cost.evaluations <= 9  # it was traced: no version of it was called as it is
