"""Compiled traces are found again exactly where nothing has changed."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import secant
import secant.jax
from secant._backends.jax.traces import kept as jax_kept
from secant._backends.jax.traces.kept import kept

X = jnp.asarray(np.linspace(-1.0, 1.5, 6), jnp.float32)


def traced(function, *arguments):
    return jax.make_jaxpr(function)(*(arguments or (X,)))


def compiled(trace):
    return kept(trace.jaxpr, is_compiled=True)


def run(trace):
    return compiled(trace).run(trace.consts, [X])


def scaled(factor, table=None):
    table = jnp.arange(6.0) if table is None else table
    return lambda x: jnp.where(x > 0, jnp.sin(x) * factor, jax.nn.softmax(x)) + table


@pytest.fixture(autouse=True)
def nothing_is_kept(monkeypatch):
    monkeypatch.setattr(jax_kept, "_kept", [])
    monkeypatch.setattr(jax_kept, "_programs", [])


def test_the_same_function_traced_again_is_found():
    assert compiled(traced(scaled(2.0))) is compiled(traced(scaled(2.0)))


def test_not_a_number_is_itself_and_minus_zero_is_not_zero():
    def choosing(number):
        return lambda x: jnp.where(x > 0, jnp.sin(x), number) * jnp.exp(x)

    assert compiled(traced(choosing(np.nan))) is compiled(traced(choosing(np.nan)))
    assert compiled(traced(choosing(0.0))) is not compiled(traced(choosing(-0.0)))


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
    compiled(traced(scaled(2.0)))
    assert np.allclose(run(traced(other))[0], other(X), atol=1e-6)


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


def test_other_constants_make_no_other_program_and_none_is_held():
    one, other = traced(scaled(2.0)), traced(scaled(2.0, jnp.arange(6.0) + 1))
    assert compiled(one) is compiled(other)
    assert np.array_equal(run(other)[0], run(one)[0] + 1)
    assert all(isinstance(known.jaxpr, jax.extend.core.Jaxpr) for known in jax_kept._kept)


def test_no_more_than_so_many_are_kept():
    for k in range(70):
        compiled(traced(scaled(float(k))))
    assert len(jax_kept._kept) == len(jax_kept._programs) == 64


def programs():
    return [run for _, run in jax_kept._programs]


@pytest.mark.parametrize("modes", ["reverse", "forward"])
def test_what_is_checked_again_is_not_compiled_again(modes, caplog):
    def made():
        return lambda x: jnp.exp(x) * jnp.sin(x) + x * x

    assert secant.check(made(), X, modes=modes)
    first = programs()
    assert len(first) == 2  # the function, and its pull or its push
    there = X + 1
    with jax.log_compiles():
        assert secant.check(made(), there, modes=modes)
    assert set(programs()) == set(first)
    assert not [one for one in caplog.records if "XLA compilation" in one.getMessage()]


def ruled(factor):
    made = jax.custom_jvp(jnp.sin)
    made.defjvp(lambda at, move: (jnp.sin(at[0]), factor * move[0] * jnp.cos(at[0])))
    return lambda x: made(x) * x + jnp.exp(x) - 1


def test_rules_are_traced_at_every_check_and_what_they_lead_to_is_compiled_once():
    assert secant.check(ruled(1.0), X)
    first = programs()
    assert secant.check(ruled(1.0), X)
    assert set(programs()) == set(first)
    assert not secant.check(ruled(1.1), X, explain=False)


def test_higher_orders_of_a_function_with_a_rule_are_found_again():
    secant.jax.check_grads(ruled(1.0), (X,), order=2)
    first = programs()
    secant.jax.check_grads(ruled(1.0), (X,), order=2)
    assert set(programs()) == set(first)


@pytest.mark.parametrize(
    "made",
    [
        lambda table: lambda x: jnp.exp(x) * jnp.sin(x) + x * x,
        lambda table: lambda x: jnp.exp(x) * jnp.sin(x) * table,
        lambda table: jax.jit(lambda x: jnp.exp(x) * jnp.sin(x) + x * x),
        lambda table: lambda x: jnp.tanh(x),
        lambda table: ruled(1.0),
    ],
)
@pytest.mark.parametrize("size", [20, 20_000])
def test_a_second_order_compiles_its_own_pull_and_nothing_else(made, size, caplog):
    x = jnp.linspace(-1.0, 1.5, size)
    function = made(jnp.linspace(1.0, 2.0, size))
    assert secant.check(function, x)
    caplog.clear()
    with jax.log_compiles():
        assert secant.check(function, x, order=2)
    said = [one.getMessage() for one in caplog.records]
    names = [one.split()[4] for one in said if one.startswith("Finished XLA compilation of")]
    # what makes arrays of numbers, and copies of them, is compiled once for each shape
    assert [one for one in names if one not in ("jit(stage)", "jit(copy)")] == ["jit(run_all)"]


@pytest.mark.parametrize(("size", "is_hasty"), [(20, True), (20_000, False)])
def test_only_what_is_small_is_compiled_in_haste(monkeypatch, size, is_hasty):
    options = []
    monkeypatch.setattr(jax, "jit", lambda f, compiler_options: options.append(compiler_options))
    compiled(traced(lambda x: jnp.sin(x) * x + 1, jnp.ones(size)))
    assert [bool(one) for one in options] == [is_hasty]


def test_a_rule_that_has_changed_is_asked_as_it_is_now():
    factor = [1.0]
    rule = jax.custom_jvp(jnp.sin)
    rule.defjvp(lambda at, move: (jnp.sin(at[0]), factor[0] * move[0] * jnp.cos(at[0])))

    assert secant.check(rule, X)
    factor[0] = 1.1
    assert not secant.check(rule, X)
