"""Functions of whole arrays of NumPy and SciPy with the pulls that belong to them."""

from __future__ import annotations

from collections.abc import Callable
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

from known_by_hand import POSITIVE, WIDE, Array, Known, entries

X = entries(*WIDE, 3, 4)
Y = entries(*WIDE, 4, 2, seed=1)
LONG = entries(*WIDE, 9, seed=2)
UP = entries(*POSITIVE, 6, seed=3)
SQUARE = entries(*WIDE, 4, 4, seed=4) + 4 * np.eye(4)
SYMMETRIC = SQUARE @ SQUARE.T
KERNEL = entries(*WIDE, 3, seed=5)


def _known(
    name: str,
    function: Callable[..., Any],
    pull: Callable[..., Any],
    *inputs: Array,
    single: bool = True,
) -> Known:
    return Known(name, function, pull, inputs, runs_in_float32=single)


def _ones(x: Array, v: Any) -> Array:
    return np.broadcast_to(v, x.shape).astype(x.dtype)


REDUCTIONS = [
    _known("sum", np.sum, _ones, X),
    _known("sum over an axis", lambda x: x.sum(axis=1), lambda x, v: _ones(x, v[:, None]), X),
    _known("mean", np.mean, lambda x, v: _ones(x, v / x.size), X),
    _known("var", np.var, lambda x, v: 2 * v * (x - x.mean()) / x.size, X),
    _known("std", np.std, lambda x, v: v * (x - x.mean()) / (x.size * x.std()), X),
    _known("prod", np.prod, lambda x, v: v * x.prod() / x, UP),
    _known("max", np.max, lambda x, v: v * (x == x.max()), X),
    _known("min over an axis", lambda x: x.min(axis=0), lambda x, v: v * (x == x.min(axis=0)), X),
    _known("median", np.median, lambda x, v: v * (x == np.median(x)), LONG),
    _known("ptp", np.ptp, lambda x, v: v * ((x == x.max()) * 1.0 - (x == x.min())), X),
    _known("cumsum", np.cumsum, lambda x, v: v[::-1].cumsum()[::-1], LONG),
    _known("cumprod", np.cumprod, lambda x, v: (v * x.cumprod())[::-1].cumsum()[::-1] / x, UP),
    _known("diff", np.diff, lambda x, v: np.r_[0, v] - np.r_[v, 0], LONG, single=False),
    _known("sort", np.sort, lambda x, v: v[x.argsort().argsort()], LONG),
    _known("norm", np.linalg.norm, lambda x, v: v * x / np.linalg.norm(x), X),
    _known("logsumexp", scipy.special.logsumexp, lambda x, v: v * scipy.special.softmax(x), X),
    _known(
        "softmax",
        lambda x: scipy.special.softmax(x, axis=1),
        lambda x, v: _softmax_pull(scipy.special.softmax(x, axis=1), v),
        X,
    ),
    _known(
        "trapezoid", np.trapezoid, lambda x, v: v * np.r_[0.5, np.ones(7), 0.5], LONG, single=False
    ),
    _known("percentile", lambda x: np.quantile(x, 0.3), lambda x, v: _quantile_pull(x, v), LONG),
]


def _softmax_pull(s: Array, v: Array) -> Array:
    return s * (v - (s * v).sum(axis=1, keepdims=True))


def _quantile_pull(x: Array, v: Any) -> Array:
    """Between the entries at 0.3 · 8 = 2.4 of the sorted nine."""
    order = x.argsort()
    gradient = np.zeros_like(x)
    gradient[order[2]], gradient[order[3]] = 0.6 * v, 0.4 * v
    return gradient


SHAPES = [
    _known("reshape", lambda x: x.reshape(2, 6), lambda x, v: v.reshape(x.shape), X),
    _known("transpose", np.transpose, lambda x, v: v.T, X),
    _known("roll", lambda x: np.roll(x, 2), lambda x, v: np.roll(v, -2), X),
    _known("flip", np.flip, lambda x, v: np.flip(v), X),
    _known("repeat", lambda x: np.repeat(x, 3), lambda x, v: v.reshape(-1, 3).sum(1), LONG),
    _known("tile", lambda x: np.tile(x, 2), lambda x, v: v.reshape(2, -1).sum(0), LONG),
    _known("pad", lambda x: np.pad(x, 2), lambda x, v: v[2:-2], LONG),
    _known(
        "pad at the edge",
        lambda x: np.pad(x, 1, "edge"),
        lambda x, v: v[1:-1] + np.r_[v[0], np.zeros_like(v[4:]), v[-1]],
        LONG,
    ),
    _known(
        "take",
        lambda x: x[[0, 2, 2, 5]],
        lambda x, v: np.bincount([0, 2, 2, 5], v, 9).astype(x.dtype),
        LONG,
    ),
    _known("triu", np.triu, lambda x, v: np.triu(v), X),
    _known("trace", np.trace, lambda x, v: v * np.eye(4, dtype=x.dtype), SQUARE),
    _known("diag", np.diag, lambda x, v: np.diag(v), SQUARE),
    _known(
        "concatenate", lambda x, y: np.concatenate([x, y.T]), lambda x, y, v: (v[:3], v[3:].T), X, Y
    ),
    _known("stack", lambda x, y: np.stack([x, y]), lambda x, y, v: (v[0], v[1]), UP, UP + 0.5),
    _known(
        "meshgrid",
        lambda x, y: np.meshgrid(x, y),
        lambda x, y, v: (v[0].sum(0), v[1].sum(1)),
        UP,
        LONG,
    ),
    _known("split", lambda x: np.split(x, 3), lambda x, v: np.concatenate(v), LONG),
]

ALGEBRA = [
    _known("matmul", np.matmul, lambda x, y, v: (v @ y.T, x.T @ v), X, Y),
    _known("dot", np.dot, lambda x, y, v: (v * y, v * x), LONG, LONG[::-1].copy()),
    _known("outer", np.outer, lambda x, y, v: (v @ y, v.T @ x), LONG, UP),
    _known("kron", np.kron, lambda x, y, v: _kron_pull(x, y, v), X, Y),
    _known("cross", np.cross, lambda x, y, v: (np.cross(y, v), np.cross(v, x)), UP[:3], LONG[:3]),
    _known(
        "einsum",
        lambda x, y: np.einsum("ij,jk->ki", x, y),
        lambda x, y, v: ((y @ v).T, (v @ x).T),
        X,
        Y,
    ),
    _known(
        "tensordot", lambda x, y: np.tensordot(x, y, 1), lambda x, y, v: (v @ y.T, x.T @ v), X, Y
    ),
    _known("inv", np.linalg.inv, lambda a, v: -np.linalg.inv(a).T @ v @ np.linalg.inv(a).T, SQUARE),
    _known("det", np.linalg.det, lambda a, v: v * np.linalg.det(a) * np.linalg.inv(a).T, SQUARE),
    _known(
        "slogdet", lambda a: np.linalg.slogdet(a)[1], lambda a, v: v * np.linalg.inv(a).T, SQUARE
    ),
    _known("solve", np.linalg.solve, lambda a, b, v: _solve_pull(a, b, v), SQUARE, UP[:4]),
    _known(
        "matrix_power",
        lambda a: np.linalg.matrix_power(a, 3),
        lambda a, v: sum(
            np.linalg.matrix_power(a.T, k) @ v @ np.linalg.matrix_power(a.T, 2 - k)
            for k in range(3)
        ),
        SQUARE,
    ),
    _known(
        "eigvalsh",
        lambda a: np.linalg.eigvalsh((a + a.T) / 2),
        lambda a, v: _eigen_pull(a, v),
        SYMMETRIC,
    ),
    _known("svd", lambda a: np.linalg.svd(a, compute_uv=False), lambda a, v: _svd_pull(a, v), X),
    _known(
        "cholesky",
        lambda a: np.linalg.cholesky((a + a.T) / 2),
        lambda a, v: _cholesky_pull(a, v),
        SYMMETRIC,
    ),
    _known(
        "expm", scipy.linalg.expm, lambda a, v: scipy.linalg.expm_frechet(a.T, v)[1], SQUARE / 4
    ),
    _known("pinv", np.linalg.pinv, lambda a, v: _pinv_pull(a, v), X),
    _known("nuclear norm", lambda a: np.linalg.norm(a, "nuc"), lambda a, v: v * _polar(a), X),
    _known(
        "solve_triangular",
        lambda a, b: scipy.linalg.solve_triangular(a, b),
        lambda a, b, v: _triangular_pull(a, b, v),
        np.triu(SQUARE),
        UP[:4],
    ),
]


def _kron_pull(x: Array, y: Array, v: Array) -> tuple[Array, Array]:
    blocks = v.reshape(x.shape[0], y.shape[0], x.shape[1], y.shape[1])
    return np.einsum("ikjl,kl->ij", blocks, y), np.einsum("ikjl,ij->kl", blocks, x)


def _solve_pull(a: Array, b: Array, v: Array) -> tuple[Array, Array]:
    moved = np.linalg.solve(a.T, v)
    return -np.outer(moved, np.linalg.solve(a, b)), moved


def _triangular_pull(a: Array, b: Array, v: Array) -> tuple[Array, Array]:
    moved = scipy.linalg.solve_triangular(a, v, trans="T")
    return -np.triu(np.outer(moved, scipy.linalg.solve_triangular(a, b))), moved


def _eigen_pull(a: Array, v: Array) -> Array:
    _, vectors = np.linalg.eigh((a + a.T) / 2)
    return (vectors * v) @ vectors.T


def _svd_pull(a: Array, v: Array) -> Array:
    left, _, right = np.linalg.svd(a, full_matrices=False)
    return (left * v) @ right


def _polar(a: Array) -> Array:
    left, _, right = np.linalg.svd(a, full_matrices=False)
    return left @ right


def _pinv_pull(a: Array, v: Array) -> Array:
    p, eye = np.linalg.pinv(a), np.eye
    rows, columns = a.shape
    return (
        -p.T @ v @ p.T
        + (eye(rows) - a @ p) @ v.T @ p @ p.T
        + p.T @ p @ v.T @ (eye(columns) - p @ a)
    ).astype(a.dtype)


def _cholesky_pull(a: Array, v: Array) -> Array:
    lower = np.linalg.cholesky((a + a.T) / 2)
    phi = np.tril(lower.T @ np.tril(v))
    phi[np.diag_indices_from(phi)] /= 2
    half = np.linalg.solve(lower.T, np.linalg.solve(lower.T, phi.T).T)
    return (half + half.T) / 2


SIGNALS = [
    _known(
        "convolve",
        np.convolve,
        lambda x, k, v: (np.correlate(v, k, "valid"), np.correlate(v, x, "valid")),
        LONG,
        KERNEL,
    ),
    _known(
        "correlate",
        lambda x, k: np.correlate(x, k, "valid"),
        lambda x, k, v: (np.convolve(v, k), np.correlate(x, v, "valid")),
        LONG,
        KERNEL,
    ),
    _known(
        "fftconvolve",
        scipy.signal.fftconvolve,
        lambda x, k, v: (
            scipy.signal.fftconvolve(v, k[::-1], "valid"),
            scipy.signal.fftconvolve(v, x[::-1], "valid"),
        ),
        LONG,
        KERNEL,
    ),
    _known("fft", np.fft.fft, lambda z, v: v.size * np.fft.ifft(v), LONG + 1j * LONG[::-1]),
    _known("fft of real numbers", np.fft.fft, lambda x, v: np.real(v.size * np.fft.ifft(v)), LONG),
    _known("ifft", np.fft.ifft, lambda z, v: np.fft.fft(v) / v.size, LONG + 1j * LONG[::-1]),
    _known("rfft", np.fft.rfft, lambda x, v: _rfft_pull(x, v), LONG),
    _known(
        "irfft", lambda z: np.fft.irfft(z, 8), lambda z, v: _irfft_pull(v), LONG[:5] + 1j * UP[:5]
    ),
    _known(
        "dct",
        lambda x: scipy.fft.dct(x, norm="ortho"),
        lambda x, v: scipy.fft.idct(v, norm="ortho"),
        LONG,
    ),
    _known(
        "lfilter",
        lambda x: scipy.signal.lfilter([1.0, 0.5], [1.0, -0.3], x),
        lambda x, v: scipy.signal.lfilter([1.0, 0.5], [1.0, -0.3], v[::-1])[::-1],
        LONG,
    ),
    _known(
        "correlate1d",
        lambda x: scipy.ndimage.correlate1d(x, [1.0, 2.0, -1.0], mode="constant"),
        lambda x, v: scipy.ndimage.correlate1d(v, [-1.0, 2.0, 1.0], mode="constant"),
        LONG,
    ),
    _known(
        "gaussian_filter",
        lambda x: scipy.ndimage.gaussian_filter(x, 1.0, mode="constant"),
        lambda x, v: scipy.ndimage.gaussian_filter(v, 1.0, mode="constant"),
        X,
    ),
    _known(
        "cubic spline",
        lambda y: scipy.interpolate.CubicSpline(np.arange(9.0), y)(_PLACES),
        lambda y, v: scipy.interpolate.CubicSpline(np.arange(9.0), np.eye(9))(_PLACES).T @ v,
        LONG,
    ),
    _known("rosen", scipy.optimize.rosen, lambda x, v: v * scipy.optimize.rosen_der(x), LONG),
    _known("rosen_der", scipy.optimize.rosen_der, scipy.optimize.rosen_hess_prod, LONG),
    _known(
        "brentq", lambda a: _roots(a), lambda a, v: v / (3 * _roots(a) ** 2 + 1), LONG, single=False
    ),
    _known(
        "quad",
        lambda a: _integrals(a),
        lambda a, v: v * ((a + 1) * np.exp(-a) - 1) / a**2,
        UP,
        single=False,
    ),
    _known(
        "odeint",
        lambda k: scipy.integrate.odeint(
            lambda y, t: -k * y, np.ones(6), [0.0, 1.0], rtol=1e-12, atol=1e-12
        )[-1],
        lambda k, v: -np.exp(-k) * v,
        UP,
        single=False,
    ),
]
_PLACES = np.array([0.5, 2.25, 3.75, 7.125])


def _root(a: float) -> float:
    """Return r with r³ + r = a."""
    return scipy.optimize.brentq(lambda r: r**3 + r - a, -9.0, 9.0, xtol=1e-15)


def _roots(a: Array) -> Array:
    return np.array([_root(one) for one in a])


def _integral(a: float) -> float:
    return scipy.integrate.quad(lambda t: np.exp(-a * t), 0, 1)[0]


def _integrals(a: Array) -> Array:
    return np.array([_integral(one) for one in a])


def _rfft_pull(x: Array, v: Array) -> Array:
    """The rows of the real transform, conjugated: what is stored once is counted once."""
    whole = np.zeros(x.size, v.dtype)
    whole[: v.size] = v
    return np.real(x.size * np.fft.ifft(whole)).astype(x.dtype)


def _irfft_pull(v: Array) -> Array:
    """Inner frequencies stand for two, the imaginary parts of the first and last for nothing."""
    pulled = np.fft.rfft(v) / v.size
    pulled[1:-1] *= 2
    pulled[[0, -1]] = pulled[[0, -1]].real
    return pulled


ARRAYS = [*REDUCTIONS, *SHAPES, *ALGEBRA, *SIGNALS]
