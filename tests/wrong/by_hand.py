"""Wrong derivatives written by hand for functions of NumPy arrays, as people get them wrong.

Each is a function with a derivative passed as `pull`, `push`, `jacobian` or `gradient`, and beside
it the right one, which must pass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.optimize
import scipy.sparse as sparse
import scipy.special

Array = np.ndarray
Derivative = Callable[..., Any]


@dataclass(frozen=True)
class ByHand:
    """A wrong derivative, its right twin, and what must be said about the wrong one.

    `kind` is the kind of a finding that must be FAIL, `cause` a part of its cause, and `shows` what
    a reader must find in the report.
    """

    name: str
    function: Callable[..., Any]
    inputs: tuple[Any, ...]
    keyword: str
    wrong: Derivative
    right: Derivative
    kind: str = "derivative"
    cause: str | None = None
    shows: tuple[str, ...] = ()
    probes: tuple[str, ...] = ("auto", "fast", "full")
    settings: dict[str, Any] = field(default_factory=dict)


def normals(*shape: int, seed: int = 0) -> Array:
    """Return standard normals, the same ones each time."""
    return np.random.default_rng(seed).normal(size=shape)


def _affine(x: Array, w: Array, b: Array) -> Array:
    return x @ w + b


def _affine_pull(x: Array, w: Array, b: Array, v: Array) -> tuple[Array, ...]:
    return v @ w.T, x.T @ v, v.sum(axis=0)


def _norm_pull(x: Array, v: Array, *, forgets_the_mean: bool) -> Array:
    centred, size = x - x.mean(axis=1, keepdims=True), x.shape[1]
    std = centred.std(axis=1, keepdims=True)
    unit = centred / std
    answer = v - unit * (v * unit).mean(axis=1, keepdims=True)
    if not forgets_the_mean:
        answer = answer - v.sum(axis=1, keepdims=True) / size
    return answer / std


def _normalised(x: Array) -> Array:
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / centred.std(axis=1, keepdims=True)


def _rosen_wrong(x: Array) -> Array:
    """The gradient as it is often copied: the last entry gets the formula of the inner ones."""
    answer = scipy.optimize.rosen_der(x)
    answer[-1] = 200 * (x[-1] - x[-2] ** 2) - 400 * x[-1] * (0.0 - x[-1] ** 2) - 2 * (1 - x[-1])
    return answer


def _laplace(u: Array) -> Array:
    """−u″ + u³ on a line, zero at both ends."""
    padded = np.pad(u, 1)
    return 2 * u - padded[:-2] - padded[2:] + u**3


def _tridiagonal(u: Array, *, below: float = -1.0) -> Any:
    n = u.size
    ones = np.ones(n - 1)
    return sparse.diags_array([below * ones, 2 + 3 * u**2, -ones], offsets=[-1, 0, 1]).tocsr()


def _without_a_corner(u: Array) -> Any:
    """A pattern built with a range that ends one too early."""
    whole = _tridiagonal(u).tocoo()
    keep = ~((whole.row == u.size - 1) & (whole.col == u.size - 2))
    return sparse.coo_array((whole.data[keep], (whole.row[keep], whole.col[keep])), whole.shape)


def _products(x: Array) -> Array:
    return x[1:] * x[:-1]


def _banded(x: Array, *, shift: int = 1) -> Any:
    n, i = x.size, np.arange(x.size - 1)
    columns = np.r_[i, np.minimum(i + shift, n - 1)]
    return sparse.csr_array((np.r_[x[1:], x[:-1]], (np.r_[i, i], columns)), shape=(n - 1, n))


def _band_moved(x: Array) -> Any:
    """The second band one column too far to the right."""
    return _banded(x, shift=2)


def _scatter(weights: Array, index: Array) -> Array:
    return weights[index] ** 2


def _scatter_wrong(weights: Array, index: Array, v: Array) -> Array:
    gradient = np.zeros_like(weights)
    gradient[index] += 2 * weights[index] * v  # repeated indices are written once
    return gradient


def _scatter_right(weights: Array, index: Array, v: Array) -> Array:
    gradient = np.zeros_like(weights)
    np.add.at(gradient, index, 2 * weights[index] * v)
    return gradient


class Accumulating:
    """A pull that keeps one buffer and adds to it, as if somebody zeroed it."""

    def __init__(self) -> None:
        self.buffer: Any = 0.0

    def __call__(self, x: Array, v: Array) -> Array:
        self.buffer = self.buffer + np.cos(x) * v
        return self.buffer


def _pull_in_place(x: Array, v: Array) -> Array:
    v *= np.cos(x)
    return v


def _gradient_in_place(x: Array) -> Any:
    answer = 2 * x
    x[x < 0] = 0
    return answer


def _reads_memory(x: Array, v: Array) -> Array:
    """What a C extension does that asks for a pointer and never for strides."""
    plain = np.lib.stride_tricks.as_strided(v, x.shape, x.strides)
    return np.cos(x) * plain


def _least_squares(p: Array) -> Array:
    t = np.linspace(0, 2, 30)
    return p[0] * np.exp(-p[1] * t) + p[2]


def _least_squares_jacobian(p: Array, *, sign: float = -1.0) -> Array:
    t = np.linspace(0, 2, 30)
    decay = np.exp(-p[1] * t)
    return np.stack([decay, sign * p[0] * t * decay, np.ones_like(t)], axis=1)


def _energy(params: dict[str, Array]) -> Any:
    return 0.5 * (params["w"] ** 2).sum() + np.sin(params["b"]).sum()


X, W, B = normals(5, 4), normals(4, 3, seed=1), normals(3, seed=2)
U = normals(12, seed=3)
LARGE = normals(2_000, seed=4)
Z = normals(6, seed=5) + 1j * normals(6, seed=6)
INDEX = np.array([0, 3, 3, 1, 3])

EXHIBITS = [
    ByHand(
        "an affine map whose bias gets one row",
        _affine,
        (X, W, B),
        "pull",
        lambda x, w, b, v: (v @ w.T, x.T @ v, v[0]),
        _affine_pull,
        shows=("∂b",),
    ),
    ByHand(
        "a normalisation that forgets the mean",
        _normalised,
        (X,),
        "pull",
        lambda x, v: _norm_pull(x, v, forgets_the_mean=True),
        lambda x, v: _norm_pull(x, v, forgets_the_mean=False),
        cause="sum",
    ),
    ByHand(
        "rosen with the last entry wrong",
        scipy.optimize.rosen,
        (np.array([1.3, 0.7, 0.8, 1.9, 1.2]),),
        "gradient",
        _rosen_wrong,
        scipy.optimize.rosen_der,
        shows=("∂out / ∂x[4]", "1 of 5 entries wrong", "gradient=_rosen_wrong"),
    ),
    ByHand(
        "a gradient without its factor",
        lambda x: (x**2).sum(),
        (U,),
        "gradient",
        lambda x: x,
        lambda x: 2 * x,
        cause="claimed = 0.5 × measured",
    ),
    ByHand(
        "a sparse Jacobian without a corner",
        _laplace,
        (U,),
        "jacobian",
        _without_a_corner,
        _tridiagonal,
        cause="the sparsity pattern is wrong: the wrong entry is missing",
        shows=("∂out[11] / ∂u[10]",),
    ),
    ByHand(
        "a large sparse Jacobian without a corner",
        _laplace,
        (LARGE,),
        "jacobian",
        _without_a_corner,
        _tridiagonal,
        cause="the sparsity pattern is wrong: the wrong entry is missing",
        shows=("∂out[1999] / ∂u[1998]",),
        probes=("auto",),
    ),
    ByHand(
        "a band one column too far",
        _products,
        (U,),
        "jacobian",
        _band_moved,
        _banded,
        cause="the sparsity pattern is wrong",
        probes=("auto", "full"),
    ),
    ByHand(
        "a sparse Jacobian with a wrong value",
        _laplace,
        (U,),
        "jacobian",
        lambda u: _tridiagonal(u, below=1.0),
        _tridiagonal,
        cause="claimed = −1 × measured in the 11 wrong entries",
    ),
    ByHand(
        "a sparse Jacobian that is transposed",
        lambda u: np.append(u[1:] ** 2, 0 * u[0]),
        (U,),
        "jacobian",
        lambda u: sparse.diags_array([2 * u[1:]], offsets=[-1], shape=(u.size, u.size)),
        lambda u: sparse.diags_array([2 * u[1:]], offsets=[1], shape=(u.size, u.size)),
        shows=("transpose",),
    ),
    ByHand(
        "repeated indices written once",
        _scatter,
        (U, INDEX),
        "pull",
        _scatter_wrong,
        _scatter_right,
        shows=("∂weights[3]",),
    ),
    ByHand(
        "a sign in a dense Jacobian",
        _least_squares,
        (np.array([2.0, 0.7, 0.1]),),
        "jacobian",
        lambda p: _least_squares_jacobian(p, sign=1.0),
        _least_squares_jacobian,
        shows=("∂p[1]",),
    ),
    ByHand(
        "a pull that is never negative",
        np.sin,
        (U,),
        "pull",
        lambda x, v: np.cos(x) * abs(v),
        lambda x, v: np.cos(x) * v,
        kind="linearity",
        cause="`pull` is not linear in v",
    ),
    ByHand(
        "a pull that adds up",
        np.sin,
        (U,),
        "pull",
        Accumulating(),
        lambda x, v: np.cos(x) * v,
        kind="determinism",
        cause="`pull` keeps state",
    ),
    ByHand(
        "a pull that writes into v",
        np.sin,
        (U,),
        "pull",
        _pull_in_place,
        lambda x, v: np.cos(x) * v,
        kind="mutation",
        cause="in-place",
    ),
    ByHand(
        "a gradient that writes into x",
        lambda x: (x**2).sum(),
        (U,),
        "gradient",
        _gradient_in_place,
        lambda x: 2 * x,
        kind="mutation",
        shows=("`gradient` writes into its input x",),
    ),
    ByHand(
        "a pull that reads v as if it were contiguous",
        np.sin,
        (X,),
        "pull",
        _reads_memory,
        lambda x, v: np.cos(x) * v,
        kind="layout",
        cause="`pull` assumes that v is contiguous",
    ),
    ByHand(
        "a push of the wrong function",
        scipy.special.expit,
        (U,),
        "push",
        lambda x, u: scipy.special.expit(x) * u,
        lambda x, u: scipy.special.expit(x) * scipy.special.expit(-x) * u,
        shows=("given push",),
    ),
    ByHand(
        "a push that clips",
        np.sin,
        (U,),
        "push",
        lambda x, u: np.cos(x) * np.clip(u, -1, 1),
        lambda x, u: np.cos(x) * u,
        kind="linearity",
        cause="`push` is not linear",
        probes=("auto", "fast"),
    ),
    ByHand(
        "a conjugate forgotten",
        lambda z: z**2,
        (Z,),
        "pull",
        lambda z, v: 2 * z * v,
        lambda z, v: 2 * z.conj() * v,
        cause="conjugate",
    ),
    ByHand(
        "the gradient of a real loss, conjugated",
        lambda z: float((abs(z) ** 2).sum()),
        (Z,),
        "gradient",
        lambda z: 2 * z.conj(),
        lambda z: 2 * z,
        cause="conjugate",
    ),
    ByHand(
        "one leaf of a dictionary left out",
        _energy,
        ({"w": X, "b": B},),
        "gradient",
        lambda params: {"w": params["w"], "b": None},
        lambda params: {"w": params["w"], "b": np.cos(params["b"])},
        kind="liveness",
        shows=('params["b"]', "return its gradient instead of None"),
    ),
    ByHand(
        "a gradient in single precision",
        lambda x: (x**2).sum(),
        (U,),
        "pull",
        lambda x, v: (2 * x * v).astype(np.float32),
        lambda x, v: 2 * x * v,
        kind="signature",
        shows=("the gradient has dtype float32, its input has float64",),
    ),
]
