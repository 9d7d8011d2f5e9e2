"""Mistakes as people make them in kernels and losses: what was done, and what may be said of it.

`benchmarks/causes.py` makes a table of them, the tests ask the same ones. A cause is named if it
holds one of the `told` words, misleading if it holds none; silence is neither.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from wrong.exhibit import Tensor, away_from_zero, normals, rule

Maker = Callable[[], tuple[Any, ...]]


@dataclass(frozen=True)
class Mistake:
    """One wrong derivative: what was done, and words of which a right cause holds at least one."""

    what: str
    function: Callable[..., Any]
    inputs: Maker
    told: tuple[str, ...]
    right: Callable[..., Any]


def _wrong(
    what: str,
    forward: Callable[..., Any],
    backward: Callable[..., Any],
    *told: str,
    inputs: Maker = lambda: (normals(4, 6),),
) -> Mistake:
    def named(x: Tensor) -> Any:
        return forward(x)

    shown = named if len(inputs()) == 1 else forward  # not every function names its argument
    return Mistake(what, rule("mistake", shown, backward), inputs, told, forward)


def _signed() -> tuple[Tensor, ...]:
    return (away_from_zero(4, 6),)


def _positive() -> tuple[Tensor, ...]:
    return (normals(4, 6).abs() + 0.3,)


def _two(seed: int = 1) -> Maker:
    return lambda: (normals(4, 6), normals(4, 6, seed=seed))


# -- sums and means ------------------------------------------------------------------------------


def _softmax_pull(x: Tensor, g: Tensor, dim: int) -> Tensor:
    y = x.softmax(-1)
    return y * (g - (g * y).sum(dim, keepdim=True))


def _spread(x: Tensor, eps: float = 1e-5, dim: int = -1, correction: int = 0) -> Tensor:
    return (x.var(dim, correction=correction, keepdim=True) + eps).sqrt()


def _normed(x: Tensor, eps: float = 1e-5, dim: int = -1, correction: int = 0) -> Tensor:
    return (x - x.mean(dim, keepdim=True)) / _spread(x, eps, dim, correction)


def _normed_pull(
    x: Tensor, g: Tensor, eps: float = 1e-5, dim: int = -1, correction: int = 0
) -> Tensor:
    y, spread = _normed(x, eps, dim, correction), _spread(x, eps, dim, correction)
    return (g - g.mean(dim, keepdim=True) - y * (g * y).mean(dim, keepdim=True)) / spread


def _rms(x: Tensor, eps: float = 1e-5) -> Tensor:
    return x / (x.square().mean(-1, keepdim=True) + eps).sqrt()


def _rms_pull(x: Tensor, g: Tensor, eps: float) -> Tensor:
    r = (x.square().mean(-1, keepdim=True) + eps).rsqrt()
    return g * r - x * r**3 * (g * x).mean(-1, keepdim=True)


def _unit(x: Tensor) -> Tensor:
    return x / x.norm(dim=-1, keepdim=True)


SUMS = [
    _wrong("softmax: the backward sums over dimension 0", lambda x: x.softmax(-1),
           lambda x, g: _softmax_pull(x, g, 0), "the claim on those along dimension 0"),
    _wrong("softmax: the backward sums over both dimensions", lambda x: x.softmax(-1),
           lambda x, g: _softmax_pull(x, g, (0, 1)), "a sum along dimension 1 is missing or wrong"),
    _wrong("softmax: the sum is forgotten", lambda x: x.softmax(-1),
           lambda x, g: g * x.softmax(-1), "a sum along dimension 1 is missing"),
    _wrong("log-softmax: the sum is forgotten", lambda x: x.log_softmax(-1),
           lambda x, g: g, "a sum along dimension 1 is missing"),
    _wrong("log-softmax: the backward sums over dimension 0", lambda x: x.log_softmax(-1),
           lambda x, g: g - x.softmax(-1) * g.sum(0, keepdim=True),
           "the claim on those along dimension 0"),
    _wrong("logsumexp: the softmax of the backward is over dimension 0", lambda x: x.logsumexp(-1),
           lambda x, g: g[:, None] * x.softmax(0), "normalises over the wrong dimension"),
    _wrong("logsumexp of a square: the cotangent goes back along dimension 1",
           lambda x: x.logsumexp(0), lambda x, g: g[:, None] * x.softmax(0),
           "the claim on those along dimension 1", inputs=lambda: (normals(5, 5),)),
    _wrong("sum of a square: the cotangent goes back along dimension 2",
           lambda x: x.square().sum(1), lambda x, g: g[:, :, None] * 2 * x,
           "the claim on those along dimension 2", inputs=lambda: (normals(3, 4, 4),)),
    _wrong("bias of a square: the cotangent is summed over dimension 1",
           lambda b: (b + torch.ones(5, 1, dtype=b.dtype)).tanh(),
           lambda b, g: (g * (1 - (b + 1).tanh() ** 2)).sum(1),
           "x moves the outputs along dimension 0, the claim moves those along dimension 1",
           inputs=lambda: (normals(5),)),
    _wrong("layer norm: the mean is taken for a constant", _normed,
           lambda x, g: _normed_pull(x, g) + g.mean(-1, keepdim=True) / _spread(x),
           "a sum or a mean along dimension 1"),
    _wrong("layer norm: the variance is taken for a constant", _normed,
           lambda x, g: (g - g.mean(-1, keepdim=True)) / _spread(x),
           "variance along dimension 1"),
    _wrong("layer norm: eps is 0.1 in the backward", _normed,
           lambda x, g: _normed_pull(x, g, eps=0.1), "another eps in the backward"),
    _wrong("layer norm: the backward's variance is unbiased", _normed,
           lambda x, g: _normed_pull(x, g, correction=1), "unbiased"),
    _wrong("batch norm: the backward's means are over dimension 1", lambda x: _normed(x, dim=0),
           lambda x, g: _normed_pull(x, g, dim=1), "the claim on those along dimension 1"),
    _wrong("RMS norm: the norm is taken for a constant", _rms,
           lambda x, g: g * (x.square().mean(-1, keepdim=True) + 1e-5).rsqrt(),
           "through a norm", "taken for a constant"),
    _wrong("RMS norm: eps is 0.1 in the backward", _rms, lambda x, g: _rms_pull(x, g, 0.1),
           "another eps in the backward"),
    _wrong("x / ‖x‖: the norm is taken for a constant", _unit,
           lambda x, g: g / x.norm(dim=-1, keepdim=True),
           "through a norm", "taken for a constant"),
    _wrong("mean: the backward is that of a sum", lambda x: x.mean(-1),
           lambda x, g: g[:, None].expand_as(x), "a mean for a sum"),
    _wrong("cumsum: the backward is not reversed", lambda x: x.cumsum(-1),
           lambda x, g: g.cumsum(-1), "transpose"),
    _wrong("bias: the backward takes the first row for the sum", lambda b, x: x + b,
           lambda b, x, g: (g[0], g), "contribution", "a sum over a broadcast dimension",
           inputs=lambda: (normals(6), normals(4, 6, seed=1))),
]  # fmt: skip

# -- functions of one argument -------------------------------------------------------------------


def _gelu_tanh_pull(x: Tensor, g: Tensor) -> Tensor:
    c = math.sqrt(2 / math.pi)
    t = torch.tanh(c * (x + 0.044715 * x**3))
    return g * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * c * (1 + 3 * 0.044715 * x * x))


def _huber(x: Tensor) -> Tensor:
    return torch.where(x.abs() < 1, 0.5 * x * x, x.abs() - 0.5)


ARGUMENTS = [
    _wrong("sin: the backward is sin", torch.sin, lambda x, g: g * x.sin(),
           "another function"),
    _wrong("tanh: 1 − x² for 1 − out²", torch.tanh, lambda x, g: g * (1 - x * x),
           "another function"),
    _wrong("sigmoid: x·(1 − x) for out·(1 − out)", torch.sigmoid, lambda x, g: g * x * (1 - x),
           "another function"),
    _wrong("softplus: tanh for sigmoid", torch.nn.functional.softplus, lambda x, g: g * x.tanh(),
           "another function"),
    _wrong("atan: 1 / (1 + x) for 1 / (1 + x²)", torch.atan, lambda x, g: g / (1 + x.abs()),
           "another function"),
    _wrong("gelu: the tanh form's derivative for erf's", torch.nn.functional.gelu, _gelu_tanh_pull,
           "an approximation"),
    _wrong("log: 1 / x² for 1 / x", torch.log, lambda x, g: g / x**2, "a factor x is missing",
           inputs=_positive),
    _wrong("sqrt: 1 / (2 x) for 1 / (2 out)", torch.sqrt, lambda x, g: g / (2 * x),
           "a factor out is missing", inputs=_positive),
    _wrong("x³: 3 x, a factor of x too few", lambda x: x**3, lambda x, g: 3 * x * g,
           "a factor x is missing", inputs=_signed),
    _wrong("x³: 3 x³, a factor of x too many", lambda x: x**3, lambda x, g: 3 * x**3 * g,
           "a factor x is one too many", inputs=_signed),
    _wrong("exp(−x²): the inner −2x is forgotten", lambda x: (-x * x).exp(),
           lambda x, g: g * (-x * x).exp(), "x is missing", inputs=_signed),
    _wrong("sin(x²): the inner 2x is forgotten", lambda x: (x * x).sin(),
           lambda x, g: g * (x * x).cos(), "x is missing", inputs=_signed),
    _wrong("exp(sin x): the inner cos x is forgotten", lambda x: x.sin().exp(),
           lambda x, g: g * x.sin().exp(), "cos(x)"),
    _wrong("tanh(x³): the inner 3x² is forgotten", lambda x: (x**3).tanh(),
           lambda x, g: g * (1 - (x**3).tanh() ** 2), "x² is missing", inputs=_signed),
    _wrong("log(1 + x²): the inner 2x is forgotten", lambda x: (1 + x * x).log(),
           lambda x, g: g / (1 + x * x), "x is missing", inputs=_signed),
    _wrong("sin(3x): the inner 3 is forgotten", lambda x: (3 * x).sin(),
           lambda x, g: g * (3 * x).cos(), "constant factor"),
    _wrong("silu: the product rule's second term is forgotten", torch.nn.functional.silu,
           lambda x, g: g * x.sigmoid(), "product rule"),
    _wrong("cosh: −sinh", torch.cosh, lambda x, g: -g * x.sinh(), "sign"),
    _wrong("x + sin x: the skip connection has no gradient", lambda x: x + x.sin(),
           lambda x, g: g * x.cos(), "identity path"),
    _wrong("huber: quadratic everywhere", _huber, lambda x, g: g * x, "wrong where |x| > 1",
           inputs=lambda: (2 * normals(4, 6),)),
    _wrong("clamp(−1, 1): the mask is forgotten", lambda x: x.clamp(-1, 1), lambda x, g: g,
           "a mask is missing", inputs=lambda: (2 * normals(4, 6),)),
    _wrong("relu: a tenth passes below 0", torch.relu, lambda x, g: torch.where(x > 0, g, 0.1 * g),
           "a mask is missing", inputs=_signed),
]  # fmt: skip

# -- several inputs ------------------------------------------------------------------------------


def _swiglu(x: Tensor, y: Tensor) -> Tensor:
    return torch.nn.functional.silu(x) * y


def _focal(x: Tensor, y: Tensor) -> Tensor:
    p = x.sigmoid()
    return -((1 - p) ** 2) * p.log() * y


def _scores(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.T / math.sqrt(q.shape[-1])


_KEPT = (torch.rand(4, 6, generator=torch.Generator().manual_seed(0)) > 0.4).double()
_PICKED = torch.tensor([0, 2, 2, 3, 0])


def _overwrites(x: Tensor, g: Tensor) -> Tensor:
    gradient = torch.zeros_like(x)
    gradient[_PICKED] = g
    return gradient


def _convolved(x: Tensor, w: Tensor) -> Tensor:
    return torch.nn.functional.conv1d(x, w, padding=1)


INPUTS = [
    _wrong("sin(w·x): the factor w is forgotten", lambda x, w: (w * x).sin(),
           lambda x, w, g: (g * (w * x).cos(), g * x * (w * x).cos()), "a factor w is missing",
           inputs=_two()),
    _wrong("SwiGLU: the gradients are swapped", _swiglu,
           lambda x, y, g: (g * torch.nn.functional.silu(x),
                            g * y * x.sigmoid() * (1 + x * (1 - x.sigmoid()))), "swapped",
           inputs=_two()),
    _wrong("focal loss: the term through (1 − p)² is forgotten", _focal,
           lambda x, y, g: (-g * y * (1 - x.sigmoid()) ** 3,
                            -g * (1 - x.sigmoid()) ** 2 * x.sigmoid().log()),
           "term", "another function", inputs=_two()),
    _wrong("squared error: the 2 is forgotten", lambda x, y: (x - y).square(),
           lambda x, y, g: (g * (x - y), -2 * g * (x - y)), "constant factor", inputs=_two()),
    _wrong("attention scores: 1 / √d is forgotten", _scores,
           lambda q, k, g: (g @ k, g.T @ q / math.sqrt(q.shape[-1])), "constant factor",
           inputs=lambda: (normals(4, 6), normals(5, 6, seed=1))),
    _wrong("matmul: the weight's gradient is transposed", lambda x, w: x @ w,
           lambda x, w, g: (g @ w.T, g.T @ x), "transpose",
           inputs=lambda: (normals(5, 4), normals(4, 4, seed=1))),
    _wrong("dropout: the mask is forgotten", lambda x: 2 * x * _KEPT, lambda x, g: 2 * g,
           "a mask is missing"),
    _wrong("dropout: the scale is forgotten", lambda x: 2 * x * _KEPT, lambda x, g: g * _KEPT,
           "constant factor"),
    _wrong("gather: contributions are written over", lambda x: x[_PICKED], _overwrites,
           "written over instead of added"),
    _wrong("conv1d: the kernel is not flipped", _convolved,
           lambda x, w, g: (torch.nn.functional.conv1d(g, w.transpose(0, 1), padding=1), None),
           "not flipped", inputs=lambda: (normals(2, 3, 8), normals(3, 3, 3, seed=1))),
    _wrong("roll: the backward rolls the same way", lambda x: x.roll(2, -1),
           lambda x, g: g.roll(2, -1), "the claim is shifted"),
    _wrong("flip: the backward does not flip back", lambda x: 2 * x.flip(-1),
           lambda x, g: 2 * g, "the claim is reversed"),
    _wrong("tril: the upper part gets a gradient", lambda x: x.tril(), lambda x, g: g,
           "a mask is missing", inputs=lambda: (normals(5, 5),)),
    _wrong("inverse: the minus is forgotten", torch.linalg.inv,
           lambda x, g: x.inverse().T @ g @ x.inverse().T, "sign",
           inputs=lambda: (normals(3, 3) + 3 * torch.eye(3).double(),)),
    _wrong("PReLU: the slope's gradient forgets x", lambda x, a: torch.where(x > 0, x, a * x),
           lambda x, a, g: (torch.where(x > 0, g, a * g), torch.where(x > 0, 0, g)),
           "x is missing", inputs=lambda: (away_from_zero(4, 6), normals(4, 6, seed=1))),
    Mistake("one path is detached", lambda x: x.sin() + 0.5 * x.detach() ** 2, _signed,
            ("a term x of the derivative is missing",), lambda x: x.sin() + 0.5 * x**2),
]  # fmt: skip

MISTAKES = [*SUMS, *ARGUMENTS, *INPUTS]


def cause_of(report: Any) -> str | None:
    """Return the first cause that a report names."""
    failed = (one for one in report.findings if one.verdict.name == "FAIL")
    return next((one.cause for one in failed if one.cause), None)


def sort_of(mistake: Mistake, report: Any) -> str:
    """Say how a mistake was explained: named, silent, misleading, or missed altogether."""
    if report.verdict.name != "FAIL":
        return "missed"
    cause = cause_of(report)
    if cause is None:
        return "silent"
    return "named" if any(words in cause for words in mistake.told) else "misleading"
