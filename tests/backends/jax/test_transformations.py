"""Loops, checkpoints, callbacks, batches and higher orders of JAX."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import secant
from secant import Verdict

X = jnp.asarray(np.linspace(-1.0, 1.5, 6), jnp.float32)


def scanned(x):
    return lax.scan(lambda state, one: (jnp.tanh(state + one), state * one), jnp.zeros(()), x)


def while_loop(x):
    return lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * x), (0, x))[1]


def on_host(x):
    return jax.pure_callback(lambda one: np.sin(np.asarray(one)), x, x)


FUNCTIONS = {
    "scan": scanned,
    "checkpoint": jax.checkpoint(lambda x: jnp.sin(jnp.sin(x)).sum()),
    "cond": lambda x: lax.cond(x[0] < 0, jnp.sin, jnp.cos, x),
    "vmap": jax.vmap(lambda x: x * jnp.sin(x)),
    "grad": jax.grad(lambda x: jnp.sin(x).sum() ** 2),
    "jit": jax.jit(lambda x: jnp.exp(x) * jnp.sin(x)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_transformed_functions_pass_in_both_modes(name):
    report = secant.check(FUNCTIONS[name], X, modes="all")
    assert report, str(report)


@pytest.mark.parametrize("order", [2, 3])
def test_any_order_in_both_modes(order):
    report = secant.check(lambda x: jnp.sin(x).sum() ** 2, X, order=order, modes="all")
    assert report, str(report)
    subjects = {one.subject for one in report.findings if one.kind == "derivative"}
    assert len(subjects) == 2 * order


def test_every_law_holds_for_full_probes_through_vmap():
    report = secant.check(lambda x: jnp.outer(x, jnp.sin(x)), X, probe="full", laws="all")
    assert report, str(report)
    assert {"batching", "subsets", "linearity", "primal"} <= {one.kind for one in report.findings}
    assert report.jacobian("out", "x").claimed.shape == (36, 6)


def test_a_while_loop_has_a_forward_derivative_only():
    assert secant.check(while_loop, X, modes="forward")
    report = secant.check(while_loop, X)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert report.worst.cause == "the framework has no derivative here"


def test_a_custom_vjp_has_no_forward_derivative():
    rule = jax.custom_vjp(jnp.sin)
    rule.defvjp(lambda x: (jnp.sin(x), x), lambda x, v: (v * jnp.cos(x),))
    assert secant.check(rule, X)
    assert secant.check(rule, X, modes="forward").verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("probe", ["fast", "full"])
def test_a_callback_is_checked_through_its_rule_and_loops_where_it_does_not_batch(probe):
    assert secant.check(on_host, X).verdict is Verdict.INCONCLUSIVE
    rule = jax.custom_vjp(on_host)
    rule.defvjp(lambda x: (on_host(x), x), lambda x, v: (v * jnp.cos(x),))
    report = secant.check(rule, X, probe=probe)
    assert report, str(report)


def test_gradients_that_do_not_fit_their_inputs_are_named_as_such():
    rule = jax.custom_vjp(jnp.sin)
    rule.defvjp(lambda x: (jnp.sin(x), x), lambda x, v: (v[:2],))
    report = secant.check(rule, X)
    assert report.verdict is Verdict.FAIL
    assert report.worst.cause.startswith("the vjp rule returns gradients that do not fit")


def test_a_wrong_second_derivative_is_found():
    rule = jax.custom_jvp(jnp.exp)
    rule.defjvp(lambda x, u: (jnp.exp(*x), u[0] * lax.stop_gradient(jnp.exp(*x))))
    assert secant.check(rule, X, modes="all")
    for modes in ("reverse", "forward"):
        assert secant.check(rule, X, order=2, modes=modes).verdict is Verdict.FAIL
