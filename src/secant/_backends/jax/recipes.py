"""Sample inputs for functions of JAX whose signature does not tell, and functions not to ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy as jsp
from jax import lax

from .templates import Maker, Recipe, definite, square, unit, within

_WIDE, _TABLE, _VECTOR = within(-2.0, 2.0, 3, 4), unit(3, 4), unit(6)
_IMAGES, _KERNELS = unit(1, 2, 4, 4), unit(3, 2, 3, 3)


def written() -> dict[str, Recipe]:
    """Return recipes by the function's full name."""
    found: dict[str, Recipe] = {}
    for table in (
        _numpy(),
        _control(),
        _slices(),
        _lax(),
        _scatters(),
        _scipy(),
        _distributions(),
        _linear(),
    ):
        for name, (function, *makers) in table.items():
            found[f"jax.{name}"] = Recipe(function, tuple(makers))
    return found


def unasked() -> dict[str, str]:
    """Return why functions are not asked, by their full name."""
    return {f"jax.{name}": reason for name, reason in _unasked()}


def _unasked() -> Iterator[tuple[str, str]]:
    for name in ("load", "save", "savez", "fromfile", "frombuffer", "fromiter", "fromstring"):
        yield f"numpy.{name}", "reads or writes files and buffers"
    for name in ("set_printoptions", "get_printoptions", "printoptions", "from_dlpack"):
        yield f"numpy.{name}", "is not a function of arrays"
    for name in ("array_repr", "array_str", "einsum_path", "frompyfunc", "vectorize"):
        yield f"numpy.{name}", "is not a function of arrays"
    for name in ("create_token", "after_all", "psend", "precv", "dce_sink", "composite"):
        yield f"lax.{name}", "is not a function of arrays"
    for name in ("all_to_all", "pshuffle", "pswapaxes", "psum_scatter", "ragged_all_to_all"):
        yield f"lax.{name}", "exchanges data between devices"
    for name in ("pbroadcast", "pcast", "with_sharding_constraint"):
        yield f"lax.{name}", "exchanges data between devices"
    yield "lax.stop_gradient", "cuts its derivative on purpose"


_Table = dict[str, tuple[Any, ...]]


def _numpy() -> _Table:
    rows = jnp.array([2, 0, 2])
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


def _step(carry: jax.Array, one: jax.Array) -> tuple[jax.Array, jax.Array]:
    carry = jnp.tanh(carry + one)
    return carry, carry * one


def _control() -> _Table:
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


def _root(x: jax.Array) -> jax.Array:
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


def _slices() -> _Table:
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
            lambda x: lax.index_take(x, (jnp.array([0, 2]),), (0,)),
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


def _lax() -> _Table:
    return {
        "lax.convert_element_type": (
            lambda x: lax.convert_element_type(x, x.dtype),
            _TABLE,
        ),
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
        "lax.dot_general": (
            lambda x, y: lax.dot_general(x, y, (((2,), (1,)), ((0,), (0,)))),
            unit(2, 3, 4),
            unit(2, 4, 3),
        ),
        "lax.fft": (lambda x: lax.fft(x + 0j, "fft", (6,)), _VECTOR),
        "lax.imag": (lambda x, y: lax.imag(lax.complex(x, y)), _TABLE, _TABLE),
        "lax.real": (lambda x, y: lax.real(lax.complex(x, y)), _TABLE, _TABLE),
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


def _scatters() -> _Table:
    at = [[0], [2]]
    scattering = lax.ScatterDimensionNumbers((1,), (0,), (0,))
    found: _Table = {
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


def _scipy() -> _Table:
    near: Maker = within(1.0, 3.0, 3)
    return {
        "scipy.special.bessel_jn": (lambda x: jsp.special.bessel_jn(x, v=3), near),
        "scipy.special.betainc": (
            lambda x: jsp.special.betainc(1.5, 2.0, x),
            unit(3),
        ),
        "scipy.special.factorial": (jsp.special.factorial, near),
        "scipy.special.multigammaln": (lambda x: jsp.special.multigammaln(x, 2), near),
        "scipy.special.polygamma": (lambda x: jsp.special.polygamma(1, x), near),
        "scipy.special.sph_harm_y": (
            lambda theta, phi: jsp.special.sph_harm_y(
                jnp.array([1, 2]), jnp.array([0, 1]), theta, phi, n_max=2
            ),
            unit(2),
            unit(2),
        ),
        "scipy.special.zeta": (lambda x: jsp.special.zeta(2.5, x), near),
        "scipy.ndimage.map_coordinates": (
            lambda x, at: jsp.ndimage.map_coordinates(x, [at, at], 1),
            unit(4, 4),
            within(0.2, 0.8, 3),
        ),
    }


def _distributions() -> _Table:
    stats = jsp.stats
    whole, counts = jnp.array([0, 1, 1]), jnp.array([2, 1, 1])
    found: _Table = {
        "bernoulli.logpmf": (lambda p: stats.bernoulli.logpmf(whole, p), unit(3)),
        "bernoulli.pmf": (lambda p: stats.bernoulli.pmf(whole, p), unit(3)),
        "dirichlet.logpdf": (_on_simplex(stats.dirichlet.logpdf), unit(3), unit(3)),
        "dirichlet.pdf": (_on_simplex(stats.dirichlet.pdf), unit(3), unit(3)),
        "multinomial.logpmf": (lambda p: stats.multinomial.logpmf(counts, 4, p), unit(3)),
        "multinomial.pmf": (lambda p: stats.multinomial.pmf(counts, 4, p), unit(3)),
        "multivariate_normal.logpdf": (stats.multivariate_normal.logpdf, *_GAUSSIAN),
        "multivariate_normal.pdf": (stats.multivariate_normal.pdf, *_GAUSSIAN),
    }
    for name in ("cdf", "logcdf", "sf", "logsf"):
        beta, pareto = getattr(stats.beta, name), getattr(stats.pareto, name)
        found[f"beta.{name}"] = (lambda x, beta=beta: beta(x, 1.5, 2.0), unit(3))
        found[f"pareto.{name}"] = (pareto, within(1.5, 3.0, 3), within(1.0, 2.0, 3))
    for name in ("pdf", "logpdf"):
        pareto = getattr(stats.pareto, name)
        found[f"pareto.{name}"] = (pareto, within(1.5, 3.0, 3), within(1.0, 2.0, 3))
    for name in ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf"):
        found[f"truncnorm.{name}"] = (getattr(stats.truncnorm, name), unit(3), *_TRUNCATED)
    return {f"scipy.stats.{name}": recipe for name, recipe in found.items()}


_GAUSSIAN = (unit(3), unit(3), definite(3))
_TRUNCATED = (within(-1.5, -0.5, 3), within(1.2, 2.0, 3))


def _on_simplex(density: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, alpha: density(x / x.sum(), alpha + 1.0)


def _linear() -> _Table:
    return {
        **{
            f"{module}.svd": (lambda x, svd=svd: svd(x, compute_uv=False), _TABLE)
            for module, svd in (
                ("numpy.linalg", jnp.linalg.svd),
                ("scipy.linalg", jsp.linalg.svd),
                ("lax.linalg", lax.linalg.svd),
            )
        },
        "scipy.linalg.leslie": (jsp.linalg.leslie, unit(4), unit(3)),
        "scipy.linalg.cho_solve": (
            lambda a, b: jsp.linalg.cho_solve((a, True), b),
            definite(3),
            unit(3),
        ),
        "scipy.linalg.lu_solve": (
            lambda a, b: jsp.linalg.lu_solve(jsp.linalg.lu_factor(a), b),
            square(3),
            unit(3),
        ),
        "scipy.linalg.polar": (jsp.linalg.polar, square(3)),
        "scipy.linalg.qr_multiply": (
            lambda a, c: jsp.linalg.qr_multiply(a, c),
            square(3),
            unit(3, 3),
        ),
        "scipy.linalg.solve_sylvester": (
            jsp.linalg.solve_sylvester,
            definite(3),
            definite(3),
            unit(3, 3),
        ),
        "scipy.linalg.sqrtm": (jsp.linalg.sqrtm, definite(3)),
        "lax.linalg.qdwh": (lambda x: lax.linalg.qdwh(x)[:2], square(3)),
        "lax.linalg.tridiagonal_solve": (
            lax.linalg.tridiagonal_solve,
            unit(3),
            within(2.0, 3.0, 3),
            unit(3),
            unit(3, 2),
        ),
    }
