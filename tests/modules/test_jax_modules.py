"""Equinox's and Flax NNX's modules: their arrays are leaves by path, their state stays as it is."""

from __future__ import annotations

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

import secant
from secant import Verdict

KEY = jax.random.key(0)
X = jax.random.normal(KEY, (6, 3))


@jax.custom_vjp
def product(x, weight):
    return x @ weight.T


def product_forward(x, weight):
    return product(x, weight), (x, weight)


def product_backward(kept, v):
    x, weight = kept
    return v @ weight, 1.25 * v.T @ x


product.defvjp(product_forward, product_backward)


class Layer(eqx.Module):
    weight: jax.Array
    bias: jax.Array
    name: str = eqx.field(static=True, default="layer")

    def __call__(self, x):
        return jnp.tanh(product(x, self.weight) + self.bias)


class Around(eqx.Module):
    first: eqx.nn.Linear
    layers: list

    def __call__(self, x):
        return self.layers[0](jax.vmap(self.first)(x))


class Linear(nnx.Module):
    def __init__(self, rngs, wrong=True):
        self.weight = nnx.Param(jax.random.normal(rngs.params(), (2, 4)))
        self.wrong = wrong

    def __call__(self, x):
        return (product if self.wrong else jnp.inner)(x, self.weight[...])


class Network(nnx.Module):
    def __init__(self, rngs, wrong=False):
        self.first = nnx.Linear(3, 4, use_bias=False, rngs=rngs)
        self.norm = nnx.BatchNorm(4, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)
        self.layers = nnx.List([Linear(rngs, wrong)])

    def __call__(self, x):
        return self.layers[0](self.dropout(jnp.tanh(self.norm(self.first(x)))))


def layer():
    return Layer(jnp.asarray([[0.5, -0.2, 1.0], [0.3, 0.7, -0.4]]), jnp.asarray([0.1, -0.3]))


def wheres(report, verdict):
    return {
        one.where for one in report.findings if one.verdict is verdict and one.input is not None
    }


def test_the_arrays_of_an_equinox_module_are_leaves_by_path():
    report = secant.check(layer(), X)
    assert wheres(report, Verdict.FAIL) == {"∂out / ∂weight"}
    assert wheres(report, Verdict.PASS) == {"∂out / ∂x", "∂out / ∂bias"}
    text = str(report)
    assert "likely    claimed = 1.25 × measured" in text
    assert "code      2nd value returned by `product_backward`, " in text
    assert text.endswith('rerun     secant.check(module, x, probe="full", seed=1729)')
    with pytest.raises(secant.GradientMismatch):
        secant.assert_gradient(layer(), X)


def test_a_right_equinox_network_passes_with_all_its_leaves():
    report = secant.check(eqx.nn.MLP(3, 2, 4, 1, key=KEY), X[0])
    assert report, str(report)
    assert "∂out / ∂layers[1].weight" in wheres(report, Verdict.PASS)


def test_a_compiled_module_is_one_too():
    report = secant.check(eqx.filter_jit(layer()), X)
    assert report.name == "Layer"
    assert wheres(report, Verdict.FAIL) == {"∂out / ∂weight"}


def test_a_function_in_a_wrapper_is_a_function():
    assert secant.check(eqx.filter_jit(jnp.sin), X)
    assert secant.check(jax.tree_util.Partial(jnp.multiply, jnp.float32(2.0)), X)


def test_a_module_can_be_checked_in_another_dtype():
    with jax.enable_x64(True):
        report = secant.check(layer(), X, dtype="float64")
    assert wheres(report, Verdict.FAIL) == {"∂out / ∂weight"}


def test_localise_names_the_submodule_of_an_equinox_module():
    module = Around(eqx.nn.Linear(3, 3, key=KEY), [layer()])
    own = Layer.__dict__["__call__"]
    result = secant.localise(module, X)
    assert [call.path for call in result.blamed] == ["layers[0]"]
    assert "`layers[0]` (Layer): it fails by itself" in str(result)
    assert Layer.__dict__["__call__"] is own


def network(**settings):
    return Network(nnx.Rngs(0), **settings)


def state_of(module):
    leaves = jax.tree_util.tree_leaves(nnx.state(module))
    return [np.asarray(jax.random.key_data(one) if is_key(one) else one) for one in leaves]


def is_key(leaf):
    return jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def test_an_nnx_module_with_dropout_and_batch_norm_is_checked_and_left_alone():
    module = network()
    before = state_of(module)
    report = secant.check(module, X)
    assert report, str(report)
    assert "∂out / ∂layers[0].weight" in wheres(report, Verdict.PASS)
    assert "begins alike in every call" in str(report)
    assert all(map(np.array_equal, before, state_of(module)))


def test_a_wrong_rule_in_an_nnx_module_is_caught_and_localised():
    module = network(wrong=True)
    before = state_of(module)
    result = secant.localise(module, X, explain=False)
    assert [call.path for call in result.blamed] == ["layers[0]"]
    assert [call.verdict for call in result.calls if call.path == "dropout"] == [Verdict.PASS]
    assert all(map(np.array_equal, before, state_of(module)))


def test_a_module_behind_a_function_is_refused_with_the_call_that_works():
    module = network()
    with pytest.raises(secant.InputError, match=r"Pass the module: secant.check\(module, x\)"):
        secant.check(lambda x: module(x), X)


def test_without_a_rule_the_users_own_module_is_named():
    class Detached(eqx.Module):
        weight: jax.Array

        def __call__(self, x):
            return x * jax.lax.stop_gradient(self.weight)

    class Outer(eqx.Module):
        inner: Detached

        def __call__(self, x):
            return self.inner(x)

    report = secant.check(Outer(Detached(jnp.ones(3))), X)
    assert [code.name for code in report.worst.code] == ["Detached.__call__"]


@pytest.mark.parametrize(
    "around",
    [
        jax.vmap,
        lambda module: lambda x: jax.vmap(module)(x),
        lambda module: functools.partial(lambda m, x: jax.vmap(m)(x), module),
        lambda module: eqx.filter_jit(lambda x: jax.vmap(module)(x)),
    ],
    ids=["mapped", "closed over", "partial", "compiled"],
)
def test_a_module_behind_a_function_is_said_to_be_held_and_checked_as_an_argument(around):
    module = eqx.nn.Linear(2, 2, key=jax.random.key(0))
    x = jnp.ones((3, 2))
    assert "the arrays of `Linear` behind the function are held" in str(
        secant.check(around(module), x)
    )
    report = secant.check(lambda module, x: jax.vmap(module)(x), module, x)
    assert report
    assert "held" not in str(report)
    assert len([one for one in report.findings if one.kind == "derivative"]) == 3
