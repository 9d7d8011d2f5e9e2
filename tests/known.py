"""A library of functions whose derivative is known exactly, to test that error bars are honest.

Takes a seed; gives cases: a function, a point in the dtype torch is to compute in, and the true
J(x) u at that very point. The point is rounded to its dtype first and widened to float64 after,
so that the truth is the truth for the input the function receives. The functions themselves are
in `known_functions/`, one file per family; `test_known.py` holds their derivatives against
mpmath and against float64 autodiff.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from zlib import crc32

import numpy as np
import torch

from known_functions import algebra, compositions, elementwise, piecewise, reductions, scales
from known_functions.base import Array, Function, Known, Shape

__all__ = ["LIBRARY", "Case", "Known", "combinations"]

LIBRARY: tuple[Known, ...] = (
    *elementwise.FUNCTIONS,
    *scales.FUNCTIONS,
    *piecewise.FUNCTIONS,
    *reductions.FUNCTIONS,
    *algebra.FUNCTIONS,
    *compositions.FUNCTIONS,
)


@dataclass(frozen=True)
class Case:
    """One function at one point: `derivative(u)` is the true J(x) u at `x` as stored."""

    name: str
    function: Function
    x: torch.Tensor
    derivative: Callable[[Array], Array]
    family: str


def combinations(seed: int, *, points: int = 2) -> Iterator[Case]:
    """Every function × dtype × shape, at `points` points each; the seed decides the points."""
    for known in LIBRARY:
        for dtype in known.dtypes:
            for shape in known.shapes:
                generator = np.random.default_rng(stream(seed, known, dtype, shape))
                for point in range(points):
                    x = torch.from_numpy(known.sample(generator, shape)).to(dtype)
                    label = f"{known.name} | {str(dtype)[6:]} | {shape} | point {point}"
                    yield case(label, known, x)


def case(name: str, known: Known, x: torch.Tensor) -> Case:
    """Bind the truth to the point as its dtype holds it; widening to float64 is exact."""
    derivative = partial(known.derivative, x.double().numpy())
    return Case(name, known.function, x, derivative, known.family)


def stream(seed: int, known: Known, dtype: torch.dtype, shape: Shape) -> tuple[int, int]:
    """A generator's seed that depends on the names alone: a new function moves no old point."""
    return seed, crc32(f"{known.name} {dtype} {shape}".encode())
