"""The functions that both checkers are asked about: of jax.numpy, jax.nn, jax.scipy and jax.lax.

`FUNCTIONS` maps a name to a `Case`: the function, and its inputs as float64 NumPy arrays, which
`arguments` rounds to a dtype. Inputs depend on the name alone and lie inside the domain.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
from jax import lax

__all__ = ["FUNCTIONS", "Case", "arguments"]

Maker = Callable[[np.random.Generator], np.ndarray]
_SHAPE = (3, 4)


@dataclass(frozen=True)
class Case:
    """A function of dense arrays, and how its inputs are drawn."""

    name: str
    function: Callable[..., Any]
    makers: tuple[Maker, ...]


def arguments(case: Case, dtype: str) -> tuple[jax.Array, ...]:
    """Return the inputs, rounded to a dtype."""
    numbers = np.random.default_rng(zlib.crc32(case.name.encode()))
    return tuple(jnp.asarray(make(numbers).astype(dtype)) for make in case.makers)


def normal(*shape: int) -> Maker:
    """Standard normals."""
    return lambda numbers: numbers.standard_normal(shape or _SHAPE)


def within(low: float, high: float, *shape: int) -> Maker:
    """Uniform between two bounds."""
    return lambda numbers: numbers.uniform(low, high, shape or _SHAPE)


def apart(*shape: int) -> Maker:
    """Numbers no two of which are close, in random order, none of them near zero."""

    def make(numbers: np.random.Generator) -> np.ndarray:
        size = int(np.prod(shape or _SHAPE))
        steps = np.linspace(-2.0, 2.0, size) + 0.17
        return numbers.permutation(steps).reshape(shape or _SHAPE)

    return make


def definite(size: int) -> Maker:
    """A symmetric positive definite matrix with eigenvalues apart."""

    def make(numbers: np.random.Generator) -> np.ndarray:
        basis, _ = np.linalg.qr(numbers.standard_normal((size, size)))
        return basis @ np.diag(np.arange(1.0, size + 1)) @ basis.T

    return make


def square(size: int) -> Maker:
    """A well-conditioned square matrix."""
    return lambda numbers: numbers.standard_normal((size, size)) + 2.0 * np.eye(size)


def _symmetric(matrix: jax.Array) -> jax.Array:
    return (matrix + matrix.T) / 2


def _of(module: Any, makers: dict[str, tuple[Maker, ...]], prefix: str) -> Iterator[Case]:
    for name, given in makers.items():
        yield Case(f"{prefix}.{name}", getattr(module, name), given)


def _as(prefix: str, functions: dict[str, tuple[Any, ...]]) -> Iterator[Case]:
    for name, (function, *makers) in functions.items():
        yield Case(f"{prefix}.{name}", function, tuple(makers))


_N, _POSITIVE, _UNIT = (normal(),), (within(0.3, 3.0),), (within(-0.9, 0.9),)
_TWO = (normal(), normal())

_NUMPY = {
    **dict.fromkeys(("sin", "cos", "tanh", "exp", "exp2", "expm1", "sinh", "cosh"), _N),
    **dict.fromkeys(("arctan", "arcsinh", "square", "negative", "sinc", "deg2rad"), _N),
    **dict.fromkeys(("log", "log2", "log10", "log1p", "sqrt", "cbrt", "reciprocal"), _POSITIVE),
    **dict.fromkeys(("arcsin", "arccos", "arctanh", "tan"), _UNIT),
    "arccosh": (within(1.3, 4.0),),
    **dict.fromkeys(("abs", "fabs", "ravel", "transpose", "flip", "cumsum"), (apart(),)),
    **dict.fromkeys(("max", "min", "median", "sort", "ptp", "sum", "mean", "prod"), (apart(),)),
    **dict.fromkeys(("var", "std", "cumprod", "nan_to_num", "nansum", "diff"), (apart(),)),
    **dict.fromkeys(("add", "subtract", "multiply", "logaddexp", "logaddexp2"), _TWO),
    **dict.fromkeys(("arctan2", "hypot", "maximum", "minimum", "fmax"), (apart(), normal())),
    **dict.fromkeys(("divide", "power", "float_power"), (within(0.5, 2.0), within(0.5, 2.0))),
    "remainder": (within(5.1, 5.9), within(2.1, 2.6)),
    "heaviside": (apart(), normal()),
    **dict.fromkeys(("matmul", "dot", "inner", "outer"), (normal(3, 3), normal(3, 3))),
    **dict.fromkeys(("kron", "vdot"), (normal(2, 2), normal(2, 2))),
    "cross": (normal(4, 3), normal(4, 3)),
    "convolve": (normal(6), normal(3)),
    "trace": (normal(3, 3),),
    "diagonal": (normal(3, 3),),
    "tril": (normal(3, 3),),
    "polyval": (normal(4), normal(5)),
}
_NUMPY_MORE = {
    "interp": (
        lambda x, y: jnp.interp(x, jnp.linspace(0.0, 1.0, 5), y),
        within(0.05, 0.2, 4),
        normal(5),
    ),
    "einsum": (lambda x, y: jnp.einsum("ij,jk->ik", x, y), normal(3, 4), normal(4, 2)),
    "where": (lambda x, y: jnp.where(x > 0, x * y, y), apart(), normal()),
    "clip": (lambda x: jnp.clip(x, -1.1, 1.1), apart()),
    "take": (lambda x: jnp.take(x, jnp.array([2, 0, 2]), axis=0), normal()),
    "concatenate": (lambda x, y: jnp.concatenate([x, y]) ** 2, normal(), normal()),
    "pad": (lambda x: jnp.pad(x, 1, mode="reflect"), normal()),
    "roll": (lambda x: jnp.roll(x, 2) * x, normal()),
    "tensordot": (lambda x, y: jnp.tensordot(x, y, 1), normal(), normal(4, 2)),
    "norm": (jnp.linalg.norm, normal()),
    "at_set": (lambda x, y: x.at[1].set(y), normal(), normal(4)),
    "at_add": (lambda x, y: x.at[jnp.array([0, 0, 2])].add(y), normal(), normal(3, 4)),
    "at_multiply": (lambda x, y: x.at[1].multiply(y), normal(), normal(4)),
    "quantile": (lambda x: jnp.quantile(x, 0.3), apart()),
    "average": (lambda x, y: jnp.average(x, weights=y), normal(), within(0.5, 2.0)),
    "cov": (jnp.cov, normal(3, 6)),
    "corrcoef": (jnp.corrcoef, normal(3, 6)),
    "fft": (lambda x: jnp.fft.fft(x), normal(6)),
    "rfft": (lambda x: jnp.abs(jnp.fft.rfft(x)), normal(7)),
    "irfft": (lambda x: jnp.fft.irfft(x + 0j), normal(5)),
    "fft2": (lambda x: jnp.fft.fft2(x).real, normal()),
    "vander": (lambda x: jnp.vander(x, 4), normal(4)),
    "trapezoid": (lambda x: jnp.trapezoid(x**2), normal(6)),
    "real_of_complex": (lambda x: jnp.abs(x + 1j * x**2) ** 2, normal()),
    "angle": (lambda x: jnp.angle(x + 1j * jnp.cos(x)), within(0.2, 1.0)),
}
_LINALG = {
    "inv": (jnp.linalg.inv, square(3)),
    "det": (jnp.linalg.det, square(3)),
    "slogdet": (lambda x: jnp.linalg.slogdet(x)[1], square(3)),
    "solve": (jnp.linalg.solve, square(3), normal(3, 2)),
    "cholesky": (lambda x: jnp.linalg.cholesky(_symmetric(x)), definite(3)),
    "eigh_values": (lambda x: jnp.linalg.eigh(_symmetric(x))[0], definite(3)),
    "eigh_projector": (
        lambda x: (lambda v: v[:, :1] @ v[:, :1].T)(jnp.linalg.eigh(_symmetric(x))[1]),
        definite(3),
    ),
    "qr": (lambda x: jnp.linalg.qr(x)[1] ** 2, normal(4, 3)),
    "svdvals": (lambda x: jnp.linalg.svd(x, compute_uv=False), normal(4, 3)),
    "pinv": (jnp.linalg.pinv, normal(4, 3)),
    "matrix_power": (lambda x: jnp.linalg.matrix_power(x, 3), normal(3, 3)),
    "lstsq": (lambda a, b: jnp.linalg.lstsq(a, b)[0], normal(5, 3), normal(5)),
    "expm": (jsp.linalg.expm, normal(3, 3)),
    "solve_triangular": (
        lambda a, b: jsp.linalg.solve_triangular(jnp.tril(a), b, lower=True),
        square(3),
        normal(3),
    ),
    "cho_solve": (
        lambda a, b: jsp.linalg.cho_solve(jsp.linalg.cho_factor(_symmetric(a)), b),
        definite(3),
        normal(3),
    ),
    "lu": (lambda x: jsp.linalg.lu(x)[2], square(3)),
    "block_diag": (lambda x, y: jsp.linalg.block_diag(x, y) ** 2, normal(2, 2), normal(2, 2)),
    "sqrtm_by_eigh": (
        lambda x: (lambda w, v: (v * jnp.sqrt(w)) @ v.T)(*jnp.linalg.eigh(_symmetric(x))),
        definite(3),
    ),
}
_NN = {
    **dict.fromkeys(("relu", "relu6", "leaky_relu", "elu", "celu", "selu"), (apart(),)),
    **dict.fromkeys(("hard_tanh", "hard_sigmoid", "hard_swish"), (apart(),)),
    **dict.fromkeys(("gelu", "silu", "softplus", "sigmoid", "log_sigmoid", "mish"), _N),
    **dict.fromkeys(("soft_sign", "squareplus", "softmax", "log_softmax", "standardize"), _N),
    **dict.fromkeys(("logsumexp", "glu", "tanh", "sparse_plus", "sparse_sigmoid"), (apart(),)),
}
_NN_MORE = {
    "gelu_exact": (lambda x: jax.nn.gelu(x, approximate=False), normal()),
    "attention": (
        jax.nn.dot_product_attention,
        *(normal(1, 3, 2, 4) for _ in range(3)),
    ),
    "one_hot_loss": (
        lambda x: -(jax.nn.one_hot(jnp.array([0, 2, 1]), 4) * jax.nn.log_softmax(x)).sum(),
        normal(),
    ),
    "layer_norm": (
        lambda x, w, b: jax.nn.standardize(x) * w + b,
        normal(),
        normal(4),
        normal(4),
    ),
}
_SPECIAL = {
    **dict.fromkeys(("erf", "erfc", "expit", "i0e", "i1e", "i0", "i1", "log_ndtr"), _N),
    **dict.fromkeys(("ndtr", "spence", "entr", "gammaln"), _POSITIVE),
    **dict.fromkeys(("digamma", "exp1", "gamma", "factorial"), _POSITIVE),
    "erfinv": _UNIT,
    **dict.fromkeys(("logit", "ndtri"), (within(0.1, 0.9),)),
    "logsumexp": _N,
    "xlogy": (within(0.3, 3.0), within(0.3, 3.0)),
    "xlog1py": (within(0.3, 3.0), within(0.3, 3.0)),
    "rel_entr": (within(0.3, 3.0), within(0.3, 3.0)),
    "kl_div": (within(0.3, 3.0), within(0.3, 3.0)),
    "betaln": (within(0.5, 3.0), within(0.5, 3.0)),
    "betainc": (within(0.8, 3.0, 3), within(0.8, 3.0, 3), within(0.2, 0.8, 3)),
    "gammainc": (within(0.8, 3.0, 3), within(0.5, 3.0, 3)),
    "gammaincc": (within(0.8, 3.0, 3), within(0.5, 3.0, 3)),
    "zeta": (within(2.0, 4.0, 3), within(1.0, 3.0, 3)),
}
_SCIPY_MORE = {
    "special.multigammaln": (lambda x: jsp.special.multigammaln(x, 2), within(3.0, 5.0, 3)),
    "special.polygamma": (lambda x: jsp.special.polygamma(1, x), within(1.0, 3.0, 3)),
    "stats.norm.logpdf": (jsp.stats.norm.logpdf, normal(), normal(), within(0.5, 2.0)),
    "stats.norm.cdf": (jsp.stats.norm.cdf, normal()),
    "stats.gamma.logpdf": (jsp.stats.gamma.logpdf, within(0.5, 3.0), within(1.0, 3.0)),
    "stats.beta.logpdf": (
        jsp.stats.beta.logpdf,
        within(0.2, 0.8),
        within(1.0, 3.0),
        within(1.0, 3.0),
    ),
    "stats.t.logpdf": (jsp.stats.t.logpdf, normal(), within(2.0, 5.0)),
    "stats.cauchy.logpdf": (jsp.stats.cauchy.logpdf, normal()),
    "stats.laplace.logpdf": (jsp.stats.laplace.logpdf, apart()),
    "stats.logistic.logpdf": (jsp.stats.logistic.logpdf, normal()),
    "stats.expon.logpdf": (jsp.stats.expon.logpdf, within(0.2, 3.0)),
    "stats.multivariate_normal.logpdf": (
        lambda x, m: jsp.stats.multivariate_normal.logpdf(x, m, jnp.eye(3) + 0.1),
        normal(3),
        normal(3),
    ),
    "signal.convolve": (jsp.signal.convolve, normal(6), normal(3)),
    "signal.correlate": (jsp.signal.correlate, normal(6), normal(3)),
    "ndimage.map_coordinates": (
        lambda image: jsp.ndimage.map_coordinates(image, [jnp.array([0.3, 1.6])] * 2, 1),
        normal(4, 4),
    ),
    "integrate.trapezoid": (lambda y: jsp.integrate.trapezoid(y * y), normal(6)),
}
_LAX = {
    **dict.fromkeys(("sin", "logistic", "erf", "tanh", "exp2", "asinh", "atan", "neg"), _N),
    **dict.fromkeys(("rsqrt", "log1p", "lgamma", "digamma", "cbrt", "erfc"), _POSITIVE),
    **dict.fromkeys(("erf_inv", "acos", "asin", "atanh"), _UNIT),
    **dict.fromkeys(("mul", "sub", "atan2"), (apart(), normal())),
    **dict.fromkeys(("pow", "div"), (within(0.5, 2.0), within(0.5, 2.0))),
    **dict.fromkeys(("cumsum", "cumprod", "cumlogsumexp", "cummax", "sort"), (apart(5),)),
    "dot": (normal(3, 4), normal(4, 2)),
}


def _loop(x: jax.Array) -> jax.Array:
    return lax.fori_loop(0, 3, lambda _, state: jnp.sin(state) * x, x)


def _scan(x: jax.Array, w: jax.Array) -> tuple[jax.Array, jax.Array]:
    def step(carry: jax.Array, one: jax.Array) -> tuple[jax.Array, jax.Array]:
        carry = jnp.tanh(w @ carry + one)
        return carry, carry.sum()

    return lax.scan(step, jnp.zeros(3, x.dtype), x)


def _convolution(x: jax.Array, w: jax.Array) -> jax.Array:
    return lax.conv_general_dilated(x, w, (1, 1), "SAME")


def _pooled(x: jax.Array) -> jax.Array:
    return lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (1, 1), "VALID")


def _root(x: jax.Array) -> jax.Array:
    """The cube root by Newton's method, with the derivative of the equation it solves."""
    return lax.custom_root(
        lambda y: y**3 - x,
        jnp.ones_like(x),
        lambda f, y: lax.fori_loop(0, 25, lambda _, y: y - f(y) / (3 * y**2), y),
        lambda g, y: y / g(jnp.ones_like(y)),
    )


_LAX_MORE = {
    "fori_loop": (_loop, normal()),
    "scan": (_scan, normal(4, 3), normal(3, 3)),
    "cond": (lambda x: lax.cond(True, jnp.sin, jnp.cos, x), normal()),
    "switch": (lambda x: lax.switch(1, [jnp.sin, jnp.exp, jnp.cos], x), normal()),
    "map": (lambda x: lax.map(jnp.sin, x), normal()),
    "associative_scan": (lambda x: lax.associative_scan(jnp.multiply, x), normal(5)),
    "conv": (_convolution, normal(1, 2, 4, 4), normal(3, 2, 3, 3)),
    "max_pool": (_pooled, apart(4, 4)),
    "reduce_window_sum": (
        lambda x: lax.reduce_window(x, 0.0, lax.add, (2,), (1,), "VALID") ** 2,
        normal(6),
    ),
    "integer_pow": (lambda x: lax.integer_pow(x, 3), normal()),
    "clamp": (lambda x: lax.clamp(-1.1, x, 1.1), apart()),
    "select": (lambda x, y: lax.select(x > 0, x * y, y), apart(), normal()),
    "gather": (lambda x: x[jnp.array([0, 2]), jnp.array([1, 1])], normal()),
    "dynamic_slice": (lambda x: lax.dynamic_slice(x, (1, 1), (2, 2)) ** 2, normal()),
    "dynamic_update": (lambda x, y: lax.dynamic_update_slice(x, y, (1, 1)), normal(), normal(2, 2)),
    "top_k": (lambda x: lax.top_k(x, 2)[0], apart()),
    "reduce_max": (lambda x: lax.reduce_max(x, (0,)), apart()),
    "reduce_prod": (lambda x: lax.reduce_prod(x, (0,)), normal()),
    "dot_general": (
        lambda x, y: lax.dot_general(x, y, (((2,), (1,)), ((0,), (0,)))),
        normal(2, 3, 4),
        normal(2, 4, 3),
    ),
    "igamma": (lax.igamma, within(0.8, 3.0, 3), within(0.5, 3.0, 3)),
    "checkpoint": (jax.checkpoint(lambda x: jnp.sin(jnp.sin(x))), normal()),
    "jit": (jax.jit(lambda x: jnp.sin(x) * jnp.exp(x)), normal()),
    "vmap": (jax.vmap(lambda x: jnp.outer(x, x)), normal()),
    "custom_root": (_root, within(0.5, 4.0, 4)),
    "while_loop": (
        lambda x: lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * x), (0, x))[1],
        normal(),
    ),
    "stop_gradient": (lambda x: x * lax.stop_gradient(x), normal()),
    "rint": (jnp.rint, within(0.1, 0.4)),
    "random_dropout": (
        lambda x: jnp.where(jax.random.bernoulli(jax.random.key(0), 0.5, x.shape), x, 0.0),
        normal(),
    ),
}

_LARGER = {
    "sin": (jnp.sin, normal(1_000)),
    "softmax": (jax.nn.softmax, normal(10, 100)),
    "cumsum": (lambda x: jnp.cumsum(x) * x, normal(1_000)),
    "matmul": (lambda x, y: jnp.tanh(x @ y), normal(32, 32), normal(32, 32)),
    "layer_norm": (lambda x: jax.nn.standardize(x) ** 2, normal(20, 50)),
}

FUNCTIONS: dict[str, Case] = {
    case.name: case
    for case in (
        *_of(jnp, _NUMPY, "numpy"),
        *_as("numpy", _NUMPY_MORE),
        *_as("linalg", _LINALG),
        *_of(jax.nn, _NN, "nn"),
        *_as("nn", _NN_MORE),
        *_of(jsp.special, _SPECIAL, "scipy.special"),
        *_as("scipy", _SCIPY_MORE),
        *_of(lax, _LAX, "lax"),
        *_as("lax", _LAX_MORE),
        *_as("larger", _LARGER),
    )
}
