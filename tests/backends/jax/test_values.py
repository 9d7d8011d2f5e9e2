"""Dtypes, keys, integers and complex numbers of JAX, and that no flag is touched."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import secant
from secant import Verdict
from secant._backends.jax.backend import JaxBackend
from secant._spaces.choose import space_of

BACKEND = JaxBackend()
X = jnp.asarray(np.linspace(-1.0, 1.5, 6), jnp.float32)
Z = jnp.asarray([0.3 + 0.4j, -1.0 + 0.2j, 0.5 - 0.7j], jnp.complex64)


def wrong_by(factor):
    rule = jax.custom_vjp(jnp.sin)
    rule.defvjp(
        lambda x: (jnp.sin(x), x), lambda x, v: ((factor * v * jnp.cos(x)).astype(x.dtype),)
    )
    return rule


@pytest.mark.parametrize("is_on", [False, True])
def test_x64_is_never_switched(is_on):
    with jax.enable_x64(is_on):
        seen = []

        def function(x):
            seen.append(jax.dtypes.canonicalize_dtype(np.float64) == np.float64)
            return jnp.sin(x)

        assert secant.check(function, X)
        assert set(seen) == {is_on}
        with pytest.raises(secant.FunctionRaised):
            secant.check(lambda x: x[{}], X)
        assert (jnp.zeros(1, float).dtype == np.float64) is is_on


def test_float32_is_checked_as_such_without_x64_and_lifted_with_it():
    direct = secant.check(jnp.sin, X)
    assert not any(one.kind == "precision" for one in direct.findings)
    assert direct.resolution > 1e-4
    assert secant.check(wrong_by(1.01), X).verdict is Verdict.FAIL
    with jax.enable_x64(True):
        lifted = secant.check(jnp.sin, X)
        assert any(one.kind == "precision" for one in lifted.findings)
        assert secant.check(jnp.sin, X.astype(jnp.float64)).resolution < 1e-5
        assert secant.check(wrong_by(1 + 1e-6), X.astype(jnp.float64)).verdict is Verdict.FAIL


def test_what_cannot_be_told_says_that_x64_is_off():
    report = secant.check(lambda x: jnp.sin(100 * x), jnp.linspace(0.3, 1.5, 6, dtype=jnp.bfloat16))
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "while x64 is off" in str(report)
    with pytest.raises(secant.InputError, match="jax_enable_x64"):
        secant.check(jnp.sin, X, lift=True)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_tells_right_from_wrong(dtype):
    x = X.astype(dtype)
    # eleven bits and less hide about a tenth of the gradient's size: hardly a PASS is worth that
    assert secant.check(jnp.sin, x).verdict is not Verdict.FAIL
    assert secant.check(wrong_by(1.5), x).verdict is Verdict.FAIL
    assert secant.check(wrong_by(0.0), x).verdict is Verdict.FAIL


@pytest.mark.parametrize("probe", ["fast", "full"])
def test_complex_gradients_follow_jaxs_convention(probe):
    def mixed(z):
        return jnp.conj(z) * z * 1j + jnp.exp(z), jnp.abs(z) ** 2, z.real * 2

    assert secant.check(mixed, Z, modes="all", probe=probe, laws="all")
    assert secant.check(lambda z: jnp.abs(z) ** 2, Z, order=2)
    conjugated = jax.custom_vjp(jnp.exp)
    conjugated.defvjp(lambda z: (jnp.exp(z), z), lambda z, v: (v * jnp.conj(jnp.exp(z)),))
    assert secant.check(conjugated, Z, probe=probe).verdict is Verdict.FAIL


def test_keys_integers_and_masks_are_ordinary_inputs():
    def function(key, places, mask, x):
        return jnp.where(mask, x[places] * jax.random.normal(key, places.shape), 0.0)

    places, mask = jnp.array([0, 2, 2]), jnp.array([True, False, True])
    for key in (jax.random.key(0), jax.random.PRNGKey(0)):
        report = secant.check(function, key, places, mask, X, modes="all", order=2)
        assert report, str(report)


def test_numpy_arrays_beside_jaxs_are_differentiated_as_jax_does():
    report = secant.check(lambda x, y: x * y, X, np.linspace(0.0, 1.0, 6))
    assert {one.where for one in report.findings if one.kind == "derivative"} == {
        "∂out / ∂x",
        "∂out / ∂y",
    }


def test_scalars_weak_types_and_empty_arrays():
    assert secant.check(lambda x: x**2, jnp.float32(1.5))
    assert secant.check(lambda x: x * jnp.float16(2), jnp.asarray(1.5))
    assert secant.check(lambda x: x.sum(), jnp.zeros((0, 3)))


def test_arrays_of_two_frameworks_are_refused():
    with pytest.raises(secant.InputError, match="arrays of jax and of torch"):
        secant.check(lambda x, y: x, X, torch.zeros(3))


def test_inputs_survive_and_the_version_is_named():
    before = np.asarray(X).copy()
    report = secant.check(jnp.sin, X, probe="full", laws="all")
    assert np.array_equal(X, before)
    assert f"jax {jax.__version__}" in report.versions


def test_arrays_are_made_of_numbers_of_their_own_and_nothing_is_compiled_for_it(caplog):
    reference, numbers = jnp.ones((5, 7), jnp.float32), np.arange(35.0)
    with jax.log_compiles():
        made = [
            BACKEND.unflatten(numbers, reference),
            BACKEND.from_numbers(numbers.astype(np.float32).reshape(5, 7), reference),
        ]
    own = numbers.astype(np.float32)
    foreign = BACKEND.from_numbers(own, reference)
    numbers[0] = own[0] = 9.0
    assert [float(one.reshape(-1)[0]) for one in (*made, foreign)] == [0.0, 0.0, 0.0]
    assert not [one for one in caplog.records if "XLA compilation" in one.getMessage()]


def test_arrays_of_one_kind_share_a_space_unless_their_dtype_is_switched_off():
    one, other = jnp.ones((2, 3), jnp.float32), jnp.zeros((2, 3), jnp.float32)
    assert space_of(BACKEND, one) is space_of(BACKEND, other)
    assert space_of(BACKEND, one) is not space_of(BACKEND, jnp.ones((3, 2), jnp.float32))
    with jax.enable_x64(True):
        wide = jnp.ones((2, 3), jnp.float64)
        assert space_of(BACKEND, wide) is space_of(BACKEND, wide + 1)
    assert BACKEND.kind(wide) is None
    assert BACKEND.kind(jnp.ones(2048)) is None  # one of a kind is kept
