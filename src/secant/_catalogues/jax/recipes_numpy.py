"""Recipes for jax.numpy, jax.nn, jax.ops and jax.image."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from .templates import Table, square, unit, within

_WIDE, _TABLE, _VECTOR = within(-2.0, 2.0, 3, 4), unit(3, 4), unit(6)


def recipes() -> Table:
    """Return functions, and how their inputs are drawn, by name."""
    return {**_edits(), **_arrays(), **_networks()}


def _edits() -> Table:
    return {
        "numpy.einsum": (lambda x, y: jnp.einsum("ij,jk->ik", x, y), _TABLE, unit(4, 2)),
        "numpy.where": (lambda x, y: jnp.where(x.real > 0, x * y, y), _WIDE, _TABLE),
        "numpy.clip": (lambda x: jnp.clip(x, -1.1, 1.1), _WIDE),
        "numpy.gradient": (jnp.gradient, _VECTOR),
        "numpy.array": (jnp.array, _TABLE),
        "numpy.astype": (lambda x: jnp.astype(x, x.dtype), _TABLE),
        "numpy.choose": (
            lambda x, y: jnp.choose(jnp.array([0, 1, 0]), [x, y], mode="clip"),
            unit(3),
            unit(3),
        ),
        "numpy.compress": (
            lambda x: jnp.compress(jnp.array([True, False, True]), x, axis=0, size=2),
            _TABLE,
        ),
        "numpy.delete": (lambda x: jnp.delete(x, 1, axis=0), _TABLE),
        "numpy.insert": (lambda x, y: jnp.insert(x, 2, y), _VECTOR, unit()),
        "numpy.dsplit": (lambda x: jnp.dsplit(x, 2), unit(2, 3, 4)),
        "numpy.fill_diagonal": (
            lambda x, y: jnp.fill_diagonal(x, y, inplace=False),
            unit(3, 3),
            unit(),
        ),
        "numpy.frexp": (lambda x: jnp.frexp(x)[0], _TABLE),
        "numpy.ldexp": (lambda x: jnp.ldexp(x, 2), _TABLE),
        "numpy.partition": (lambda x: jnp.partition(x, 2), _TABLE),
    }


def _arrays() -> Table:
    rows = np.array([2, 0, 2])
    return {
        "numpy.put": (lambda x, y: jnp.put(x, rows[:2], y, inplace=False), _VECTOR, unit(2)),
        "numpy.put_along_axis": (
            lambda x, y: jnp.put_along_axis(x, rows[None, :1], y, 0, inplace=False),
            _TABLE,
            unit(1, 1),
        ),
        "numpy.apply_along_axis": (lambda x: jnp.apply_along_axis(jnp.cumsum, 0, x), _TABLE),
        "numpy.apply_over_axes": (lambda x: jnp.apply_over_axes(jnp.sum, x, [0]), _TABLE),
        "numpy.piecewise": (
            lambda x: jnp.piecewise(x, [x.real > 0], [jnp.sin, jnp.cos]),
            _WIDE,
        ),
        "numpy.roots": (lambda x: jnp.roots(x, strip_zeros=False), unit(4)),
        "numpy.select": (lambda x, y: jnp.select([x.real > 0], [x * y], y), _WIDE, _TABLE),
        "numpy.take": (lambda x: jnp.take(x, rows, axis=0), _TABLE),
        "numpy.linalg.tensorinv": (lambda x: jnp.linalg.tensorinv(x, 1), square(3)),
    }


def _networks() -> Table:
    rows = np.array([2, 0, 2])
    return {
        "nn.one_hot": (lambda x: jax.nn.one_hot(rows, 4, dtype=x.dtype) * x, _TABLE),
        "nn.scaled_matmul": (
            lambda a, b: jax.nn.scaled_matmul(a, b, jnp.ones((1, 2, 1)), jnp.ones((1, 2, 1))),
            unit(1, 2, 4),
            unit(1, 2, 4),
        ),
        **{
            f"ops.segment_{name}": (
                lambda x, name=name: getattr(jax.ops, f"segment_{name}")(
                    x, jnp.array([2, 0, 1]), num_segments=4, unique_indices=True
                ),
                _TABLE,
            )
            for name in ("sum", "prod", "max", "min")
        },
        "image.resize": (lambda x: jax.image.resize(x, (5, 6), "bilinear"), _TABLE),
        "image.scale_and_translate": (
            lambda x, scale, by: jax.image.scale_and_translate(
                x, (4, 5), (0, 1), scale, by, "linear"
            ),
            _TABLE,
            within(1.1, 1.6, 2),
            unit(2),
        ),
    }
