"""Regions of a leaf that mistakes are made in, as flags, and how sure a sample makes a count.

A region's flags broadcast to the leaf's shape, so that a row of a large matrix takes no more memory
than its index. Where only a sample is known, a region is a suspicion; it is tested by probes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .conditions import threshold
from .evidence import Leaf
from .picture import Flags, Picture, picture_of, picture_of_parts, planes

_RHYTHMS = (2, 3, 4, 8)
_LEAST = 3
_LARGEST_PLANE = 1 << 22


@dataclass(frozen=True, slots=True)
class Region:
    """Some entries of a leaf."""

    flags: Flags  # broadcasts to the leaf's shape
    shape: tuple[int, ...]
    said: str | None = None  # in words, where indices do not say it
    is_complex: bool = False  # the last axis holds (real, imaginary)

    @property
    def whole(self) -> Flags:
        """The flags in the leaf's own shape."""
        flags: Flags = np.broadcast_to(self.flags, self.shape)
        return flags

    @property
    def words(self) -> str | None:
        """The region in words, None where it is all there is, or hard to put."""
        if self.said is not None:
            return self.said
        return None if self.picture is None else self.picture.words

    @property
    def picture(self) -> Picture | None:
        """The region's indices in words, None where there are no plain ones."""
        return (picture_of_parts if self.is_complex else picture_of)(self.whole)

    @property
    def count(self) -> int:
        """How many entries it has."""
        repeats = math.prod(self.shape) // max(self.flags.size, 1)
        return int(self.flags.sum()) * repeats

    @property
    def is_one_part(self) -> bool:
        """Say whether it is the real or the imaginary part of everything."""
        return self.is_complex and self.flags.size == 2 and not self.is_all

    @property
    def is_all(self) -> bool:
        """Say whether it is the whole leaf."""
        return bool(self.flags.all())

    def holds(self, places: Sequence[int] | np.ndarray) -> Flags:
        """Say which of some flat places lie in it."""
        indices = np.unravel_index(np.asarray(places, dtype=int), self.shape)
        own = tuple(
            index if size > 1 else np.zeros_like(index)
            for index, size in zip(indices, self.flags.shape, strict=True)
        )
        flags: Flags = self.flags[own]
        return flags


def box(
    shape: tuple[int, ...], bounds: Sequence[tuple[int, int]], *, is_complex: bool = False
) -> Region:
    """Return the entries whose index lies in [low, high) along each dimension."""
    flags = np.ones((1,) * len(shape), dtype=bool)
    for axis, (low, high) in enumerate(bounds):
        if (low, high) != (0, shape[axis]):
            index = np.arange(shape[axis])
            flags = flags & _along((index >= low) & (index < high), axis, len(shape))
    return Region(flags, shape, is_complex=is_complex)


def _along(flags: Flags, axis: int, dimensions: int) -> Flags:
    shape = [1] * dimensions
    shape[axis] = flags.size
    return flags.reshape(shape)


def suspected_regions(
    shape: tuple[int, ...],
    places: Sequence[int],
    is_wrong: Sequence[bool],
    leaves: Sequence[Leaf],
) -> Iterator[Region]:
    """Yield the regions that hold all wrong places of a sample and none of the right ones.

    `leaves` are those that a branch may look at; they lack the last axis where entries are complex.
    """
    wrong = np.asarray(is_wrong, dtype=bool)
    for flags in _named(shape):
        region = Region(flags, shape)
        if np.array_equal(region.holds(places), wrong):
            yield region
    for leaf in leaves:
        values = leaf.values.reshape(leaf.shape + (1,) * (len(shape) - len(leaf.shape)))
        asked = np.broadcast_to(values, shape).reshape(-1)[list(places)]
        found = threshold(wrong, asked, leaf.path)
        if found is not None:
            yield Region(found.holds(values), shape, f"where {found.words}")


def _named(shape: tuple[int, ...]) -> Iterator[Flags]:
    dimensions = len(shape)
    for axis, size in enumerate(shape):
        index = np.arange(size)
        if size >= _LEAST:
            yield _along((index == 0) | (index == size - 1), axis, dimensions)
        for gap in _RHYTHMS:
            for start in range(gap if size >= _LEAST * gap else 0):
                yield _along(index % gap == start, axis, dimensions)
    for one, other in reversed(list(itertools.combinations(range(dimensions), 2))):
        plane = shape[one], shape[other]
        if min(plane) < _LEAST or math.prod(plane) > _LARGEST_PLANE:
            continue
        full = [shape[axis] if axis in (one, other) else 1 for axis in range(dimensions)]
        for _, flags in planes(plane):
            yield flags.reshape(full)


def interval(hits: int, asked: int, level: float = 0.95) -> tuple[float, float]:
    """Return the shares between which the true one lies, after Clopper and Pearson.

    >>> low, high = interval(8, 16)
    >>> round(low, 2), round(high, 2)
    (0.25, 0.75)
    """
    tail = (1 - level) / 2
    low = 0.0 if not hits else _solve(lambda p: _at_least(hits, asked, p) - tail)
    high = 1.0 if hits == asked else _solve(lambda p: tail - _at_least(asked - hits, asked, 1 - p))
    return low, high


def _at_least(hits: int, asked: int, share: float) -> float:
    return math.fsum(
        math.comb(asked, k) * share**k * (1 - share) ** (asked - k) for k in range(hits, asked + 1)
    )


def _solve(rising: Callable[[float], float]) -> float:
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return (low + high) / 2
