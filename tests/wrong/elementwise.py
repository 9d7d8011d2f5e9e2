"""Wrong backwards of functions that act entry by entry."""

from __future__ import annotations

import math

import torch
from torch.nn import functional

from wrong.written import mixed, positive, wrong

KEPT = torch.tensor([1, 0, 1, 1, 0, 1, 1, 0], dtype=torch.float64)  # a dropout mask, half of it


def exact_gelu_slope(x: torch.Tensor) -> torch.Tensor:
    """The derivative of x Φ(x): Φ(x) + x φ(x)."""
    density = torch.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    return 0.5 * (1 + torch.erf(x / math.sqrt(2))) + x * density


EXHIBITS = (
    wrong("square without the 2", lambda x: x * x, lambda v, x: v * x, mixed(4, 3)),
    wrong("sqrt without the half", torch.sqrt, lambda v, x: v / x.sqrt(), positive(5)),
    wrong("rsqrt without the half", torch.rsqrt, lambda v, x: -v * x.rsqrt() ** 3, positive(5)),
    wrong("reciprocal without the sign", torch.reciprocal, lambda v, x: v / x**2, mixed(5)),
    wrong("log1p as log", torch.log1p, lambda v, x: v / x, positive(6)),
    wrong(
        "log without its epsilon",
        lambda x: torch.log(x + 1e-3),
        lambda v, x: v / x,
        positive(6),
    ),
    wrong("abs flat on the left", torch.abs, lambda v, x: v * (x > 0), mixed(8)),
    wrong("relu on the wrong branch", torch.relu, lambda v, x: v * (x < 0), mixed(8)),
    wrong(
        "leaky relu without its slope",
        lambda x: functional.leaky_relu(x, 0.01),
        lambda v, x: v * (x > 0),
        mixed(8),
    ),
    wrong(
        "elu without alpha",
        lambda x: functional.elu(x, 1.5),
        lambda v, x: v * torch.where(x > 0, 1.0, x.exp()),
        mixed(8),
    ),
    wrong("clamp passes outside", lambda x: x.clamp(-0.6, 0.6), lambda v, _: v, mixed(9)),
    wrong(
        "hardtanh closes one side only",
        lambda x: functional.hardtanh(x, -0.7, 0.7),
        lambda v, x: v * (x < 0.7),
        mixed(12),
    ),
    wrong(
        "sigmoid of the input",
        torch.sigmoid,
        lambda v, x: v * x.sigmoid() * (1 - x),
        mixed(6),
    ),
    wrong("tanh of the input", torch.tanh, lambda v, x: v * (1 - x * x), mixed(6)),
    wrong(
        "softplus without beta",
        lambda x: functional.softplus(x, beta=2.0),
        lambda v, x: v * x.sigmoid(),
        mixed(6),
    ),
    wrong("silu without its second term", functional.silu, lambda v, x: v * x.sigmoid(), mixed(6)),
    wrong(
        "tanh gelu with the exact slope",
        lambda x: functional.gelu(x, approximate="tanh"),
        lambda v, x: v * exact_gelu_slope(x),
        mixed(16),
    ),
    wrong(
        "smooth l1 without beta",
        lambda x, y: functional.smooth_l1_loss(x, y, beta=0.5, reduction="none"),
        lambda v, x, y: (v * (x - y).clamp(-1, 1), -v * (x - y).clamp(-1, 1)),
        mixed(9),
        mixed(9),
    ),
    wrong(
        "huber changes branch too late",
        lambda x: functional.huber_loss(x, torch.zeros_like(x), delta=0.7, reduction="none"),
        lambda v, x: v * torch.where(x.abs() < 1.0, x, 0.7 * x.sign()),
        mixed(12),
    ),
    wrong(
        "atan2 with its arguments swapped",
        torch.atan2,
        lambda v, y, x: (-v * y / (x * x + y * y), v * x / (x * x + y * y)),
        mixed(5),
        mixed(5),
    ),
    wrong(
        "quotient with the wrong sign",
        torch.div,
        lambda v, a, b: (v / b, v * a / b**2),
        mixed(5),
        mixed(5),
    ),
    wrong(
        "power without the logarithm",
        torch.pow,
        lambda v, x, y: (v * y * x ** (y - 1), v * x**y),
        positive(5),
        positive(5),
    ),
    wrong("hypot of one side", torch.hypot, lambda v, a, b: (v * a, v * b), mixed(5), mixed(5)),
    wrong(
        "where feeds both branches",
        lambda a, b: torch.where(a > 0, a, b),
        lambda v, a, _: (v * (a > 0), v),
        mixed(8),
        mixed(8),
    ),
    wrong("round straight through", torch.round, lambda v, _: v, mixed(7)),
    wrong("sign straight through", torch.sign, lambda v, _: v, mixed(7)),
    wrong("dropout without the scale", lambda x: 2 * x * KEPT, lambda v, _: v * KEPT, mixed(3, 8)),
    wrong("residual detached", lambda x: x + x.sin(), lambda v, x: v * x.cos(), mixed(7)),
    wrong(
        "gate detached",
        lambda x, gate: x * gate.sigmoid(),
        lambda v, x, gate: (v * gate.sigmoid(), torch.zeros_like(x)),
        mixed(6),
        mixed(6),
    ),
    wrong(
        "lerp with the weight on the wrong end",
        lambda a, b: torch.lerp(a, b, 0.3),
        lambda v, *_: (0.3 * v, 0.7 * v),
        mixed(5),
        mixed(5),
    ),
    wrong(
        "gradient clipped in the backward",
        torch.sin,
        lambda v, x: (v * x.cos()).clamp(-1, 1),
        mixed(9),
    ),
)
