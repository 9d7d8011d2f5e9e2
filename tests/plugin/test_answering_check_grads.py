"""JAX's `check_grads` in an existing suite: answered by secant, or compared with it."""

from __future__ import annotations

import pytest

pytest.importorskip("jax")
import jax.test_util  # noqa: F401 loaded here, so that no inner run loads it

import secant.jax  # noqa: F401

pytest_plugins = ["pytester"]

ARRAYS = """
    import jax, jax.numpy as jnp, jax.test_util
    from jax.test_util import check_grads

    @jax.custom_jvp
    def wrong_sine(x):
        return jnp.sin(x)

    wrong_sine.defjvp(lambda p, t: (jnp.sin(p[0]), 1.05 * jnp.cos(p[0]) * t[0]))

    @pytest.mark.parametrize("check", [check_grads, lambda *a: jax.test_util.check_grads(*a)])
    def test_it(check):
        check(jnp.sin, (jnp.linspace(0.1, 1, 3),), 2)
        with pytest.raises(AssertionError):
            check(wrong_sine, (jnp.linspace(0.1, 1, 3),), 1)
    """


def test_however_a_test_came_by_the_function_secant_answers(run):
    result = run(
        ARRAYS.replace("AssertionError", "secant.GradientMismatch"), "--secant-gradcheck=replace"
    )
    result.assert_outcomes(passed=2)
    result.stdout.re_match_lines([r"jax.test_util.check_grads +4 +2 +2 +0 +\d+\.\d\d"])


def test_both_are_asked_and_the_original_answers(run):
    result = run(ARRAYS, "--secant-gradcheck=compare", "--secant-sabotage=1.05")
    result.assert_outcomes(passed=2)
    result.stdout.re_match_lines(
        [
            r" +calls  agreed  differ  original, s  secant, s",
            r"jax.test_util.check_grads +4 +4 +0 .*",
            r"claims times 1.05, where both had passed, 2 calls: caught by both 2, .*",
        ]
    )
