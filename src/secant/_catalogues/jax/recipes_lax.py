"""Recipes for jax.lax: control flow, slices, scatters, convolutions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from .templates import Table, square, unit, within

_WIDE, _TABLE, _VECTOR = within(-2.0, 2.0, 3, 4), unit(3, 4), unit(6)
_IMAGES, _KERNELS = unit(1, 2, 4, 4), unit(3, 2, 3, 3)


def recipes() -> Table:
    """Return functions, and how their inputs are drawn, by name."""
    return {**_control(), **_slices(), **_convolutions(), **_others(), **_scatters()}


def _step(carry: jax.Array, one: jax.Array) -> tuple[jax.Array, jax.Array]:
    carry = jnp.tanh(carry + one)
    return carry, carry * one


def _control() -> Table:
    return {
        "lax.associative_scan": (lambda x: lax.associative_scan(jnp.multiply, x), _VECTOR),
        "lax.cond": (lambda x: lax.cond(True, jnp.sin, jnp.cos, x), _WIDE),
        "lax.custom_linear_solve": (
            lambda a, b: lax.custom_linear_solve(
                lambda x: a @ x,
                b,
                lambda _, b: jnp.linalg.solve(a, b),
                lambda _, b: jnp.linalg.solve(a.T, b),
            ),
            square(3),
            unit(3),
        ),
        "lax.custom_root": (_root, within(0.5, 4.0, 4)),
        "lax.fori_loop": (lambda x: lax.fori_loop(0, 3, lambda _, y: jnp.sin(y) * x, x), _WIDE),
        "lax.map": (lambda x: lax.map(jnp.sin, x), _WIDE),
        "lax.platform_dependent": (
            lambda x: lax.platform_dependent(x, default=jnp.sin),
            _WIDE,
        ),
        "lax.scan": (lambda x, y: lax.scan(_step, x, y), unit(4), _TABLE),
        "lax.switch": (lambda x: lax.switch(1, [jnp.sin, jnp.exp], x), _WIDE),
        "lax.while_loop": (
            lambda x: lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * x), (0, x))[1],
            _WIDE,
        ),
        **{f"lax.{name}": (_mapped(name), _TABLE) for name in ("psum", "pmean", "pmax", "pmin")},
        "lax.all_gather": (_mapped("all_gather"), _TABLE),
        "lax.ppermute": (_mapped("ppermute", perm=[(0, 1), (1, 2), (2, 0)]), _TABLE),
    }


def _root(x: jax.Array) -> Any:
    """The cube root by Newton's method, with the derivative of the equation it solves."""
    return lax.custom_root(
        lambda y: y**3 - x,
        jnp.ones_like(x),
        lambda f, y: lax.fori_loop(0, 25, lambda _, y: y - f(y) / (3 * y**2), y),
        lambda g, y: y / g(jnp.ones_like(y)),
    )


def _mapped(name: str, **settings: Any) -> Callable[..., Any]:
    """A collective, over an axis that vmap names."""
    collective = getattr(lax, name)
    return jax.vmap(lambda row: collective(row, "rows", **settings), axis_name="rows")


def _slices() -> Table:
    return {
        "lax.broadcast_in_dim": (lambda x: lax.broadcast_in_dim(x, (2, 6), (1,)), _VECTOR),
        "lax.broadcast_to_rank": (lambda x: lax.broadcast_to_rank(x, 3), _TABLE),
        "lax.collapse": (lambda x: lax.collapse(x, 0, 2), _TABLE),
        "lax.dynamic_slice": (lambda x: lax.dynamic_slice(x, (1, 1), (2, 2)), _TABLE),
        "lax.dynamic_slice_in_dim": (lambda x: lax.dynamic_slice_in_dim(x, 1, 2), _TABLE),
        "lax.dynamic_update_slice": (
            lambda x, y: lax.dynamic_update_slice(x, y, (1, 1)),
            _TABLE,
            unit(2, 2),
        ),
        "lax.dynamic_update_slice_in_dim": (
            lambda x, y: lax.dynamic_update_slice_in_dim(x, y, 1, 0),
            _TABLE,
            unit(1, 4),
        ),
        "lax.dynamic_update_index_in_dim": (
            lambda x, y: lax.dynamic_update_index_in_dim(x, y, 1, 0),
            _TABLE,
            unit(4),
        ),
        "lax.full": (lambda x: lax.full((2, 3), x), unit()),
        "lax.full_like": (lambda x, y: lax.full_like(x, y), _TABLE, unit()),
        "lax.index_take": (
            lambda x: lax.index_take(x, jnp.array([[0, 2]]), (0,)),
            _TABLE,
        ),
        "lax.pad": (lambda x, y: lax.pad(x, y, ((1, 0, 1), (0, 2, 0))), _TABLE, unit()),
        "lax.reshape": (lambda x: lax.reshape(x, (2, 6)), _TABLE),
        "lax.slice": (lambda x: lax.slice(x, (0, 1), (2, 4), (1, 2)), _TABLE),
        "lax.slice_in_dim": (lambda x: lax.slice_in_dim(x, 0, 2), _TABLE),
        "lax.split": (lambda x: lax.split(x, (1, 2)), _TABLE),
        "lax.squeeze": (lambda x: lax.squeeze(x, (0,)), unit(1, 4)),
        "lax.tile": (lambda x: lax.tile(x, (2, 1)), _TABLE),
        "lax.top_k": (lambda x: lax.top_k(x, 2)[0], _TABLE),
    }


def _convolutions() -> Table:
    return {
        "lax.conv": (lambda x, w: lax.conv(x, w, (1, 1), "SAME"), _IMAGES, _KERNELS),
        "lax.conv_general_dilated": (
            lambda x, w: lax.conv_general_dilated(x, w, (2, 1), "SAME", rhs_dilation=(1, 2)),
            _IMAGES,
            _KERNELS,
        ),
        "lax.conv_general_dilated_local": (
            lambda x, w: lax.conv_general_dilated_local(x, w, (1, 1), "VALID", (3, 3)),
            _IMAGES,
            unit(3, 18, 2, 2),
        ),
        "lax.conv_general_dilated_patches": (
            lambda x: lax.conv_general_dilated_patches(x, (2, 2), (1, 1), "VALID"),
            _IMAGES,
        ),
        "lax.conv_transpose": (
            lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME"),
            unit(1, 3, 3, 2),
            unit(3, 3, 2, 2),
        ),
        "lax.conv_with_general_padding": (
            lambda x, w: lax.conv_with_general_padding(
                x, w, (1, 1), ((1, 0), (0, 1)), (1, 1), (1, 1)
            ),
            _IMAGES,
            _KERNELS,
        ),
    }


def _others() -> Table:
    return {
        "lax.convert_element_type": (
            lambda x: lax.convert_element_type(x, x.dtype),
            _TABLE,
        ),
        "lax.dot_general": (
            lambda x, y: lax.dot_general(x, y, (((2,), (1,)), ((0,), (0,)))),
            unit(2, 3, 4),
            unit(2, 4, 3),
        ),
        "lax.fft": (lambda x: lax.fft(x + 0j, "fft", (6,)), _VECTOR),
        "lax.imag": (lambda x, y: lax.imag(lax.complex(x, y)), _TABLE, _TABLE),
        "lax.real": (lambda x, y: lax.real(lax.complex(x, y)), _TABLE, _TABLE),
        "lax.clamp": (lax.clamp, within(-1.5, -0.5, 3, 4), _WIDE, within(0.5, 1.5, 3, 4)),
        "lax.integer_pow": (lambda x: lax.integer_pow(x, 3), _WIDE),
        "lax.polygamma": (lambda x: lax.polygamma(jnp.ones_like(x), x), within(1.0, 3.0, 3)),
        "lax.ragged_dot": (
            lambda x, y: lax.ragged_dot(x, y, jnp.array([1, 2])),
            _TABLE,
            unit(2, 4, 2),
        ),
        "lax.reduce": (lambda x: lax.reduce(x, jnp.zeros((), x.dtype), lax.add, (0,)), _TABLE),
        "lax.reduce_precision": (lambda x: lax.reduce_precision(x, 11, 52), _TABLE),
        "lax.reduce_window": (
            lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (1, 1), "VALID"),
            _WIDE,
        ),
        "lax.betainc": (_betainc, unit(3)),
        "lax.select": (lambda x, y: lax.select(x.real > 0, x * y, y), _WIDE, _TABLE),
    }


def _betainc(x: jax.Array) -> jax.Array:
    return lax.betainc(jnp.full_like(x, 1.5), jnp.full_like(x, 2.0), x)


def _scatters() -> Table:
    at = [[0], [2]]
    scattering = lax.ScatterDimensionNumbers((1,), (0,), (0,))
    found: Table = {
        "lax.gather": (
            lambda x: lax.gather(
                x, jnp.array(at), lax.GatherDimensionNumbers((1,), (0,), (0,)), (1, 4)
            ),
            _TABLE,
        )
    }
    for name in (
        "scatter",
        "scatter_add",
        "scatter_sub",
        "scatter_mul",
        "scatter_min",
        "scatter_max",
    ):
        scatter = getattr(lax, name)
        found[f"lax.{name}"] = (
            lambda x, y, scatter=scatter: scatter(
                x, jnp.array(at), y, scattering, unique_indices=True
            ),
            _TABLE,
            unit(2, 4),
        )
    return found
