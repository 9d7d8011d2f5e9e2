"""Functions of NumPy and SciPy whose derivatives are known: no check of a right one may fail.

`derivative` is v ↦ Jᵀ v for several inputs, or the slope of each entry for a function of entries.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.special
import scipy.stats

Array = np.ndarray
WIDE = (-2.0, 2.0)
POSITIVE = (0.25, 3.0)
INSIDE = (-0.875, 0.875)
PROBABILITY = (0.0625, 0.9375)


@dataclass(frozen=True)
class Known:
    """A function at a point, with the pull that belongs to it."""

    name: str
    function: Callable[..., Any]
    pull: Callable[..., Any]
    inputs: tuple[Array, ...]
    runs_in_float32: bool = True


def entries(low: float, high: float, *shape: int, seed: int = 0) -> Array:
    """Return numbers between two limits, the same ones each time."""
    return np.random.default_rng(seed).uniform(low, high, shape)


def _of_entries(
    function: Callable[..., Any],
    slope: Callable[[Array], Array],
    limits: tuple[float, float] = WIDE,
    name: str = "",
) -> Known:
    name = name or function.__name__
    return Known(name, function, lambda x, v: slope(x) * v, (entries(*limits, 3, 4),))


special = scipy.special
_ROOT_PI = np.sqrt(np.pi)

ELEMENTWISE = [
    _of_entries(np.sin, np.cos),
    _of_entries(np.cos, lambda x: -np.sin(x)),
    _of_entries(np.tan, lambda x: 1 + np.tan(x) ** 2, (-1.25, 1.25)),
    _of_entries(np.arcsin, lambda x: 1 / np.sqrt(1 - x * x), INSIDE),
    _of_entries(np.arccos, lambda x: -1 / np.sqrt(1 - x * x), INSIDE),
    _of_entries(np.arctan, lambda x: 1 / (1 + x * x)),
    _of_entries(np.sinh, np.cosh),
    _of_entries(np.cosh, np.sinh),
    _of_entries(np.tanh, lambda x: 1 - np.tanh(x) ** 2),
    _of_entries(np.arcsinh, lambda x: 1 / np.sqrt(1 + x * x)),
    _of_entries(np.arccosh, lambda x: 1 / np.sqrt(x * x - 1), (1.25, 4.0)),
    _of_entries(np.arctanh, lambda x: 1 / (1 - x * x), INSIDE),
    _of_entries(np.exp, np.exp),
    _of_entries(np.exp2, lambda x: np.exp2(x) * np.log(2.0).astype(x.dtype)),
    _of_entries(np.expm1, np.exp),
    _of_entries(np.log, lambda x: 1 / x, POSITIVE),
    _of_entries(np.log2, lambda x: 1 / (x * np.log(2.0).astype(x.dtype)), POSITIVE),
    _of_entries(np.log10, lambda x: 1 / (x * np.log(10.0).astype(x.dtype)), POSITIVE),
    _of_entries(np.log1p, lambda x: 1 / (1 + x), POSITIVE),
    _of_entries(np.sqrt, lambda x: 0.5 / np.sqrt(x), POSITIVE),
    _of_entries(np.cbrt, lambda x: np.cbrt(x) / (3 * x), POSITIVE),
    _of_entries(np.square, lambda x: 2 * x),
    _of_entries(np.reciprocal, lambda x: -1 / x**2, POSITIVE),
    _of_entries(np.absolute, np.sign),
    _of_entries(np.negative, lambda x: -np.ones_like(x)),
    _of_entries(np.positive, np.ones_like),
    _of_entries(np.floor, np.zeros_like),
    _of_entries(np.sign, np.zeros_like),
    _of_entries(np.deg2rad, lambda x: np.full_like(x, np.pi / 180)),
    _of_entries(np.sinc, lambda x: (np.cos(np.pi * x) - np.sinc(x)) / x, POSITIVE),
    _of_entries(np.i0, special.i1),
    _of_entries(lambda x: np.clip(x, -1, 1), lambda x: (abs(x) < 1).astype(x.dtype), name="clip"),
    _of_entries(lambda x: np.maximum(x, 0), lambda x: (x > 0).astype(x.dtype), name="relu"),
    _of_entries(
        lambda x: np.where(x > 0, x * x, x),
        lambda x: np.where(x > 0, 2 * x, 1).astype(x.dtype),
        name="where",
    ),
    _of_entries(lambda x: x**3, lambda x: 3 * x**2, name="cube"),
    _of_entries(lambda x: x**0.5, lambda x: 0.5 * x**-0.5, POSITIVE, name="power"),
    _of_entries(
        lambda x: np.interp(x, [-3, -1, 0, 3], [0, 1, 5, 2]),
        lambda x: np.where(x < -1, 0.5, np.where(x < 0, 4.0, -1.0)),
        name="interp",
    ),
    _of_entries(special.erf, lambda x: 2 / _ROOT_PI * np.exp(-x * x)),
    _of_entries(special.erfc, lambda x: -2 / _ROOT_PI * np.exp(-x * x)),
    _of_entries(special.erfinv, lambda x: _ROOT_PI / 2 * np.exp(special.erfinv(x) ** 2), INSIDE),
    _of_entries(special.erfcx, lambda x: 2 * x * special.erfcx(x) - 2 / _ROOT_PI),
    _of_entries(special.dawsn, lambda x: 1 - 2 * x * special.dawsn(x)),
    _of_entries(special.ndtr, lambda x: np.exp(-x * x / 2) / np.sqrt(2 * np.pi)),
    _of_entries(
        special.log_ndtr, lambda x: np.exp(-x * x / 2 - special.log_ndtr(x)) / np.sqrt(2 * np.pi)
    ),
    _of_entries(
        special.ndtri, lambda x: np.sqrt(2 * np.pi) * np.exp(special.ndtri(x) ** 2 / 2), PROBABILITY
    ),
    _of_entries(special.expit, lambda x: special.expit(x) * special.expit(-x)),
    _of_entries(special.logit, lambda x: 1 / (x * (1 - x)), PROBABILITY),
    _of_entries(special.log_expit, lambda x: special.expit(-x)),
    _of_entries(special.gamma, lambda x: special.gamma(x) * special.digamma(x), POSITIVE),
    _of_entries(special.gammaln, special.digamma, POSITIVE),
    _of_entries(special.digamma, lambda x: special.polygamma(1, x), POSITIVE),
    _of_entries(special.rgamma, lambda x: -special.rgamma(x) * special.digamma(x), POSITIVE),
    _of_entries(special.j0, lambda x: -special.j1(x)),
    _of_entries(special.j1, lambda x: special.j0(x) - special.j1(x) / x, POSITIVE),
    _of_entries(special.y0, lambda x: -special.y1(x), POSITIVE),
    _of_entries(special.i1e, lambda x: special.i0e(x) - special.i1e(x) * (1 + 1 / x), POSITIVE),
    _of_entries(special.k0, lambda x: -special.k1(x), POSITIVE),
    _of_entries(special.spence, lambda x: np.log(x) / (1 - x), (0.25, 0.75)),
    _of_entries(special.entr, lambda x: -np.log(x) - 1, POSITIVE),
    _of_entries(special.exprel, lambda x: (np.exp(x) - special.exprel(x)) / x, POSITIVE),
    _of_entries(special.expi, lambda x: np.exp(x) / x, POSITIVE),
    _of_entries(special.exp1, lambda x: -np.exp(-x) / x, POSITIVE),
    _of_entries(
        special.ellipk,
        lambda m: special.ellipe(m) / (2 * m * (1 - m)) - special.ellipk(m) / (2 * m),
        PROBABILITY,
    ),
    _of_entries(
        special.ellipe, lambda m: (special.ellipe(m) - special.ellipk(m)) / (2 * m), PROBABILITY
    ),
    _of_entries(
        lambda x: _lambert(x),
        lambda x: _lambert(x) / (x * (1 + _lambert(x))),
        POSITIVE,
        name="lambertw",
    ),
    _of_entries(special.zeta, lambda x: _slope_of_zeta(x), (1.75, 4.0), name="zeta"),
    _of_entries(lambda x: scipy.stats.norm.logpdf(x), lambda x: -x, name="norm.logpdf"),
    _of_entries(
        lambda x: scipy.stats.gamma.cdf(x, 2.5),
        lambda x: scipy.stats.gamma.pdf(x, 2.5),
        POSITIVE,
        name="gamma.cdf",
    ),
    _of_entries(
        lambda x: special.betainc(2.0, 3.0, x),
        lambda x: x * (1 - x) ** 2 * 12,
        PROBABILITY,
        name="betainc",
    ),
    _of_entries(
        lambda x: special.eval_legendre(5, x),
        lambda x: np.polynomial.legendre.Legendre.basis(5).deriv()(x),
        INSIDE,
        name="eval_legendre",
    ),
    _of_entries(
        lambda x: np.polyval([2.0, -1.0, 0.5, 3.0], x),
        lambda x: 6 * x**2 - 2 * x + 0.5,
        name="polyval",
    ),
]


def _lambert(x: Array) -> Array:
    return np.real(special.lambertw(x))


def _slope_of_zeta(x: Array) -> Array:
    """Return ζ′(x) = −Σ ln n / nˣ: the first terms, and Euler and Maclaurin for the rest."""
    n = np.arange(2.0, 400.0)[:, None, None]
    last = 400.0
    log = np.log(last)
    head = (np.log(n) * n**-x).sum(axis=0)
    tail = last ** (1 - x) * (log / (x - 1) + 1 / (x - 1) ** 2) + 0.5 * log * last**-x
    correction = (x * log - 1) * last ** (-x - 1) / 12
    return -(head + tail + correction)
