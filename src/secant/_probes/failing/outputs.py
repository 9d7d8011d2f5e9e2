"""Which outputs a claim is wrong about, where inputs tell nothing: slabs of the cotangent asked."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..._verdict.regions import Region, box
from .bisect import Searchlight, bounds_of

_INSIDE = 6  # outputs of a region, all of which must be wrong
_BESIDE = 2


def wrong_outputs(light: Searchlight) -> Region | None:
    """Return the box of outputs that the claim is wrong about, None where it is all, or unclear."""
    examination = light.examination
    space = examination.problem.codomain.parts[light.question.output]
    shape = space.shape
    is_complex = space.size == 2 * math.prod(shape)
    grid = (*shape, 2) if is_complex else shape
    bounds = bounds_of(grid, light.is_right_for_outputs)
    region = box(grid, bounds, is_complex=is_complex)
    if region.count == space.size:
        return None
    inside = np.flatnonzero(region.whole)
    chosen = inside[examination.directions.positions(inside.size, _INSIDE)].tolist()
    if any(_is_right(light, place) for place in chosen):
        return None
    if not all(_is_right(light, place) for place in _beside(grid, bounds)):
        return None
    return region if light.is_right_for_outputs(~region.whole) else None


def _beside(grid: tuple[int, ...], bounds: Sequence[tuple[int, int]]) -> list[int]:
    """Return outputs just outside a box, along each dimension."""
    places = []
    for axis, (low, high) in enumerate(bounds):
        for index in (low - 1, high):
            if 0 <= index < grid[axis]:
                corner = [within[0] for within in bounds]
                corner[axis] = index
                places.append(int(np.ravel_multi_index(corner, grid)))
    return places[: _BESIDE * len(grid)]


def _is_right(light: Searchlight, place: int) -> bool:
    size = light.examination.problem.codomain.parts[light.question.output].size
    mask = np.zeros(size)
    mask[place] = 1.0
    return light.is_right_for_outputs(mask)
