"""Entries that are NaN or infinite: which of them speak against the kernel, and which are equal.

What the truth overflows to in the kernel's dtype is the truth, so infinities are compared with the
truth as the dtype rounds it. Where the yardstick is not finite either, the kernel is not blamed.
Entries that are not finite take no part in what is measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._backends.base import Array, Backend
from .._spaces.base import Space

Numbers = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Hole:
    """Entries of one kind: how many there are, and the first of them."""

    count: int
    place: int
    kernel: float
    truth: float
    yardstick: float | None


@dataclass(frozen=True, slots=True)
class Holes:
    """What is not finite: in the kernel though it should be, and what cannot be told."""

    broken: Hole | None
    unknown: Hole | None


def find_holes(space: Space, kernel: Array, truth: Array, yardstick: Array | None) -> Holes | None:
    """Return what is not finite in the kernel or in the truth, None where everything is."""
    backend = space.backend
    if backend.is_finite(kernel) and backend.is_finite(truth):
        return None
    rounded = backend.to_numpy(space.coordinates(space.assemble(truth)))
    found = backend.to_numpy(kernel)
    other = None if yardstick is None else backend.to_numpy(yardstick)
    is_equal = (found == rounded) | (np.isnan(found) & np.isnan(rounded))
    is_hole = ~(np.isfinite(found) & np.isfinite(rounded)) & ~is_equal
    is_broken = is_hole & np.isfinite(rounded)
    if other is not None:
        is_broken &= np.isfinite(other)
    return Holes(
        _first(is_broken, found, rounded, other),
        _first(is_hole & ~is_broken, found, rounded, other),
    )


def _first(
    mask: Numbers, kernel: Numbers, truth: Numbers, yardstick: Numbers | None
) -> Hole | None:
    if not mask.any():
        return None
    place = int(mask.argmax())
    other = None if yardstick is None else float(yardstick[place])
    return Hole(int(mask.sum()), place, float(kernel[place]), float(truth[place]), other)


class WithoutHoles(NamedTuple):
    """Kernel, truth and yardstick, all finite, and whether the yardstick had holes of its own."""

    kernel: Array
    truth: Array
    yardstick: Array | None
    is_yardstick_holed: bool


def filled(backend: Backend, kernel: Array, truth: Array, yardstick: Array | None) -> WithoutHoles:
    """Put 0 wherever kernel or truth is not finite, and the truth where the yardstick is not."""
    kept = backend.finite_mask(kernel) * backend.finite_mask(truth)
    kernel, truth = backend.where_finite(kernel) * kept, backend.where_finite(truth) * kept
    if yardstick is None:
        return WithoutHoles(kernel, truth, None, False)
    is_hole = 1 - backend.finite_mask(yardstick)
    yardstick = backend.where_finite(yardstick) * kept + truth * is_hole
    return WithoutHoles(kernel, truth, yardstick, backend.total(is_hole * kept) > 0)
