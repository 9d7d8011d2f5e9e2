"""Wrong rules for JAX: `custom_vjp` and `custom_jvp` mistakes, in float32 with x64 off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from wrong.exhibit import Exhibit
from wrong.jax_planting import pulled, pushed

Array = jax.Array


def normals(*shape: int, dtype: Any = np.float32, seed: int = 0) -> Array:
    """Return standard normals, the same ones each time."""
    numbers = np.random.default_rng(seed)
    entries = numbers.standard_normal((2, *shape))
    is_complex = np.dtype(dtype).kind == "c"
    return jnp.asarray((entries[0] + 1j * entries[1] if is_complex else entries[0]).astype(dtype))


def point(*shape: int, dtype: Any = np.float32) -> Callable[[], tuple[Array, ...]]:
    """Return a maker of one input of the given shape."""
    return lambda: (normals(*shape, dtype=dtype),)


def _pair(*shapes: tuple[int, ...]) -> Callable[[], tuple[Array, ...]]:
    return lambda: tuple(normals(*shape, seed=k) for k, shape in enumerate(shapes))


def _dense(x: Array, w: Array, b: Array) -> Array:
    return x @ w + b


def _twice(x: Array) -> tuple[Array, Array]:
    return jnp.sin(x), jnp.exp(x)


def _recurrent(x: Array, a: Array) -> Array:
    return lax.scan(lambda state, one: (a * state + one, a * state + one), jnp.zeros(()), x)[1]


def _gathered(table: Array, scale: Array) -> Array:
    return table[jnp.array([0, 2, 2, 1])] * scale


def _scatter(v: Array, scale: Array, how: str) -> Array:
    at = jnp.zeros((4, 3)).at[jnp.array([0, 2, 2, 1])]
    return at.set(v * scale) if how == "set" else at.add(v * scale)


def _host_sine(x: Array) -> Array:
    return jax.pure_callback(lambda one: np.sin(np.asarray(one)), x, x, vmap_method="sequential")


_SEEN = np.zeros(6, np.float32)


def _accumulated(v: Array, x: Array) -> Array:
    """Add to a buffer of the host's, and return it: never the same answer twice."""

    def add(more: Any) -> np.ndarray:
        np.add(_SEEN, np.asarray(more), out=_SEEN)
        return _SEEN.copy()

    return jax.pure_callback(add, x, v * jnp.cos(x), vmap_method="sequential")


@jax.custom_batching.custom_vmap
def _doubled(v: Array) -> Array:
    return 2 * v


@_doubled.def_vmap
def _doubled_in_batches(size: int, batched: Any, v: Array) -> tuple[Array, bool]:
    return 3 * v, True


def _summed(x: Array) -> Array:
    return jnp.cumsum(x)


def _softmax(x: Array) -> Array:
    weights = jnp.exp(x - x.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def _one_entry_off(x: Array, v: Array) -> tuple[Array]:
    return ((v * 2 * x).at[417].multiply(1.5),)


EXHIBITS = [
    Exhibit(
        "factor",
        pulled(jnp.sin, lambda x, v: (1.05 * v * jnp.cos(x),)),
        point(3, 4),
        cause="a constant factor is wrong",
        shows=("1.05",),
        right=pulled(jnp.sin, lambda x, v: (v * jnp.cos(x),)),
    ),
    Exhibit(
        "sign",
        pulled(jnp.cos, lambda x, v: (v * jnp.sin(x),)),
        point(8),
        cause="sign",
        right=pulled(jnp.cos, lambda x, v: (-v * jnp.sin(x),)),
    ),
    Exhibit(
        "output_saved_instead_of_input",
        pulled(jnp.sin, lambda x, v: (v * jnp.cos(jnp.sin(x)),)),
        point(8),
        right=jnp.sin,
        probes=("auto",),
    ),
    Exhibit(
        "transposed_weights",
        pulled(jnp.matmul, lambda x, w, v: (v @ w, x.T @ v)),
        _pair((4, 4), (4, 4)),
        right=pulled(jnp.matmul, lambda x, w, v: (v @ w.T, x.T @ v)),
        probes=("auto",),
    ),
    Exhibit(
        "bias_averaged_instead_of_summed",
        pulled(_dense, lambda x, w, b, v: (v @ w.T, x.T @ v, v.mean(0))),
        _pair((5, 3), (3, 4), (4,)),
        shows=("∂b",),
        right=pulled(_dense, lambda x, w, b, v: (v @ w.T, x.T @ v, v.sum(0))),
        probes=("auto",),
    ),
    Exhibit(
        "absolute_cotangent",
        pulled(jnp.exp, lambda x, v: (jnp.abs(v) * jnp.exp(x),)),
        point(8),
        kind="linearity",
        right=pulled(jnp.exp, lambda x, v: (v * jnp.exp(x),)),
    ),
    Exhibit(
        "clipped_cotangent",
        pulled(jnp.exp, lambda x, v: (jnp.clip(v, -2, 2) * jnp.exp(x),)),
        point(8),
        kind="linearity",
        right=jnp.exp,
        probes=("auto",),
    ),
    Exhibit(
        "something_from_nothing",
        pulled(jnp.sin, lambda x, v: (v * jnp.cos(x) + 1e-3,)),
        point(8),
        kind="linearity",
        right=jnp.sin,
        probes=("auto",),
    ),
    Exhibit(
        "forward_pass_computes_something_else",
        pulled(
            jnp.sin,
            lambda x, v: (v * jnp.cos(x),),
            forward_pass=lambda x: jnp.sin(x) + 0.1,
        ),
        point(8),
        kind="primal",
        cause="does not compute the function",
        right=jnp.sin,
        probes=("auto",),
    ),
    Exhibit(
        "second_argument_taken_for_a_constant",
        pulled(jnp.multiply, lambda x, y, v: (v * y, None)),
        _pair((6,), (6,)),
        shows=("claimed   0",),
        right=pulled(jnp.multiply, lambda x, y, v: (v * y, v * x)),
    ),
    Exhibit(
        "gradients_swapped",
        pulled(jnp.multiply, lambda x, y, v: (v * x, v * y)),
        _pair((6,), (6,)),
        right=jnp.multiply,
        probes=("auto",),
    ),
    Exhibit(
        "conjugated_where_JAX_does_not",
        pulled(jnp.exp, lambda z, v: (v * jnp.conj(jnp.exp(z)),)),
        point(5, dtype=np.complex64),
        right=pulled(jnp.exp, lambda z, v: (v * jnp.exp(z),)),
    ),
    Exhibit(
        "second_output_ignored",
        pulled(_twice, lambda x, v: (v[0] * jnp.cos(x),)),
        point(6),
        shows=("∂out[1]",),
        right=pulled(_twice, lambda x, v: (v[0] * jnp.cos(x) + v[1] * jnp.exp(x),)),
    ),
    Exhibit(
        "one_entry_of_a_thousand",
        pulled(jnp.square, _one_entry_off),
        point(1_000),
        shows=("[417]",),
        right=pulled(jnp.square, lambda x, v: (v * 2 * x,)),
        probes=("auto",),
    ),
    Exhibit(
        "cumulative_sum_not_reversed",
        pulled(_summed, lambda x, v: (_summed(v),)),
        point(9),
        right=pulled(_summed, lambda x, v: (_summed(v[::-1])[::-1],)),
    ),
    Exhibit(
        "time_runs_forward_in_the_backward_of_a_scan",
        pulled(
            _recurrent,
            lambda x, a, v: (_recurrent(v, a), jax.vjp(lambda b: _recurrent(x, b), a)[1](v)[0]),
        ),
        lambda: (normals(7), jnp.asarray(0.7)),
        right=pulled(
            _recurrent,
            lambda x, a, v: (
                _recurrent(v[::-1], a)[::-1],
                jax.vjp(lambda b: _recurrent(x, b), a)[1](v)[0],
            ),
        ),
        probes=("auto",),
    ),
    Exhibit(
        "softmax_without_the_sum",
        pulled(_softmax, lambda x, v: (v * _softmax(x),)),
        point(3, 5),
        right=pulled(
            _softmax,
            lambda x, v: (_softmax(x) * (v - (v * _softmax(x)).sum(-1, keepdims=True)),),
        ),
    ),
    Exhibit(
        "repeated_rows_overwrite_each_other",
        pulled(
            _gathered,
            lambda t, s, v: (_scatter(v, s, "set"), (v * t[jnp.array([0, 2, 2, 1])]).sum()),
        ),
        lambda: (normals(4, 3), jnp.asarray(1.5)),
        right=pulled(
            _gathered,
            lambda t, s, v: (_scatter(v, s, "add"), (v * t[jnp.array([0, 2, 2, 1])]).sum()),
        ),
        probes=("auto",),
    ),
    Exhibit(
        "host_function_with_the_wrong_rule",
        pulled(_host_sine, lambda x, v: (v * jnp.sin(x),)),
        point(6),
        right=pulled(_host_sine, lambda x, v: (v * jnp.cos(x),)),
    ),
    Exhibit(
        "answers_pile_up",
        pulled(jnp.sin, lambda x, v: (_accumulated(v, x),)),
        point(6),
        kind="determinism",
        right=jnp.sin,
        probes=("auto",),
    ),
    Exhibit(
        "wrong_in_batches",
        pulled(lambda x: 2 * x, lambda x, v: (_doubled(v),)),
        point(6),
        kind="batching",
        settings={"laws": "all"},
        right=lambda x: 2 * x,
        probes=("auto",),
    ),
    Exhibit(
        "push_forgets_a_term_of_the_product_rule",
        pushed(lambda x: x * jnp.sin(x), lambda x, u: u[0] * jnp.sin(x[0])),
        point(9),
        settings={"modes": "all"},
        right=pushed(
            lambda x: x * jnp.sin(x),
            lambda x, u: u[0] * (jnp.sin(x[0]) + x[0] * jnp.cos(x[0])),
        ),
    ),
    Exhibit(
        "push_is_zero_for_many_outputs",
        pushed(jnp.sin, lambda x, u: 0 * u[0]),
        point(600),
        settings={"modes": "forward"},
        cause="claimed = 0 everywhere",
        right=pushed(jnp.sin, lambda x, u: jnp.cos(x[0]) * u[0]),
        probes=("auto",),
    ),
    Exhibit(
        "push_is_zero_in_half_precision",
        pushed(jnp.sin, lambda x, u: 0 * u[0]),
        point(12, dtype=np.float16),
        settings={"modes": "forward"},
        cause="claimed = 0 everywhere",
        right=pushed(jnp.sin, lambda x, u: jnp.cos(x[0]) * u[0]),
    ),
    Exhibit(
        "push_computes_another_value",
        pushed(jnp.sin, lambda x, u: jnp.cos(x[0]) * u[0], forward_pass=jnp.cos),
        point(6),
        kind="primal",
        right=jnp.sin,
        probes=("auto",),
    ),
    Exhibit(
        "push_that_cannot_be_differentiated_again",
        pushed(jnp.exp, lambda x, u: lax.stop_gradient(jnp.exp(x[0])) * u[0]),
        point(6),
        settings={"order": 2},
        right=pushed(jnp.exp, lambda x, u: jnp.exp(x[0]) * u[0]),
        probes=("auto",),
    ),
    Exhibit(
        "slope_of_the_wrong_branch",
        pushed(
            lambda x: jnp.where(x > 0, x, 0.1 * x),
            lambda x, u: jnp.where(x[0] > 0, u[0], 0.2 * u[0]),
        ),
        point(4, 5),
        settings={"modes": "all"},
        right=lambda x: jnp.where(x > 0, x, 0.1 * x),
    ),
]
