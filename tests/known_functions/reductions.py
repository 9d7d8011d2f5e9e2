"""Functions that mix the entries of the last axis: sums, norms, softmax, running totals."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from scipy import special

from .base import (
    ALL,
    VECTORS,
    Array,
    Derivative,
    Function,
    Known,
    Sampler,
    between,
    either_side,
    returning_array,
)

ROWS = (*VECTORS, (4, 16))
EPSILON = 2.0**-10
USUAL = between(-2, 2)


def reduction(
    name: str, function: Function, derivative: Derivative, sample: Sampler = USUAL
) -> Known:
    """A function of the last axis."""
    return Known(name, function, returning_array(derivative), sample, ALL, "reduction", ROWS)


def total(terms: Array) -> Array:
    """The sum over the last axis."""
    return np.asarray(terms.sum(axis=-1))


def column(numbers: Array) -> Array:
    """One number per row, shaped to broadcast against the row."""
    return np.asarray(numbers)[..., None]


def softmax_tangent(x: Array, u: Array) -> Array:
    """P (u - ⟨p, u⟩), with p = softmax(x)."""
    p = special.softmax(x, axis=-1)
    return p * (u - column(total(p * u)))


def entropy_of_softmax(x: torch.Tensor) -> torch.Tensor:
    """-Σ p log p."""
    return -(torch.softmax(x, -1) * torch.log_softmax(x, -1)).sum(-1)


def entropy_tangent(x: Array, u: Array) -> Array:
    """-Σ p' log p, because Σ p' = 0."""
    return -total(softmax_tangent(x, u) * special.log_softmax(x, axis=-1))


def three_norm_tangent(x: Array, u: Array) -> Array:
    """Σ x|x| u / ‖x‖₃²."""
    return total(x * np.abs(x) * u) / np.cbrt(total(np.abs(x) ** 3)) ** 2


def variance_tangent(x: Array, u: Array) -> Array:
    """2 Σ (x - mean) u / (n - 1)."""
    return 2 * total((x - column(x.mean(axis=-1))) * u) / (x.shape[-1] - 1)


def deviation_tangent(x: Array, u: Array) -> Array:
    """The variance's, over twice the deviation."""
    return variance_tangent(x, u) / (2 * x.std(axis=-1, ddof=1))


def layer_norm(x: torch.Tensor) -> torch.Tensor:
    """(x - mean) / √(variance + ε) over the last axis."""
    return F.layer_norm(x, x.shape[-1:], eps=EPSILON)


def layer_norm_tangent(x: Array, u: Array) -> Array:
    """(u₀ - y mean(y u₀)) / s, with u₀ = u - mean(u), s = √(variance + ε), y the output."""
    s = column(np.sqrt(x.var(axis=-1) + EPSILON))
    y = (x - column(x.mean(axis=-1))) / s
    centred = u - column(u.mean(axis=-1))
    return (centred - y * column((y * centred).mean(axis=-1))) / s


def unit_vector(x: torch.Tensor) -> torch.Tensor:
    """X / ‖x‖."""
    return x / torch.linalg.vector_norm(x, dim=-1, keepdim=True)


def unit_vector_tangent(x: Array, u: Array) -> Array:
    """(u - y ⟨y, u⟩) / ‖x‖, with y the output."""
    norm = column(np.linalg.norm(x, axis=-1))
    y = x / norm
    return (u - y * column(total(y * u))) / norm


def running_logsumexp_tangent(x: Array, u: Array) -> Array:
    """Running total of exp(x) u, over that of exp(x)."""
    return np.cumsum(np.exp(x) * u, axis=-1) / np.cumsum(np.exp(x), axis=-1)


def geometric_mean(x: torch.Tensor) -> torch.Tensor:
    """exp(mean(log x))."""
    return torch.exp(torch.log(x).mean(-1))


def geometric_mean_tangent(x: Array, u: Array) -> Array:
    """The geometric mean, times mean(u / x)."""
    return np.exp(np.log(x).mean(axis=-1)) * (u / x).mean(axis=-1)


def palindrome(x: torch.Tensor) -> torch.Tensor:
    """Σ x[i] x[n-1-i]: terms of both signs, whose sum is much smaller than they are."""
    return (x * x.flip(-1)).sum(-1)


FUNCTIONS: tuple[Known, ...] = (
    reduction("sum", lambda x: x.sum(-1), lambda x, u: total(u)),
    reduction("mean", lambda x: x.mean(-1), lambda x, u: u.mean(axis=-1)),
    reduction(
        "prod",
        lambda x: x.prod(-1),
        lambda x, u: x.prod(axis=-1) * total(u / x),
        between(0.9, 1.1),
    ),
    reduction(
        "logsumexp",
        lambda x: torch.logsumexp(x, -1),
        lambda x, u: total(special.softmax(x, axis=-1) * u),
    ),
    reduction(
        "norm",
        lambda x: torch.linalg.vector_norm(x, dim=-1),
        lambda x, u: total(x * u) / np.linalg.norm(x, axis=-1),
    ),
    reduction(
        "3-norm",
        lambda x: torch.linalg.vector_norm(x, 3, dim=-1),
        three_norm_tangent,
        either_side(0.5, 2),
    ),
    reduction("squared norm", lambda x: (x * x).sum(-1), lambda x, u: 2 * total(x * u)),
    reduction("var", lambda x: x.var(-1), variance_tangent),
    reduction("std", lambda x: x.std(-1), deviation_tangent),
    reduction("softmax", lambda x: torch.softmax(x, -1), softmax_tangent, between(-1.5, 1.5)),
    reduction(
        "log_softmax",
        lambda x: torch.log_softmax(x, -1),
        lambda x, u: u - column(total(special.softmax(x, axis=-1) * u)),
    ),
    reduction("entropy of softmax", entropy_of_softmax, entropy_tangent),
    reduction(
        "cross entropy",
        lambda x: torch.logsumexp(x, -1) - x[..., 0],
        lambda x, u: total(special.softmax(x, axis=-1) * u) - u[..., 0],
    ),
    reduction("cumsum", lambda x: x.cumsum(-1), lambda x, u: np.cumsum(u, axis=-1)),
    reduction(
        "cumprod",
        lambda x: x.cumprod(-1),
        lambda x, u: np.cumprod(x, axis=-1) * np.cumsum(u / x, axis=-1),
        between(0.9, 1.1),
    ),
    reduction("logcumsumexp", lambda x: torch.logcumsumexp(x, -1), running_logsumexp_tangent),
    reduction("diff", lambda x: torch.diff(x), lambda x, u: np.diff(u)),
    reduction("layer_norm", layer_norm, layer_norm_tangent),
    reduction("unit vector", unit_vector, unit_vector_tangent),
    reduction("geometric mean", geometric_mean, geometric_mean_tangent, between(0.3, 3)),
    reduction("palindrome", palindrome, lambda x, u: 2 * total(x * u[..., ::-1])),
)
