"""A JAX function is traced once, and called as it is only where it cannot be traced."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import secant
from secant import Verdict
from secant._backends.jax.traces import kept as jax_kept
from secant._backends.jax.traces import programs as jax_programs

X = jnp.asarray(np.linspace(-1.0, 1.5, 6), jnp.float32)


def counted(function):
    calls = []

    def call(x):
        calls.append(x)
        return function(x)

    return call, calls


@pytest.mark.parametrize("settings", [{}, {"modes": "all"}, {"probe": "full", "laws": "all"}])
def test_a_function_is_traced_once_however_often_it_is_evaluated(settings):
    call, calls = counted(lambda x: jnp.sin(x) * jnp.exp(x) + jnp.tanh(x))
    report = secant.check(call, X, **settings)
    assert report, str(report)
    assert report.cost.evaluations >= 4
    assert len(calls) == 1


def test_a_second_order_traces_no_more_than_once_an_order():
    call, calls = counted(lambda x: jnp.sin(x) * x)
    assert secant.check(call, X, order=2, modes="all")
    assert len(calls) == 1


def test_a_function_that_looks_at_values_is_called_every_time():
    seen = []

    def looking(x):
        seen.append(isinstance(x, jax.Array))
        return jnp.sin(x) if x[0] < 0 else jnp.cos(x)

    call, calls = counted(looking)
    report = secant.check(call, X, modes="all", order=2)
    assert report, str(report)
    assert len(calls) > 5
    assert all(seen)  # a program may be given NumPy's, a function never


def test_a_wrong_rule_behind_a_branch_on_values_is_found():
    wrong = jax.custom_vjp(jnp.sin)
    wrong.defvjp(lambda x: (jnp.sin(x), x), lambda x, v: (2 * v * jnp.cos(x),))
    assert secant.check(lambda x: wrong(x) if x[0] < 0 else x, X).verdict is Verdict.FAIL


def _looking(x, right, wrong=0.0):
    return right if x[0] > -100 else wrong


def test_rules_may_look_at_values_too():
    backward = jax.custom_vjp(jnp.sin)
    backward.defvjp(lambda x: (jnp.sin(x), x), lambda x, v: (_looking(x, v * jnp.cos(x)),))
    forward = jax.custom_vjp(jnp.sin)
    forward.defvjp(lambda x: (_looking(x, jnp.sin(x)), x), lambda x, v: (v * jnp.cos(x),))
    push = jax.custom_jvp(jnp.sin)
    push.defjvp(lambda x, u: (jnp.sin(*x), _looking(x[0], u[0] * jnp.cos(*x))))
    for rule in (backward, forward, push):
        report = secant.check(lambda x, rule=rule: jnp.exp(rule(x)) * x + x, X)
        assert report, str(report)
    assert secant.check(push, X, modes="forward")


def test_compiled_functions_are_checked_and_donated_arguments_survive():
    given = X + 0
    assert secant.check(jax.jit(lambda x: 2 * x, donate_argnums=0), given)
    assert secant.check(jax.jit(lambda x: jnp.sin(x) * x + 1, donate_argnums=0), given)
    assert not given.is_deleted()


def test_answers_may_hold_what_is_no_array():
    def function(x):
        return {"loss": jnp.sin(x).sum(), "count": 3, "name": None, "mask": x > 0}

    report = secant.check(function, X)
    assert report, str(report)
    assert {one.where for one in report.findings if one.kind == "derivative"} == {
        "∂out['loss'] / ∂x"
    }


def test_the_functions_own_exception_comes_out():
    with pytest.raises(secant.FunctionRaised) as raised:
        secant.check(lambda x: x[{}], X)
    assert isinstance(raised.value.__cause__, IndexError)


@pytest.mark.parametrize("modes", ["reverse", "forward"])
def test_a_function_that_leaves_jax_has_no_derivative(modes):
    report = secant.check(lambda x: jnp.asarray(np.sin(np.asarray(x))), X, modes=modes)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert report.worst.cause == "the framework has no derivative here"


def test_the_value_of_a_rules_own_pass_is_held_against_the_function():
    shifted = jax.custom_vjp(jnp.sin)
    shifted.defvjp(lambda x: (jnp.sin(x) + 0.1, x), lambda x, v: (v * jnp.cos(x),))
    report = secant.check(shifted, X)
    assert [one.kind for one in report.findings if one.verdict is Verdict.FAIL] == ["primal"]
    assert secant.check(shifted, X, laws={"linearity"})


@pytest.mark.parametrize(
    ("function", "is_compiled"),
    [
        (jnp.sin, False),
        (lambda x: jnp.sin(x) * 2, False),
        (jax.jit(lambda x: jnp.sin(x) * x + jnp.exp(x) - 1), False),
        (lambda x: jnp.sin(x) * x + jnp.exp(x) - 1, True),
        (lambda x: jax.lax.cond(True, jnp.sin, jnp.cos, x), True),
        (jax.jit(lambda x: 2 * x, donate_argnums=0), True),
    ],
)
def test_what_jax_does_not_keep_compiled_itself_is_compiled(monkeypatch, function, is_compiled):
    made = []

    def noted(jaxpr, *, is_compiled):
        made.append(is_compiled)
        return jax_kept.kept(jaxpr, is_compiled=is_compiled)

    monkeypatch.setattr(jax_programs, "found_again", lambda _: None)
    monkeypatch.setattr(jax_programs, "kept", noted)
    jax_programs.Program(lambda leaves: function(*leaves), [X])
    assert made == [is_compiled]
