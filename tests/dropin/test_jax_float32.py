"""What other projects' tests ask in float32 without x64, where gradients are zero or nearly so."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import secant
from secant import Undecided, Verdict
from secant._backends.jax.second import usual_tolerance
from secant.jax import check_grads

BATCH = jnp.asarray(np.random.default_rng(0).normal(size=(8, 3)), jnp.float32)
MODES = pytest.mark.parametrize("modes", ["fwd", "rev"])
ORDERS = pytest.mark.parametrize("order", [1, 2])


def distance(a, b):
    """|a − b|, whose second derivatives are zero as differences of numbers that are not."""
    return jnp.sqrt(jnp.sum(jnp.square(a - b)))


def normalised(x):
    """A batch norm in training, whose gradient along a shift is zero by cancellation."""
    return (x - x.mean(0)) / jnp.sqrt(x.var(0) + 1e-5)


def scaled(function, factor):
    rule = jax.custom_jvp(function)
    rule.defjvp(lambda x, u: (function(*x), factor * jax.jvp(function, x, u)[1]))
    return rule


FLAT = {
    "sin at its top": (jnp.sin, jnp.float32(np.pi / 2)),
    "cos at its top": (jnp.cos, jnp.float32(0.0)),
    "batch norm": (normalised, BATCH),
}


@pytest.mark.thinned(keep=2)
@MODES
@ORDERS
@pytest.mark.filterwarnings("ignore::secant.Undecided")
def test_derivatives_that_cancel_to_zero_are_no_failure(modes, order):
    check_grads(distance, (0.0, 1.5), order, modes)


@MODES
def test_a_wrong_distance_fails_all_the_same(modes):
    with pytest.raises(AssertionError, match=r"1\.05 × measured"):
        check_grads(scaled(distance, 1.05), (0.0, 1.5), 1, modes)


@pytest.mark.thinned(keep=2)
@pytest.mark.parametrize("name", FLAT)
def test_gradients_near_zero_are_told(name):
    function, point = FLAT[name]
    check_grads(function, (point,), 2)  # a warning is an error here
    assert secant.check(function, point).verdict is Verdict.PASS


@pytest.mark.thinned(keep=2)
@MODES
@ORDERS
def test_what_is_within_atol_with_its_bar_needs_no_telling(modes, order):
    hidden = lambda x: 300 + 1e-4 * jnp.sin(x)  # noqa: E731 below what float32 shows of 300
    point = jnp.linspace(0.1, 1.0, 5)
    check_grads(hidden, (point,), order, modes, atol=1e-2, rtol=1e-2)
    with pytest.warns(Undecided):
        check_grads(hidden, (point,), order, modes)


def test_bars_that_tell_as_much_as_jax_forgives_decide_without_asking_it(monkeypatch):
    hidden = lambda x: 300 + 1e-4 * jnp.sin(x)  # noqa: E731
    asked = []
    monkeypatch.setattr("jax.test_util.check_grads", lambda *_, **__: asked.append(1))
    with pytest.warns(Undecided):
        check_grads(hidden, (jnp.linspace(0.1, 1.0, 5),), 2)
    assert not asked


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "complex64"])
def test_the_tolerance_taken_for_jaxs_is_jaxs(dtype):
    from jax._src.public_test_util import default_gradient_tolerance

    usual = {str(np.dtype(key)): value for key, value in default_gradient_tolerance.items()}
    assert usual_tolerance((jnp.ones(3, dtype),)) == usual[dtype]


@pytest.mark.parametrize("size", [1e-4, 1e-5])
def test_no_path_is_walked_that_could_not_tell(size):
    report = secant.check(lambda x: 300 + size * jnp.sin(x), jnp.linspace(0.1, 1.0, 5))
    assert report.verdict is Verdict.INCONCLUSIVE
    assert report.cost.evaluations + report.cost.pulls <= 300  # a path takes hundreds of each
