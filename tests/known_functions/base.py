"""What a known function is, and how the points at which it is asked are drawn.

Takes nothing from secant. Gives `Known`, the samplers, and `elementwise`, which turns a slope
f'(x) into the derivative J(x) u = f'(x) u. Every constant inside a known function is exact in
bfloat16 (a short binary fraction) or only adds, so that all dtypes compute the same function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray

Array = NDArray[np.float64]
Shape = tuple[int, ...]
Function = Callable[[torch.Tensor], torch.Tensor]
Derivative = Callable[[Array, Array], Array]
Slope = Callable[[Array], Array]
Sampler = Callable[[np.random.Generator, Shape], Array]

ALL = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
WIDE = (torch.float64, torch.float32, torch.bfloat16)  # the exponents of float32 or more
FULL = (torch.float64, torch.float32)  # full precision: what LAPACK computes in

VECTORS: tuple[Shape, ...] = ((3,), (10,), (64,), (500,))
ENTRIES: tuple[Shape, ...] = ((), *VECTORS)


@dataclass(frozen=True)
class Known:
    """A function whose derivative is known: `derivative(x, u)` is J(x) u, in float64."""

    name: str
    function: Function
    derivative: Derivative
    sample: Sampler
    dtypes: tuple[torch.dtype, ...]
    family: str
    shapes: tuple[Shape, ...]


def elementwise(
    name: str,
    function: Function,
    slope: Slope,
    sample: Sampler,
    *,
    dtypes: tuple[torch.dtype, ...] = ALL,
    family: str = "elementwise",
) -> Known:
    """A function of each entry by itself: J(x) u = f'(x) u."""

    def derivative(x: Array, u: Array) -> Array:
        return slope(x) * u

    return Known(name, function, returning_array(derivative), sample, dtypes, family, ENTRIES)


def returning_array(derivative: Derivative) -> Derivative:
    """Undo NumPy's habit of turning arrays without axes into scalars."""
    return lambda x, u: np.asarray(derivative(x, u))


def between(low: float, high: float) -> Sampler:
    """Draw uniformly from [low, high)."""

    def sample(generator: np.random.Generator, shape: Shape) -> Array:
        return np.asarray(generator.uniform(low, high, shape))

    return sample


def either_side(low: float, high: float) -> Sampler:
    """Draw magnitudes from [low, high), with random signs: never near zero."""

    def sample(generator: np.random.Generator, shape: Shape) -> Array:
        return np.asarray(generator.uniform(low, high, shape) * generator.choice((-1, 1), shape))

    return sample


def across_scales(low: float, high: float) -> Sampler:
    """Draw so that the logarithm is uniform: small and large entries side by side."""

    def sample(generator: np.random.Generator, shape: Shape) -> Array:
        return np.asarray(np.exp(generator.uniform(np.log(low), np.log(high), shape)))

    return sample


def near_identity(scale: float, spread: float) -> Sampler:
    """Draw square matrices scale · I + noise: well conditioned where the spread is small."""

    def sample(generator: np.random.Generator, shape: Shape) -> Array:
        return scale * np.eye(shape[0]) + generator.uniform(-spread, spread, shape)

    return sample


@lru_cache
def exact_matrix(rows: int, columns: int) -> Array:
    """A fixed matrix of eighths in [-1, 1], which every dtype holds exactly."""
    generator = np.random.default_rng((rows, columns))
    return np.asarray(generator.integers(-8, 9, (rows, columns)) / 8)


def exact_weights(rows: int, columns: int, like: torch.Tensor) -> torch.Tensor:
    """`exact_matrix` as a tensor of the dtype of `like`."""
    return torch.from_numpy(exact_matrix(rows, columns)).to(like.dtype)
