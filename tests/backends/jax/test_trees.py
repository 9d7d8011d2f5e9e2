"""Whatever JAX regards as a tree is opened, and its leaves are named as its users name them."""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optree
import pytest
from jax.experimental import sparse

import secant
from secant import Verdict

W = jnp.asarray(np.linspace(-1.0, 1.0, 6).reshape(2, 3), jnp.float32)
X = jnp.asarray(np.linspace(0.2, 1.2, 3), jnp.float32)

Pair = namedtuple("Pair", "left right")


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Layer:
    weight: Any
    power: int = dataclasses.field(metadata={"static": True}, default=2)


@jax.tree_util.register_pytree_node_class
class Keyless:
    def __init__(self, first, second):
        self.first, self.second = first, second

    def tree_flatten(self):
        return (self.first, self.second), None

    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(*children)


def leaves(report):
    assert report.verdict is Verdict.PASS, str(report)
    return {one.where for one in report.findings if one.kind == "derivative"}


def test_paths_of_nested_dictionaries_are_spelt_as_jax_spells_them():
    wrong = jax.custom_vjp(jnp.sin)
    wrong.defvjp(lambda x: (jnp.sin(x), x), lambda x, v: (v * jnp.cos(x) * (x < 0.5),))
    params = {"dense": {"kernel": W, "bias": X}}
    report = secant.check(lambda params: wrong(params["dense"]["kernel"]).sum(0) * X, params)
    assert report.worst.where.startswith("∂out")
    assert "∂params['dense']['kernel'][1, " in str(report)


def test_named_tuples_dataclasses_and_classes_without_keys():
    assert leaves(secant.check(lambda p: p.left @ p.right, Pair(W, X))) == {
        "∂out / ∂p.left",
        "∂out / ∂p.right",
    }
    assert leaves(secant.check(lambda layer: Layer(layer.weight**layer.power), Layer(W))) == {
        "∂out.weight / ∂layer.weight"
    }
    assert leaves(secant.check(lambda k: k.first @ k.second, Keyless(W, X))) == {
        "∂out / ∂k.first",
        "∂out / ∂k.second",
    }


def test_stored_entries_of_a_sparse_matrix_are_its_coordinates():
    matrix = sparse.BCOO.fromdense(jnp.where(W > 0, W, 0.0))
    report = secant.check(lambda m, x: m @ x, matrix, X, probe="full", modes="all")
    assert leaves(report) == {"∂out / ∂m.data", "∂out / ∂x"}
    assert report.jacobian("out", "m.data").claimed.shape == (2, 3)


def test_an_equinox_module_is_a_tree_of_parameters():
    equinox = pytest.importorskip("equinox")
    model = equinox.nn.MLP(3, 2, 4, 1, key=jax.random.key(0))
    report = secant.check(lambda model, x: model(x), model, X)
    assert "∂out / ∂model.layers[0].weight" in leaves(report)
    assert len(leaves(report)) == 5


def test_flax_modules_are_trees_of_parameters():
    linen = pytest.importorskip("flax.linen")
    from flax import nnx

    dense = linen.Dense(2)
    variables = dense.init(jax.random.key(0), X)
    assert "∂out / ∂variables['params']['kernel']" in leaves(
        secant.check(dense.apply, variables, X)
    )
    linear = nnx.Linear(3, 2, rngs=nnx.Rngs(0))
    graph, state = nnx.split(linear)
    assert len(leaves(secant.check(lambda s, x: nnx.merge(graph, s)(x), state, X))) == 3


def test_opening_a_container_leaves_optree_as_it_was():
    secant.check(lambda k: k.first * 2.0, Keyless(W, None))
    assert optree.tree_leaves(Keyless(W, X))[0].__class__ is Keyless
    assert optree.tree_leaves([Layer(W)])[0].__class__ is Layer
