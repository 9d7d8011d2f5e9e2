"""`secant.jax.check_grads` in the place of JAX's own: same call and exception, less blind."""

from __future__ import annotations

import functools
import inspect
import os
import random
import subprocess
import sys
import warnings

import jax
import jax.numpy as jnp
import jax.test_util
import numpy as np
import pytest
from jax import lax

import secant
import secant.jax
from secant import Undecided
from secant.jax import check_grads, check_jvp, check_vjp

X = jnp.asarray(np.linspace(-1.0, 1.5, 6), jnp.float32)


def zero_push(function=jnp.sin):
    rule = jax.custom_jvp(function)
    rule.defjvp(lambda x, u: (function(*x), 0 * u[0]))
    return rule


def test_the_signature_is_jaxs():
    ours, theirs = (inspect.signature(one) for one in (check_grads, jax.test_util.check_grads))
    assert list(ours.parameters) == [*theirs.parameters, "strict"]
    for name, parameter in theirs.parameters.items():
        assert ours.parameters[name].default == parameter.default


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("modes", [("fwd",), ("rev",), ("fwd", "rev"), ("lin",)])
def test_right_derivatives_return_nothing(order, modes):
    assert check_grads(jnp.sin, (X,), order, modes) is None


def test_numbers_lists_and_trees_are_taken_as_jax_takes_them():
    check_grads(lambda x: x**3, (0.5,), 3, ("rev",))
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


def test_float16_forgives_what_jax_forgives_in_it_and_not_what_bfloat16_is_forgiven():
    @jax.custom_jvp
    def identity(x):
        return x

    @identity.defjvp
    def _push(primals, tangents):
        return primals[0], jnp.asarray(1.05, tangents[0].dtype) * tangents[0]

    x = jnp.asarray([0.5, 1.75, -3.0], jnp.float16)
    with pytest.raises(AssertionError):
        jax.test_util.check_grads(identity, (x,), 1, eps=1.0)
    with pytest.raises(AssertionError, match="constant factor"):
        check_grads(identity, (x,), 1, eps=1.0)


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
        check_grads(jnp.sin, (X,), 1, modes="back")


@pytest.mark.parametrize("point", [np.nan, -np.inf])
@pytest.mark.parametrize("function", [jax.nn.softplus, jax.nn.mish, jax.nn.squareplus])
def test_what_is_not_finite_is_decided_about_as_jax_does(function, point):
    values = function(jnp.float32(point))
    jax.test_util.check_grads(function, (point,), 1)
    if jnp.isfinite(values):
        check_grads(function, (point,), 1)
        return
    with pytest.warns(Undecided, match="to be finite"):
        check_grads(function, (point,), 1)
    with pytest.raises(AssertionError, match="to be finite"):
        check_grads(function, (point,), 1, strict=True)


def test_where_jax_decides_random_states_are_put_back_too():
    def drawing(x):
        return jnp.sin(100 * x) + 0 * random.random()

    before = random.getstate()
    with pytest.warns(Undecided), pytest.raises(AssertionError):
        check_grads(drawing, (jnp.linspace(0.3, 1.5, 6, dtype=jnp.bfloat16),), 1, ("rev",))
    assert random.getstate() == before


def test_numbers_that_cannot_tell_are_decided_about_as_jax_does():
    x = jnp.linspace(0.3, 1.5, 6, dtype=jnp.bfloat16)
    function = lambda x: jnp.sin(100 * x)  # noqa: E731
    with pytest.raises(AssertionError):
        jax.test_util.check_grads(function, (x,), 1, ("rev",))
    with (
        pytest.warns(Undecided, match="bfloat16 has too few digits") as caught,
        pytest.raises(AssertionError, match="cotangent projection"),
    ):
        check_grads(function, (x,), 1, ("rev",))
    assert caught[0].filename == __file__
    with pytest.raises(AssertionError, match="counts as wrong here"):
        check_grads(function, (x,), 1, ("rev",), strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_grads(jnp.sin, (x,), 1, ("rev",))


def test_the_table_of_names_is_what_is_meant_to_be_used():
    names = {"check_grads", "check_jvp", "check_vjp"}
    assert set(secant.jax.__all__) == names


@pytest.mark.parametrize("modes", ["fwd", "rev", "lin", "fwd,rev"])
def test_modes_may_be_a_string_as_jax_reads_it(modes):
    check_grads(jnp.sin, (X,), 1, modes=modes)
    with pytest.raises(AssertionError):
        check_grads(zero_push(), (X,), 1, modes=modes)


@pytest.mark.parametrize(
    "tolerance",
    [
        {np.float32: 0.2, np.float64: 1e-9},
        {jnp.dtype("float32"): np.array(0.2)},
        np.array(0.2),
        jnp.float32(0.2),
        np.full(6, 0.2),
    ],
    ids=["dict", "dict of arrays", "number of NumPy", "number of JAX", "array"],
)
def test_tolerances_may_be_dicts_by_dtype_and_arrays(tolerance):
    wrong = jax.custom_vjp(jnp.sin)
    wrong.defvjp(lambda x: (jnp.sin(x), x), lambda x, v: (1.1 * v * jnp.cos(x),))
    check_grads(wrong, (X,), 1, "rev", atol=tolerance, rtol=tolerance)
    is_dict = isinstance(tolerance, dict)
    small = {k: v * 1e-2 for k, v in tolerance.items()} if is_dict else tolerance * 1e-2
    with pytest.raises(AssertionError):
        check_grads(wrong, (X,), 1, "rev", atol=small, rtol=small)


def test_a_dict_that_says_nothing_about_a_dtype_leaves_it_to_the_error_bars():
    check_grads(jnp.sin, (X,), 1, atol={np.float64: 1e-9})
    with pytest.raises(AssertionError):
        check_grads(zero_push(), (X,), 1, "fwd", atol={np.float64: 1e9})


def weighted(i, x, tree):
    return {"sum": (x * tree["w"])[i].sum(), "product": x * x}


TREE = (jnp.array([0, 2]), X, {"w": X + 1})


def test_rules_that_are_functions_are_checked_in_trees_with_whole_numbers_beside():
    check_jvp(weighted, functools.partial(jax.jvp, weighted), TREE)
    check_vjp(weighted, functools.partial(jax.vjp, weighted), TREE, rtol={np.float32: 1e-3})


def test_wrong_pushes_and_pulls_are_caught_with_the_message_given():
    def push(primals, tangents):
        output, tangent = jax.jvp(jnp.sin, primals, tangents)
        return output, 1.05 * tangent

    def pull(x):
        output, pulled = jax.vjp(jnp.sin, x)
        return output, lambda v: (1.05 * pulled(v)[0],)

    with pytest.raises(AssertionError, match="mine") as raised:
        check_jvp(jnp.sin, push, (X,), err_msg="mine")
    assert raised.value.report.verdict is secant.Verdict.FAIL
    with pytest.raises(AssertionError, match="mine"):
        check_vjp(jnp.sin, pull, (X,), err_msg="mine")
    check_jvp(jnp.sin, push, (X,), atol=0.1, rtol=0.1)
    check_vjp(jnp.sin, pull, (X,), atol=0.1, rtol=0.1)


def test_a_rule_that_computes_another_function_is_caught():
    with pytest.raises(AssertionError, match="primal"):
        check_jvp(jnp.sin, functools.partial(jax.jvp, jnp.cos), (X,))
    with pytest.raises(AssertionError, match="primal"):
        check_vjp(jnp.sin, functools.partial(jax.vjp, jnp.cos), (X,))


CONSTANT = {
    "of JAX": lambda x: jnp.ones(3),
    "of NumPy": lambda x: np.ones(3, np.float32),
    "beside another": lambda x: (jnp.sin(x), np.ones(3, np.float32)),
    "a gradient that is zero": lambda x: jax.grad(lambda y: jnp.floor(y).sum())(x),
}


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("modes", ["fwd", "rev"])
@pytest.mark.parametrize("function", CONSTANT.values(), ids=CONSTANT)
def test_what_is_constant_has_no_derivative_and_passes(function, modes, order):
    check_grads(function, (X + 0.05,), order, modes)
    mode = {"fwd": "forward", "rev": "reverse"}[modes]
    assert secant.check(function, X + 0.05, order=order, modes=mode, probe="full")


def test_the_gradient_of_floor_passes():
    check_grads(jax.grad(jnp.floor), (0.7,), 2)
    assert secant.check(jax.grad(jnp.floor), jnp.float32(0.7), modes="all", probe="full")


def solved(a, b):
    """A root with auxiliary outputs, as JAX's own tests have it."""
    extra = {"converged": np.array(1.0), "steps": np.array([1.0, 2.0])}
    tangent_solve = lambda g, y: jnp.linalg.solve(jax.jacobian(g)(y), y)  # noqa: E731
    solve = lambda f, x: (jnp.linalg.solve(a, b), extra)  # noqa: E731
    return lax.custom_root(lambda x: a @ x - b, b, solve, tangent_solve, has_aux=True)


@pytest.mark.parametrize("modes", [("rev",), pytest.param(("fwd", "rev"), marks=pytest.mark.slow)])
def test_auxiliary_outputs_are_no_trouble_at_second_order(modes):
    a, b = jnp.array([[2.0, 0.3], [0.1, 1.5]]), jnp.array([0.5, 0.7])
    check_grads(solved, (a, b), 2, modes, atol=1e-2, rtol=1e-2)
    assert secant.check(solved, a, b, order=2, atol=1e-2, rtol=1e-2)


SHARDED = """
import jax, jax.numpy as jnp, numpy as np, secant, secant.jax

mesh = jax.sharding.Mesh(np.array(jax.devices()), ("i",))
across = jax.sharding.PartitionSpec("i")
for factor, probe in ((1.0, "full"), (1.05, "fast")):
    rule = jax.custom_vjp(jnp.sin)
    rule.defvjp(lambda x: (jnp.sin(x), x), lambda x, v: (factor * v * jnp.cos(x),))
    function = jax.shard_map(rule, mesh=mesh, in_specs=across, out_specs=across)
    x = jnp.linspace(0.2, 1.5, 4)
    print(secant.check(function, x, probe=probe).verdict.name)
    for order in (1, 2):
        try:
            secant.jax.check_grads(function, (x,), order, "rev")
            print("passes")
        except AssertionError as error:
            print(error.report.verdict.name)
"""


def test_a_wrong_rule_inside_shard_map_on_two_devices_is_a_finding():
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    answer = subprocess.run(
        [sys.executable, "-c", SHARDED],
        env={**os.environ, **flags},
        capture_output=True,
        text=True,
        check=False,
    )
    said = ["PASS", "passes", "passes", *["FAIL"] * 3]
    assert answer.stdout.split() == said, answer.stderr
