"""Which outputs a claim is wrong about, where inputs tell nothing: parts of the cotangent pulled.

What was measured along the failed question's direction once is held against all of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..._backends.base import Array
from ..._verdict.regions import Region, box
from .bisect import Mask, bounds_of, masked
from .columns import ColumnReader
from .halving import only_wrong_output
from .measured import Slopes

_INSIDE = 6  # outputs of a region, all of which must be wrong
_BESIDE = 2
_SAMPLE = 16
_CLEAR = 10.0


def has_few_wrong_outputs(reader: ColumnReader, residual: float) -> bool:
    """Say whether one is all that is wrong along the failed direction, or none of some at random.

    The one is noted.
    """
    space = reader.examination.problem.codomain.parts[reader.failed.output]
    if reader.measured.along is None or space.size < 2 * _SAMPLE:
        return False
    only = only_wrong_output(reader.mode, reader.failed, reader.measured.along.values, residual)
    if only is not None:
        reader.rows.append(only)
        return True
    places = reader.examination.directions.positions(space.size, _SAMPLE)
    return not any(
        _excess(reader, reader.measured.along, space.unit(place)) > _CLEAR for place in places
    )


def wrong_outputs(reader: ColumnReader) -> Region | None:
    """Return the box of outputs that the claim is wrong about, None where it is all, or unclear."""
    examination, slopes = reader.examination, reader.measured.along
    if slopes is None:
        return None
    space = examination.problem.codomain.parts[reader.failed.output]
    shape = space.shape
    is_complex = space.size == 2 * math.prod(shape)
    grid = (*shape, 2) if is_complex else shape

    def is_right(mask: Mask) -> bool:
        return _excess(reader, slopes, masked(reader.failed.weights, mask, space)) <= 1.0

    def is_output_right(place: int) -> bool:
        return _excess(reader, slopes, space.unit(place)) <= 1.0

    bounds = bounds_of(grid, is_right)
    region = box(grid, bounds, is_complex=is_complex)
    if region.is_all:
        return None
    if any(map(is_output_right, region.some(_INSIDE, examination.directions.positions))):
        return None
    if not all(map(is_output_right, _beside(grid, bounds))):
        return None
    return region if is_right(region.rest) else None


def _excess(reader: ColumnReader, slopes: Slopes, weights: Array) -> float:
    """Return how far off the claim about some outputs is, in units of what it may be."""
    backend, failed = reader.examination.backend, reader.failed
    one = reader.mode.ask(failed.part, failed.output, weights, failed.direction)
    residual = abs(one.claimed - backend.dot(slopes.values, weights))
    bar = backend.norm_of_product(slopes.bars, weights)
    limit = one.yardstick.tolerance.limit(bar, one.yardstick.terms)
    return residual / limit if limit else math.inf if residual else 0.0


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
