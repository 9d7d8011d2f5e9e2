"""Functions of one number, applied to each entry: a table of name, function, slope, points."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from scipy import special

from .base import FULL, Array, Known, across_scales, between, either_side, elementwise

ROOT_TWO_OVER_PI = np.sqrt(2 / np.pi)
GELU_CUBIC = 0.044715


def normal_density(x: Array) -> Array:
    """exp(-x²/2) / √(2π)."""
    return np.exp(-x * x / 2) / np.sqrt(2 * np.pi)


def sech_squared(x: Array) -> Array:
    """1 - tanh²(x), without the cancellation."""
    return 1 / np.cosh(x) ** 2


def slope_of_gelu_tanh(x: Array) -> Array:
    """The slope of x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2."""
    inner = ROOT_TWO_OVER_PI * (x + GELU_CUBIC * x**3)
    inner_slope = ROOT_TWO_OVER_PI * (1 + 3 * GELU_CUBIC * x * x)
    return special.expit(2 * inner) + x * sech_squared(inner) * inner_slope / 2


def slope_of_mish(x: Array) -> Array:
    """The slope of x tanh(softplus(x))."""
    softplus = np.logaddexp(0, x)
    return np.tanh(softplus) + x * sech_squared(softplus) * special.expit(x)


def gelu_tanh(x: torch.Tensor) -> torch.Tensor:
    """The approximation of gelu that avoids erf."""
    return F.gelu(x, approximate="tanh")


def cube_root(x: torch.Tensor) -> torch.Tensor:
    """By way of log, because no dtype holds the exponent 1/3."""
    return torch.exp(torch.log(x) / 3)


def logistic_iterates(x: torch.Tensor) -> torch.Tensor:
    """Three steps of the logistic map x → 3.5 x (1 - x)."""
    for _ in range(3):
        x = 3.5 * x * (1 - x)
    return x


def slope_of_logistic_iterates(x: Array) -> Array:
    """The product of the three steps' slopes, 3.5 (1 - 2x)."""
    slope = np.ones_like(x)
    for _ in range(3):
        slope = slope * 3.5 * (1 - 2 * x)
        x = 3.5 * x * (1 - x)
    return slope


TRIGONOMETRIC = (
    elementwise("sin", torch.sin, np.cos, between(-3, 3)),
    elementwise("cos", torch.cos, lambda x: -np.sin(x), between(-3, 3)),
    elementwise("tan", torch.tan, lambda x: 1 / np.cos(x) ** 2, between(-1.2, 1.2)),
    elementwise("asin", torch.asin, lambda x: 1 / np.sqrt((1 - x) * (1 + x)), between(-0.8, 0.8)),
    elementwise("acos", torch.acos, lambda x: -1 / np.sqrt((1 - x) * (1 + x)), between(-0.8, 0.8)),
    elementwise("atan", torch.atan, lambda x: 1 / (1 + x * x), between(-4, 4)),
    elementwise("sinh", torch.sinh, np.cosh, between(-3, 3)),
    elementwise("cosh", torch.cosh, np.sinh, between(-3, 3)),
    elementwise("tanh", torch.tanh, sech_squared, between(-2.5, 2.5)),
    elementwise("asinh", torch.asinh, lambda x: 1 / np.sqrt(1 + x * x), between(-4, 4)),
    elementwise("acosh", torch.acosh, lambda x: 1 / np.sqrt((x - 1) * (x + 1)), between(1.4, 5)),
    elementwise("atanh", torch.atanh, lambda x: 1 / ((1 - x) * (1 + x)), between(-0.8, 0.8)),
    elementwise(
        "sinc",
        torch.sinc,
        lambda x: (np.cos(np.pi * x) - np.sinc(x)) / x,
        either_side(0.25, 2),
    ),
)

POWERS_AND_EXPONENTIALS = (
    elementwise("exp", torch.exp, np.exp, between(-3, 3)),
    elementwise("exp2", torch.exp2, lambda x: np.log(2) * np.exp2(x), between(-4, 4)),
    elementwise("expm1", torch.expm1, np.exp, between(-2, 2)),
    elementwise("log", torch.log, lambda x: 1 / x, between(0.2, 5)),
    elementwise("log2", torch.log2, lambda x: 1 / (x * np.log(2)), between(0.2, 5)),
    elementwise("log10", torch.log10, lambda x: 1 / (x * np.log(10)), between(0.2, 5)),
    elementwise("log1p", torch.log1p, lambda x: 1 / (1 + x), between(-0.7, 4)),
    elementwise("sqrt", torch.sqrt, lambda x: 0.5 / np.sqrt(x), between(0.2, 5)),
    elementwise("rsqrt", torch.rsqrt, lambda x: -0.5 / (x * np.sqrt(x)), between(0.3, 5)),
    elementwise("reciprocal", torch.reciprocal, lambda x: -1 / (x * x), either_side(0.4, 4)),
    elementwise("x²", lambda x: x**2, lambda x: 2 * x, between(-3, 3)),
    elementwise("x³", lambda x: x**3, lambda x: 3 * x * x, between(-3, 3)),
    elementwise("x⁵", lambda x: x**5, lambda x: 5 * x**4, either_side(0.4, 1.6)),
    elementwise("x^1.5", lambda x: x**1.5, lambda x: 1.5 * np.sqrt(x), between(0.3, 4)),
    elementwise("x^0.25", lambda x: x**0.25, lambda x: 0.25 * x**-0.75, between(0.3, 4)),
    elementwise("x^-1.5", lambda x: x**-1.5, lambda x: -1.5 * x**-2.5, between(0.5, 4)),
    elementwise("x^-2", lambda x: x**-2, lambda x: -2 / x**3, either_side(0.5, 4)),
    elementwise("x^x", lambda x: x**x, lambda x: x**x * (1 + np.log(x)), between(0.3, 3)),
    elementwise("cube root", cube_root, lambda x: 1 / (3 * np.cbrt(x) ** 2), between(0.3, 5)),
)

ACTIVATIONS_AND_SPECIAL = (
    elementwise(
        "sigmoid", torch.sigmoid, lambda x: special.expit(x) * special.expit(-x), between(-4, 4)
    ),
    elementwise("softplus", F.softplus, special.expit, between(-4, 4)),
    elementwise("logsigmoid", F.logsigmoid, lambda x: special.expit(-x), between(-4, 4)),
    elementwise("softsign", F.softsign, lambda x: (1 + np.abs(x)) ** -2, either_side(0.5, 3)),
    elementwise(
        "silu",
        F.silu,
        lambda x: special.expit(x) * (1 + x * special.expit(-x)),
        between(-4, 4),
    ),
    elementwise("gelu", F.gelu, lambda x: special.ndtr(x) + x * normal_density(x), between(-3, 3)),
    elementwise("gelu tanh", gelu_tanh, slope_of_gelu_tanh, between(-3, 3)),
    elementwise("mish", F.mish, slope_of_mish, between(-3, 3)),
    elementwise("tanhshrink", F.tanhshrink, lambda x: np.tanh(x) ** 2, either_side(0.5, 3)),
    elementwise("logit", torch.logit, lambda x: 1 / (x * (1 - x)), between(0.1, 0.9)),
    elementwise("erf", torch.erf, lambda x: 2 * np.exp(-x * x) / np.sqrt(np.pi), between(-2, 2)),
    elementwise("erfc", torch.erfc, lambda x: -2 * np.exp(-x * x) / np.sqrt(np.pi), between(-2, 2)),
    elementwise(
        "erfinv",
        torch.erfinv,
        lambda x: np.sqrt(np.pi) / 2 * np.exp(special.erfinv(x) ** 2),
        between(-0.8, 0.8),
    ),
    elementwise("ndtr", torch.special.ndtr, normal_density, between(-2.5, 2.5)),
    elementwise(
        "log_ndtr",
        torch.special.log_ndtr,
        lambda x: normal_density(x) / special.ndtr(x),
        between(-4, 2),
        dtypes=FULL,
    ),
    elementwise("lgamma", torch.lgamma, special.digamma, between(0.4, 5)),
    elementwise("digamma", torch.digamma, lambda x: special.polygamma(1, x), between(0.5, 5)),
    elementwise("i0", torch.i0, special.i1, between(-4, 4)),
    elementwise("entropy", torch.special.entr, lambda x: -1 - np.log(x), between(0.1, 3)),
)

# Short formulas, whose inner roundings a measurement sees as noise.
FORMULAS = (
    elementwise(
        "exp(-x²)", lambda x: torch.exp(-x * x), lambda x: -2 * x * np.exp(-x * x), between(-2, 2)
    ),
    elementwise(
        "1/(1+x²)", lambda x: 1 / (1 + x * x), lambda x: -2 * x / (1 + x * x) ** 2, between(-3, 3)
    ),
    elementwise(
        "√(1+x²)", lambda x: torch.sqrt(1 + x * x), lambda x: x / np.hypot(1, x), between(-3, 3)
    ),
    elementwise(
        "sin(exp(x))",
        lambda x: torch.sin(torch.exp(x)),
        lambda x: np.cos(np.exp(x)) * np.exp(x),
        between(-2, 1.5),
    ),
    elementwise(
        "x·sin(1/x)",
        lambda x: x * torch.sin(1 / x),
        lambda x: np.sin(1 / x) - np.cos(1 / x) / x,
        either_side(0.3, 2),
    ),
    elementwise(
        "exp(-1/x)", lambda x: torch.exp(-1 / x), lambda x: np.exp(-1 / x) / x**2, between(0.3, 3)
    ),
    elementwise(
        "cos(x²)", lambda x: torch.cos(x * x), lambda x: -2 * x * np.sin(x * x), between(-2, 2)
    ),
    elementwise(
        "sin(x)·exp(-x)",
        lambda x: torch.sin(x) * torch.exp(-x),
        lambda x: (np.cos(x) - np.sin(x)) * np.exp(-x),
        between(-1, 3),
    ),
    elementwise(
        "log(1+exp(sin x))",
        lambda x: torch.log(1 + torch.exp(torch.sin(x))),
        lambda x: special.expit(np.sin(x)) * np.cos(x),
        between(-3, 3),
    ),
    elementwise(
        "x⁻¹² - x⁻⁶",
        lambda x: x**-12 - x**-6,
        lambda x: -12 * x**-13 + 6 * x**-7,
        between(0.9, 2),
    ),
    elementwise(
        "16x⁵ - 20x³ + 5x",
        lambda x: x * (5 + x * x * (16 * x * x - 20)),
        lambda x: 5 + x * x * (80 * x * x - 60),
        between(-1, 1),
    ),
    elementwise(
        "logistic iterates", logistic_iterates, slope_of_logistic_iterates, between(0.1, 0.9)
    ),
)

# Steep or fast: the length over which the function turns is far below the size of its input.
STEEP = (
    elementwise(
        "sin(10x)", lambda x: torch.sin(10 * x), lambda x: 10 * np.cos(10 * x), between(-1, 1)
    ),
    elementwise(
        "sin(100x)",
        lambda x: torch.sin(100 * x),
        lambda x: 100 * np.cos(100 * x),
        between(-0.05, 0.05),
    ),
    elementwise(
        "sin(100x) far",
        lambda x: torch.sin(100 * x),
        lambda x: 100 * np.cos(100 * x),
        between(-3, 3),
        dtypes=FULL,
    ),
    elementwise(
        "tanh(50x)",
        lambda x: torch.tanh(50 * x),
        lambda x: 50 * sech_squared(50 * x),
        between(-0.05, 0.05),
    ),
    elementwise(
        "tanh(50x) saturated",
        lambda x: torch.tanh(50 * x),
        lambda x: 50 * sech_squared(50 * x),
        either_side(0.5, 1),
    ),
    elementwise("log across scales", torch.log, lambda x: 1 / x, across_scales(1e-3, 1e3)),
)

FUNCTIONS: tuple[Known, ...] = (
    *TRIGONOMETRIC,
    *POWERS_AND_EXPONENTIALS,
    *ACTIVATIONS_AND_SPECIAL,
    *FORMULAS,
    *STEEP,
)
