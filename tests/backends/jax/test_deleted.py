"""A JAX function may delete its argument, or give it away: it is a copy."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import secant


def deleting(x):
    answer = jnp.sin(x)
    x.delete()
    return answer


def leaving(x):
    answer = jnp.asarray(np.sin(np.asarray(x)))
    x.delete()
    return answer


FUNCTIONS = {"deletes": deleting, "leaves JAX and deletes": leaving}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_the_users_array_is_there_after_a_function_that(function):
    x = jnp.linspace(0.1, 1.0, 4)
    secant.check(function, x, pull=lambda x, v: jnp.cos(x) * v)
    secant.check(function, x)
    assert not x.is_deleted()


def test_a_derivative_by_hand_may_give_its_arguments_away():
    x = jnp.linspace(0.1, 1.0, 4)
    pull = jax.jit(lambda x, v: jnp.cos(x) * v, donate_argnums=0)
    assert secant.check(jnp.sin, x, pull=pull)
    assert not x.is_deleted()


@pytest.mark.parametrize("keyword", ["pull", "push", "gradient", "jacobian"])
def test_a_derivative_by_hand_that_answers_with_a_deleted_array_is_wrong(keyword):
    x, gone = jnp.ones(3), jnp.ones((3, 3) if keyword == "jacobian" else 3)
    gone.delete()
    function = jnp.prod if keyword == "gradient" else jnp.sin
    report = secant.check(function, x, **{keyword: lambda *_: gone})
    assert report.verdict is secant.Verdict.FAIL
    assert f"what `{keyword}` returned as " in report.worst.message
    assert report.worst.message.endswith("has been deleted, or donated to a function")
