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


def test_a_claim_in_bfloat16_is_made_too_large_in_its_own_dtype(run):
    result = run(
        """
        import jax.numpy as jnp, numpy as np
        from jax.test_util import check_grads

        def test_it():
            check_grads(lambda x: x, (np.array([1.75, -3], jnp.bfloat16),), 1, eps=1.0)
        """,
        "--secant-gradcheck=compare",
        "--secant-sabotage=1.2",
    )
    result.assert_outcomes(passed=1)
    result.stdout.re_match_lines([r"claims times 1.2, .* 1 call: caught by both 1, .*"])


RULES = """
    import functools
    import jax, jax.numpy as jnp, jax.test_util
    from jax.test_util import check_jvp, check_vjp
    from jax._src.public_test_util import check_vjp as private

    X = (jnp.linspace(0.1, 1, 3),)

    def wrong_push(primals, tangents):
        return jnp.sin(*primals), 1.05 * jnp.cos(*primals) * tangents[0]

    def wrong_pull(x):
        return jnp.sin(x), lambda v: (1.05 * jnp.cos(x) * v,)

    def test_rules():
        check_jvp(jnp.sin, functools.partial(jax.jvp, jnp.sin), X)
        jax.test_util.check_jvp(jnp.sin, f_jvp=functools.partial(jax.jvp, jnp.sin), args=X)
        check_vjp(jnp.sin, functools.partial(jax.vjp, jnp.sin), X)
        for check, rule in ((check_jvp, wrong_push), (private, wrong_pull)):
            with pytest.raises(AssertionError):
                check(jnp.sin, rule, X)
    """


def test_derivatives_that_are_given_are_answered_by_secant_too(run):
    result = run(
        RULES.replace("AssertionError", "secant.GradientMismatch"), "--secant-gradcheck=replace"
    )
    result.assert_outcomes(passed=1)
    result.stdout.re_match_lines(
        [r"jax.test_util.check_jvp +3 +2 +1 +0 .*", r"jax.test_util.check_vjp +2 +1 +1 +0 .*"]
    )


def test_derivatives_that_are_given_are_compared_and_sabotaged(run):
    result = run(RULES, "--secant-gradcheck=compare", "--secant-sabotage=1.05")
    result.assert_outcomes(passed=1)
    result.stdout.re_match_lines(
        [
            r"jax.test_util.check_jvp +3 +3 +0 .*",
            r"jax.test_util.check_vjp +2 +2 +0 .*",
            r"claims times 1.05, where both had passed, 3 calls: caught by both 3, .*",
        ]
    )


def test_where_the_numbers_cannot_tell_it_is_the_original_that_a_replacement_asks(run):
    result = run(
        """
        import jax.numpy as jnp
        from jax.test_util import check_grads

        def test_it():
            x = jnp.linspace(0.3, 1.5, 6, dtype=jnp.bfloat16)
            with pytest.warns(secant.Undecided, match="too few digits") as caught:
                with pytest.raises(AssertionError):
                    check_grads(lambda x: jnp.sin(100 * x), (x,), 1, ("rev",))
            assert len(caught) == 1
        """,
        "--secant-gradcheck=replace",
    )
    result.assert_outcomes(passed=1)
