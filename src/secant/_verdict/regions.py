"""Regions of a leaf that mistakes are made in, as flags, and how sure a sample makes a count.

A region's flags broadcast to the leaf's shape, so that a row of a large matrix takes no more memory
than its index. Where only a sample is known, a region is a suspicion; it is tested by probes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .picture import Flags, Picture, picture_of, picture_of_parts, planes

_RHYTHMS = (2, 3, 4, 5, 6, 7, 8, 10, 16, 32, 64, 100, 128, 256, 512, 1000, 1024)
_LEAST = 3
_LARGEST_PLANE = 1 << 22


Positions = Callable[[int, int], Sequence[int]]
"""What gives some different numbers below a size, at random."""


@dataclass(frozen=True, slots=True)
class Region:
    """Some entries of a leaf, by their indices."""

    flags: Flags  # broadcasts to the leaf's shape
    shape: tuple[int, ...]
    is_complex: bool = False  # the last axis holds (real, imaginary)

    condition: ClassVar[None] = None  # on values, where indices do not say what it is

    @property
    def mask(self) -> Flags:
        """What restricts a direction to it."""
        return self.flags

    @property
    def rest(self) -> Flags:
        """What restricts a direction to everything else."""
        return ~self.flags

    @property
    def is_plain(self) -> bool:
        """Say whether it can be said which indices it has; not where it is all there is."""
        return self.picture is not None

    @property
    def picture(self) -> Picture | None:
        """The region's indices, None where there are no plain ones.

        Along dimensions that do not matter two indices speak for all.
        """
        sizes = zip(self.flags.shape, self.shape, strict=True)
        shape = tuple(size if own > 1 else min(size, 2) for own, size in sizes)
        flags = np.broadcast_to(self.flags, shape)
        found = (picture_of_parts if self.is_complex else picture_of)(flags)
        is_whole = shape == self.shape
        return None if found is not None and found.is_flat and not is_whole else found

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

    def some(self, count: int, positions: Positions, *, is_inside: bool = True) -> list[int]:
        """Return up to so many flat places in it, or outside it, at random."""
        chosen = np.flatnonzero(self.flags == is_inside)
        if not chosen.size:
            return []
        repeats = math.prod(self.shape) // self.flags.size
        numbers = np.asarray(positions(chosen.size * repeats, count))
        own = np.unravel_index(chosen[numbers // repeats], self.flags.shape)
        free = [k if one == 1 else 1 for k, one in zip(self.shape, self.flags.shape, strict=True)]
        other = np.unravel_index(numbers % repeats, free)
        places = [a + b for a, b in zip(own, other, strict=True)]
        answer: list[int] = np.ravel_multi_index(places, self.shape).tolist()
        return answer


def box(
    shape: tuple[int, ...], bounds: Sequence[tuple[int, int]], *, is_complex: bool = False
) -> Region:
    """Return the entries whose index lies in [low, high) along each dimension."""
    flags = np.ones((1,) * len(shape), dtype=bool)
    for axis, (low, high) in enumerate(bounds):
        if (low, high) != (0, shape[axis]):
            index = np.arange(shape[axis])
            flags = flags & along((index >= low) & (index < high), axis, len(shape))
    return Region(flags, shape, is_complex)


def along(flags: Flags, axis: int, dimensions: int) -> Flags:
    """Return flags along one dimension of several."""
    shape = [1] * dimensions
    shape[axis] = flags.size
    return flags.reshape(shape)


def suspected_regions(
    shape: tuple[int, ...], places: Sequence[int], is_wrong: Sequence[bool], *, is_complex: bool
) -> Iterator[Region]:
    """Yield the regions that hold all wrong places of a sample and none of the right ones."""
    wrong = np.unravel_index(np.asarray(places)[np.asarray(is_wrong, dtype=bool)], shape)
    for flags in _named(shape, wrong):
        region = Region(flags, shape, is_complex)
        if np.array_equal(region.holds(places), is_wrong):
            yield region


def _named(shape: tuple[int, ...], wrong: Sequence[np.ndarray]) -> Iterator[Flags]:
    """Yield sets of indices that have a name; `wrong` are indices along each dimension."""
    dimensions = len(shape)
    for axis, size in enumerate(shape):
        index = np.arange(size)
        if size >= _LEAST:
            yield along((index == 0) | (index == size - 1), axis, dimensions)
        for gap in _RHYTHMS:
            starts = np.unique(wrong[axis] % gap)
            if size >= _LEAST * gap and starts.size == 1:
                yield along(index % gap == starts[0], axis, dimensions)
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
