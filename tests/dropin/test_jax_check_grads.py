"""`secant.jax.check_grads` in the place of JAX's own: same call and exception, less blind."""

from __future__ import annotations

import inspect
import warnings

import jax
import jax.numpy as jnp
import jax.test_util
import numpy as np
import pytest
from jax import lax

import secant
import secant.jax
from secant.jax import CheckInconclusive, check_grads

X = jnp.asarray(np.linspace(-1.0, 1.5, 6), jnp.float32)


def zero_push(function=jnp.sin):
    rule = jax.custom_jvp(function)
    rule.defjvp(lambda x, u: (function(*x), 0 * u[0]))
    return rule


def test_the_signature_is_jaxs():
    ours, theirs = (inspect.signature(one) for one in (check_grads, jax.test_util.check_grads))
    assert list(ours.parameters) == list(theirs.parameters)
    for name, parameter in theirs.parameters.items():
        assert ours.parameters[name].default == parameter.default


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("modes", [("fwd",), ("rev",), ("fwd", "rev"), ("lin",)])
def test_right_derivatives_return_nothing(order, modes):
    assert check_grads(jnp.sin, (X,), order, modes) is None


def test_numbers_lists_and_trees_are_taken_as_jax_takes_them():
    check_grads(lambda x: x**3, (0.5,), 3)
    check_grads(lambda x, y: x["a"] * y, [{"a": X}, np.linspace(0.0, 1.0, 6)], 1)
    check_grads(lambda i, x: x[i], (jnp.array([0, 3]), X), 2)


def test_a_wrong_derivative_raises_an_assertion_error_with_the_report():
    wrong = jax.custom_vjp(jnp.sin)
    wrong.defvjp(lambda x: (jnp.sin(x), x), lambda x, v: (1.1 * v * jnp.cos(x),))
    with pytest.raises(AssertionError, match=r"claimed = 1\.1 × measured") as raised:
        check_grads(wrong, (X,), 1, modes=("rev",))
    assert raised.value.report.verdict is secant.Verdict.FAIL


def test_a_zero_tangent_of_many_outputs_is_caught_where_jaxs_is_blind():
    many = jnp.linspace(0.0, 1.0, 600)
    jax.test_util.check_grads(zero_push(), (many,), 1, ("fwd",))  # passes
    with pytest.raises(AssertionError, match="claimed = 0 everywhere"):
        check_grads(zero_push(), (many,), 1, ("fwd",))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_told_apart(dtype):
    x = jnp.linspace(0.0, 1.0, 30).astype(dtype)
    check_grads(jnp.sin, (x,), 1)
    with pytest.raises(AssertionError, match="claimed = 0 everywhere"):
        check_grads(zero_push(), (x,), 1, ("fwd",))


def test_jaxs_own_fails_on_a_right_sine_in_half_precision():
    x = jnp.linspace(0.0, 1.0, 30).astype(jnp.float16)
    with pytest.raises(AssertionError):
        jax.test_util.check_grads(jnp.sin, (x,), 1, ("fwd",))


@pytest.mark.parametrize("modes", [("fwd",), ("rev",), ("lin",)])
def test_a_wrong_second_derivative_is_found_in_every_mode(modes):
    rule = jax.custom_jvp(jnp.exp)
    rule.defjvp(lambda x, u: (jnp.exp(*x), u[0] * lax.stop_gradient(jnp.exp(*x))))
    check_grads(rule, (X,), 1, modes)
    with pytest.raises(AssertionError):
        check_grads(rule, (X,), 2, modes)


def test_tolerances_forgive_what_they_say():
    wrong = jax.custom_vjp(jnp.sin)
    wrong.defvjp(lambda x: (jnp.sin(x), x), lambda x, v: (1.1 * v * jnp.cos(x),))
    check_grads(wrong, (X,), 1, ("rev",), rtol=0.2, atol=1e-3)
    with pytest.raises(AssertionError):
        check_grads(wrong, (X,), 1, ("rev",), rtol=0.02, atol=1e-3)
    check_grads(jnp.sin, (X,), 1, eps=1e-3)


def test_exceptions_of_the_function_and_of_jax_come_out_as_they_are():
    with pytest.raises(ZeroDivisionError):
        check_grads(lambda x: 1 // 0, (X,), 1)
    with pytest.raises(ValueError, match="while_loop"):
        check_grads(lambda x: lax.while_loop(lambda s: s.sum() < 9, jnp.exp, x), (X,), 1, ("rev",))
    rule = jax.custom_vjp(jnp.sin)
    rule.defvjp(lambda x: (jnp.sin(x), x), lambda x, v: (v * jnp.cos(x),))
    with pytest.raises(TypeError, match="custom_vjp"):
        check_grads(rule, (X,), 1, ("fwd",))


def test_what_is_not_finite_and_modes_that_are_none_are_refused():
    with pytest.raises(AssertionError, match="to be finite"):
        check_grads(jnp.log, (X,), 1)
    with pytest.raises(ValueError, match="fwd, rev, lin"):
        check_grads(jnp.sin, (X,), 1, modes=("back",))
    with pytest.raises(ValueError, match="fwd, rev, lin"):
        check_grads(jnp.sin, (X,), 1, modes="fwd")


def test_numbers_that_cannot_tell_warn_and_blame_nothing():
    x = jnp.linspace(0.3, 1.5, 6, dtype=jnp.bfloat16)
    with pytest.warns(CheckInconclusive, match="bfloat16 has too few digits"):
        check_grads(lambda x: jnp.sin(100 * x), (x,), 1, ("rev",))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_grads(jnp.sin, (x,), 1, ("rev",))


def test_the_table_of_names_is_what_is_meant_to_be_used():
    assert set(secant.jax.__all__) == {"CheckInconclusive", "check_grads"}
