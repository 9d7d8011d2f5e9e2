"""Functions with kinks or jumps, at points half a unit or more away from them."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F

from .base import (
    ALL,
    VECTORS,
    Array,
    Known,
    Sampler,
    Shape,
    Slope,
    either_side,
    elementwise,
)


def off_the_kinks(*kinks: float) -> Sampler:
    """Draw from (-3, 3), at least half a unit from every kink."""

    def sample(generator: np.random.Generator, shape: Shape) -> Array:
        x = generator.uniform(-3, 3, (64, *shape))
        distance = np.min([np.abs(x - kink) for kink in kinks], axis=0)
        first = np.argmax(distance > 0.5, axis=0)  # rejection: the first of 64 that qualifies
        return np.asarray(np.take_along_axis(x, first[None], axis=0)[0])

    return sample


def one_stands_out(generator: np.random.Generator, shape: Shape) -> Array:
    """Draw from (-1, 1), then raise one entry by 2."""
    x = generator.uniform(-1, 1, shape)
    x.flat[generator.integers(x.size)] = generator.uniform(2, 3)
    return x


def well_separated(generator: np.random.Generator, shape: Shape) -> Array:
    """Draw a shuffled ladder whose rungs are half a unit or more apart."""
    rungs = np.arange(np.prod(shape)) + generator.uniform(-0.25, 0.25, shape)
    return generator.permutation(rungs - rungs.mean())


def where_positive(above: float | Slope, below: float | Slope) -> Slope:
    """The slope `above` where x > 0, else `below`."""

    def slope(x: Array) -> Array:
        right = above(x) if callable(above) else above
        left = below(x) if callable(below) else below
        return np.where(x > 0, right, left)

    return slope


def inside(low: float, high: float) -> Slope:
    """The slope 1 where low < x < high, else 0."""
    return lambda x: ((low < x) & (x < high)).astype(np.float64)


def outside(low: float, high: float) -> Slope:
    """The slope 0 where low < x < high, else 1."""
    return lambda x: 1 - inside(low, high)(x)


def hinge(x: torch.Tensor) -> torch.Tensor:
    """x² to the right of zero, -x/4 to the left."""
    return torch.where(x > 0, x * x, -x / 4)


def sorted_values(x: torch.Tensor) -> torch.Tensor:
    """The entries in ascending order."""
    return torch.sort(x).values


def median(x: torch.Tensor) -> torch.Tensor:
    """The lower median, as torch has it."""
    return torch.median(x)


def derivative_of_median(x: Array, u: Array) -> Array:
    """The direction at the entry that is the lower median."""
    return np.asarray(u[np.argsort(x)[(x.size - 1) // 2]])


def derivative_of_maximum(x: Array, u: Array) -> Array:
    """The direction at the largest entry."""
    return np.asarray(u[np.argmax(x)])


def derivative_of_sort(x: Array, u: Array) -> Array:
    """The direction, in the order of x."""
    return u[np.argsort(x)]


def smooth_l1(x: torch.Tensor) -> torch.Tensor:
    """x²/2 within one of zero, |x| - 1/2 beyond."""
    return F.smooth_l1_loss(x, torch.zeros_like(x), reduction="none")


ENTRYWISE = (
    ("relu", torch.relu, where_positive(1, 0), (0,)),
    ("abs", torch.abs, np.sign, (0,)),
    ("leaky_relu", lambda x: F.leaky_relu(x, 0.125), where_positive(1, 0.125), (0,)),
    ("elu", F.elu, where_positive(1, np.exp), (0,)),
    ("clamp", lambda x: torch.clamp(x, -1, 1), inside(-1, 1), (-1, 1)),
    ("relu6", lambda x: F.relu6(4 * x), lambda x: 4 * inside(0, 1.5)(x), (0, 1.5)),
    ("softshrink", lambda x: F.softshrink(x, 1), outside(-1, 1), (-1, 1)),
    ("hardshrink", lambda x: F.hardshrink(x, 1), outside(-1, 1), (-1, 1)),
    ("smooth_l1", smooth_l1, lambda x: np.clip(x, -1, 1), (-1, 1)),
    ("hinge", hinge, where_positive(lambda x: 2 * x, -0.25), (0,)),
    ("maximum", lambda x: torch.maximum(x, torch.sin(x)), where_positive(1, np.cos), (0,)),
    ("floor", lambda x: torch.floor(x / 2), np.zeros_like, (-2, 0, 2)),
)

FUNCTIONS: tuple[Known, ...] = (
    *(
        elementwise(name, function, slope, off_the_kinks(*kinks), family="piecewise")
        for name, function, slope, kinks in ENTRYWISE
    ),
    elementwise(
        "|x|³",
        lambda x: torch.abs(x) ** 3,
        lambda x: 3 * x * np.abs(x),
        either_side(0.5, 3),
        family="piecewise",
    ),
    Known("amax", torch.amax, derivative_of_maximum, one_stands_out, ALL, "piecewise", VECTORS),
    Known(
        "sort",
        sorted_values,
        derivative_of_sort,
        well_separated,
        ALL,
        "piecewise",
        ((3,), (10,), (64,)),
    ),
    Known(
        "median",
        median,
        derivative_of_median,
        well_separated,
        ALL,
        "piecewise",
        ((3,), (10,), (64,)),
    ),
)
