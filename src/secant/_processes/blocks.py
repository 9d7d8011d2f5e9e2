"""Blocks that processes lay side by side, cut up and exchange: where they end up if that is wrong.

Each function takes a direction w of one leaf and returns directions u of leaves such that a
gradient G in which blocks are misplaced has ⟨G, w⟩ = Σ ⟨right gradient of a leaf, its u⟩; or None,
where the shape does not allow that mistake. `mates` are the leaves of all ranks, of one shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Vector = np.ndarray[Any, np.dtype[np.float64]]
Along = dict[int, Vector]


def joined_otherwise(
    leaf: int, direction: Vector, shape: tuple[int, ...], count: int, ours: int, theirs: int
) -> Along | None:
    """Blocks of the leaf's own gradient are joined along `theirs` that belong along `ours`."""
    if shape[ours] % count:
        return None
    places = np.arange(direction.size).reshape(shape)
    joined = np.concatenate(np.split(places, count, axis=ours), axis=theirs).ravel()
    if np.array_equal(joined, places.ravel()):
        return None
    moved = np.zeros_like(direction)
    moved[joined] = direction
    return {leaf: moved}


def cut_otherwise(
    leaf: int,
    mates: Sequence[int],
    direction: Vector,
    shape: tuple[int, ...],
    ours: int,
    theirs: int,
) -> Along | None:
    """The gradient of all ranks' leaves together is cut along `theirs` instead of `ours`."""
    count = len(mates)
    if count < 2 or shape[theirs] % count:
        return None
    whole = np.zeros([n * count if axis == ours else n for axis, n in enumerate(shape)])
    mine = np.split(whole, count, axis=theirs)[mates.index(leaf)]  # a view
    mine[...] = direction.reshape(mine.shape)
    cut = np.split(whole, count, axis=ours)
    return {mate: block.ravel().copy() for mate, block in zip(mates, cut, strict=True)}


def not_exchanged(
    leaf: int, mates: Sequence[int], direction: Vector, shape: tuple[int, ...], axis: int
) -> Along | None:
    """Blocks that the ranks have exchanged stay where they were received."""
    count = len(mates)
    if count < 2 or shape[axis] % count:
        return None
    here = mates.index(leaf)
    along = {}
    for other, block in zip(mates, np.split(direction.reshape(shape), count, axis), strict=True):
        moved = np.zeros(shape)
        np.split(moved, count, axis)[here][...] = block
        along[other] = moved.ravel()
    return along
