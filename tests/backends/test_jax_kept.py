"""Compiled traces are found again exactly where nothing has changed."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import secant
from secant._backends.jax import kept as jax_kept
from secant._backends.jax.kept import kept

X = jnp.asarray(np.linspace(-1.0, 1.5, 6), jnp.float32)


def traced(function, *arguments):
    return jax.make_jaxpr(function)(*(arguments or (X,)))


def compiled(trace):
    return kept(trace, is_compiled=True)


def scaled(factor, table=None):
    table = jnp.arange(6.0) if table is None else table
    return lambda x: jnp.where(x > 0, jnp.sin(x) * factor, jax.nn.softmax(x)) + table


@pytest.fixture(autouse=True)
def nothing_is_kept(monkeypatch):
    monkeypatch.setattr(jax_kept, "_kept", [])


def test_the_same_function_traced_again_is_found():
    assert compiled(traced(scaled(2.0))) is compiled(traced(scaled(2.0)))


@pytest.mark.parametrize(
    "other",
    [
        scaled(2.5),
        scaled(2.0, jnp.arange(6.0) + 1),
        scaled(2.0, np.arange(6.0)),
        lambda x: jnp.where(x < 0, jnp.sin(x) * 2.0, jax.nn.softmax(x)) + jnp.arange(6.0),
        lambda x: jnp.where(x > 0, jnp.cos(x) * 2.0, jax.nn.softmax(x)) + jnp.arange(6.0),
    ],
)
def test_another_function_is_not_taken_for_it(other):
    first = compiled(traced(scaled(2.0)))
    again = compiled(traced(other))
    assert np.allclose(again.run(X)[0], other(X), atol=1e-6)
    assert again is not first or np.array_equal(other(X), scaled(2.0)(X))


def test_other_shapes_dtypes_axes_and_keys_are_other_functions():
    square = jnp.ones((3, 3))
    functions = [
        (lambda x: jnp.exp(x).sum(0), square),
        (lambda x: jnp.exp(x).sum(1), square),
        (lambda x: jnp.exp(x).sum(0), square.astype(jnp.float16)),
        (lambda x: jax.random.normal(jax.random.key(0), (3, 3)) * x, square),
        (lambda x: jax.random.normal(jax.random.key(1), (3, 3)) * x, square),
    ]
    runs = [compiled(traced(function, x)) for function, x in functions]
    assert len({id(run) for run in runs}) == len(runs)


def test_rules_written_by_hand_are_never_taken_for_one_another():
    def rule(factor):
        made = jax.custom_vjp(jnp.sin)
        made.defvjp(lambda x: (jnp.sin(x), x), lambda x, v: (factor * v * jnp.cos(x),))
        return lambda x: made(x) * x + jnp.exp(x) - 1

    assert secant.check(rule(1.0), X)
    assert not secant.check(rule(1.1), X)
    assert secant.check(rule(1.0), X)


def test_a_function_that_has_changed_is_checked_as_it_is_now():
    factor = [1.0]

    def function(x):
        return jnp.sin(x) * x * factor[0] + jnp.exp(x) * factor[0]

    before = secant.check(function, X, probe="full").jacobian("out", "x").claimed
    factor[0] = 2.0
    after = secant.check(function, X, probe="full").jacobian("out", "x").claimed
    assert np.allclose(after, 2 * before, rtol=1e-5)


def test_no_more_than_so_many_are_kept_and_none_with_large_constants():
    for k in range(70):
        compiled(traced(scaled(float(k))))
    assert len(jax_kept._kept) == 64
    large = jnp.zeros((600, 600))
    compiled(traced(lambda x: x + large[0, :6] * large.sum()))
    assert all(sum(c.nbytes for c in one.traced.consts) < 1 << 20 for one in jax_kept._kept)


def test_the_pull_of_a_function_checked_again_is_not_compiled_again():
    def pulls():
        return [pull for one in jax_kept._kept for pull in one._pulls.values()]

    def made():
        return lambda x: jnp.exp(x) * jnp.sin(x) + x * x

    assert secant.check(made(), X)
    (pull,) = pulls()
    assert secant.check(made(), X + 1)
    assert pulls() == [pull]
    assert pull._cache_size() == 1


def test_a_rule_that_has_changed_is_asked_as_it_is_now():
    factor = [1.0]
    rule = jax.custom_jvp(jnp.sin)
    rule.defjvp(lambda at, move: (jnp.sin(at[0]), factor[0] * move[0] * jnp.cos(at[0])))

    assert secant.check(rule, X)
    factor[0] = 1.1
    assert not secant.check(rule, X)
