"""Functions of each entry whose inputs, offsets or hidden noise have an awkward size.

*offset*: the output is far larger than what moves; *large* and *tiny*: the inputs are;
*hidden*: the arithmetic inside is coarser than the output's size and dtype let on;
*constant*: nothing moves, the derivative is zero.
"""

from __future__ import annotations

import numpy as np
import torch

from .base import (
    ALL,
    FULL,
    WIDE,
    Array,
    Function,
    Known,
    Sampler,
    Slope,
    across_scales,
    between,
    either_side,
    elementwise,
)

LARGE = either_side(5e4, 2e5)
LARGE_POSITIVE = between(5e4, 2e5)
LARGE_HALF = between(4e3, 1.6e4)  # float16 ends at 65504
TINY = either_side(5e-7, 2e-6)
TINY_POSITIVE = between(5e-7, 2e-6)
TINY_HALF = either_side(1e-3, 4e-3)  # float16 is subnormal below 6.1e-5
HALF = (torch.float16,)
DOUBLE = (torch.float64,)


def named(
    family: str,
    name: str,
    function: Function,
    slope: Slope,
    sample: Sampler,
    dtypes: tuple[torch.dtype, ...] = ALL,
) -> Known:
    """An elementwise function of one of this file's families, which its name begins with."""
    return elementwise(f"{family}: {name}", function, slope, sample, dtypes=dtypes, family=family)


def zero(x: Array) -> Array:
    """The slope of a constant."""
    return np.zeros_like(x)


def one(x: Array) -> Array:
    """The slope of the identity."""
    return np.ones_like(x)


def minus_square(x: Array) -> Array:
    """The slope of the reciprocal."""
    return -1 / (x * x)


def half_over_root(x: Array) -> Array:
    """The slope of the square root."""
    return 0.5 / np.sqrt(x)


CONSTANTS = (
    named("constant", "3", lambda x: torch.full_like(x, 3), zero, between(-3, 3)),
    named("constant", "0·x", lambda x: 0 * x, zero, between(-3, 3)),
    named("constant", "x-x+1e4", lambda x: x - x + 1e4, zero, between(-3, 3)),
    named("constant", "sign", torch.sign, zero, either_side(0.5, 3)),
)

OFFSETS = (
    named("offset", "1e6+sin(x)", lambda x: 1e6 + torch.sin(x), np.cos, between(-3, 3), WIDE),
    named("offset", "1e6+x²", lambda x: 1e6 + x * x, lambda x: 2 * x, between(-3, 3), WIDE),
    named("offset", "1000+sin(x)", lambda x: 1000 + torch.sin(x), np.cos, between(-3, 3)),
    named(
        "offset", "100-exp(x)", lambda x: 100 - torch.exp(x), lambda x: -np.exp(x), between(0, 3)
    ),
    named(
        "offset",
        "32768·sin(x)",
        lambda x: 32768 * torch.sin(x),
        lambda x: 32768 * np.cos(x),
        between(-3, 3),
    ),
    named(
        "offset",
        "sin(x)/1024",
        lambda x: torch.sin(x) / 1024,
        lambda x: np.cos(x) / 1024,
        between(-3, 3),
    ),
)

LARGE_INPUTS = (
    named("large", "x", lambda x: 1 * x, one, LARGE, WIDE),
    named("large", "x²", lambda x: x * x, lambda x: 2 * x, LARGE, WIDE),
    named("large", "sqrt", torch.sqrt, half_over_root, LARGE_POSITIVE, WIDE),
    named("large", "log", torch.log, lambda x: 1 / x, LARGE_POSITIVE, WIDE),
    named("large", "reciprocal", torch.reciprocal, minus_square, LARGE, WIDE),
    named(
        "large",
        "sin(x/65536)",
        lambda x: torch.sin(x / 65536),
        lambda x: np.cos(x / 65536) / 65536,
        LARGE,
        WIDE,
    ),
    named("large", "sin", torch.sin, np.cos, LARGE, DOUBLE),
    named("large", "sqrt in float16", torch.sqrt, half_over_root, LARGE_HALF, HALF),
    named("large", "log in float16", torch.log, lambda x: 1 / x, LARGE_HALF, HALF),
)

TINY_INPUTS = (
    named("tiny", "sin", torch.sin, np.cos, TINY, WIDE),
    named("tiny", "exp", torch.exp, np.exp, TINY, WIDE),
    named("tiny", "expm1", torch.expm1, np.exp, TINY, WIDE),
    named("tiny", "log", torch.log, lambda x: 1 / x, TINY_POSITIVE, WIDE),
    named("tiny", "sqrt", torch.sqrt, half_over_root, TINY_POSITIVE, WIDE),
    named("tiny", "x²", lambda x: x * x, lambda x: 2 * x, TINY, WIDE),
    named("tiny", "reciprocal", torch.reciprocal, minus_square, TINY, WIDE),
    named(
        "tiny",
        "tanh(1048576x)",
        lambda x: torch.tanh(1048576 * x),
        lambda x: 1048576 / np.cosh(1048576 * x) ** 2,
        TINY,
        WIDE,
    ),
    named("tiny", "sin in float16", torch.sin, np.cos, TINY_HALF, HALF),
    named("tiny", "log1p in float16", torch.log1p, lambda x: 1 / (1 + x), TINY_HALF, HALF),
    named("tiny", "sqrt across scales", torch.sqrt, half_over_root, across_scales(1e-6, 1), WIDE),
)

HIDDEN = (
    named("hidden", "sin(x)+16-16", lambda x: (torch.sin(x) + 16) - 16, np.cos, between(-3, 3)),
    named(
        "hidden",
        "sin(x)+4096-4096",
        lambda x: (torch.sin(x) + 4096) - 4096,
        np.cos,
        between(-3, 3),
        FULL,
    ),
    named(
        "hidden",
        "sin in float32",
        lambda x: torch.sin(x.float()).to(x.dtype),
        np.cos,
        between(-3, 3),
        DOUBLE,
    ),
    named(
        "hidden",
        "exp in bfloat16",
        lambda x: torch.exp(x.bfloat16()).to(x.dtype),
        np.exp,
        between(-2, 2),
        FULL,
    ),
)

FUNCTIONS: tuple[Known, ...] = (
    *CONSTANTS,
    *OFFSETS,
    *LARGE_INPUTS,
    *TINY_INPUTS,
    *HIDDEN,
)
