"""Recipes for jax.scipy: special functions, distributions, linear algebra."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
from jax import lax

from .templates import Maker, Table, definite, square, unit, within

_TABLE = unit(3, 4)


def recipes() -> Table:
    """Return functions, and how their inputs are drawn, by name."""
    return {**_special(), **_distributions(), **_linear()}


def _special() -> Table:
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


def _distributions() -> Table:
    stats = jsp.stats
    whole, counts = np.array([0, 1, 1]), np.array([2, 1, 1])
    found: Table = {
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


def _linear() -> Table:
    return {
        **{
            f"{module}.svd": (lambda x, svd=svd: svd(x, compute_uv=False), _TABLE)
            for module, svd in (
                ("numpy.linalg", jnp.linalg.svd),
                ("scipy.linalg", jsp.linalg.svd),
                ("lax.linalg", lax.linalg.svd),
            )
        },
        "numpy.linalg.lstsq": (lambda a, b: jnp.linalg.lstsq(a, b)[0], unit(5, 3), unit(5)),
        # Both read one triangle, and differentiate as if the other one moved along.
        "scipy.linalg.cholesky": (lambda x: jsp.linalg.cholesky((x + x.T) / 2), definite(3)),
        "scipy.linalg.cho_factor": (
            lambda x: jnp.triu(jsp.linalg.cho_factor((x + x.T) / 2)[0]),
            definite(3),
        ),
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
