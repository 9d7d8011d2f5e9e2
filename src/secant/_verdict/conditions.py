"""Conditions on values that tell wrong entries from right ones: `x < 0`, `|x| > 1`.

A condition is named only where so many other choices of entries were possible that one which parts
values is no luck, fewer being enough for a number that branches are likely to ask about.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .evidence import Leaf, Numbers
from .picture import Flags

_UNLIKELY = 1000  # ways to choose as many entries
_UNLIKELY_AT_A_LANDMARK = 100
_LANDMARKS = (0.0, 1.0, -1.0)


@dataclass(frozen=True, slots=True)
class Threshold:
    """A condition on the numbers of a leaf: `x < 0`, `|x| > 1`."""

    path: str
    is_absolute: bool
    sign: str
    bound: str  # a short decimal

    @property
    def words(self) -> str:
        """The condition as the user would write it."""
        name = f"|{self.path}|" if self.is_absolute else self.path
        return f"{name} {self.sign} {self.bound}"

    @property
    def is_likely(self) -> bool:
        """Say whether branches are likely to ask about that number."""
        return float(self.bound) in _LANDMARKS

    def holds(self, values: Numbers) -> Flags:
        """Say where it holds."""
        numbers = abs(values) if self.is_absolute else values
        flags: Flags = numbers < float(self.bound)
        return flags if self.sign == "<" else numbers > float(self.bound)


def threshold(flags: Numbers, values: Numbers, path: str) -> Threshold | None:
    """Return the condition that exactly the flagged values meet, where that is no luck."""
    count, total = int(flags.sum()), flags.size
    if not 0 < count < total or not np.isfinite(values).all():
        return None
    ways = math.comb(total, count)
    for is_absolute in (False, True):
        numbers = np.abs(values) if is_absolute else values
        for sign, low, high in _sides(flags, numbers):
            for landmark in _LANDMARKS:
                found = Threshold(path, is_absolute, sign, f"{landmark:g}")
                if ways >= _UNLIKELY_AT_A_LANDMARK and np.array_equal(found.holds(values), flags):
                    return found
            if ways >= _UNLIKELY:
                return Threshold(path, is_absolute, sign, _between(low, high))
    return None


def _sides(flags: Numbers, numbers: Numbers) -> Iterator[tuple[str, float, float]]:
    """Yield the side on which all flagged numbers lie, and the gap that parts them."""
    inside, outside = numbers[flags], numbers[~flags]
    if inside.max() < outside.min():
        yield "<", float(inside.max()), float(outside.min())
    if inside.min() > outside.max():
        yield ">", float(outside.max()), float(inside.min())


def _between(low: float, high: float) -> str:
    """Spell the shortest decimal between two numbers."""
    for digits in range(1, 17):
        middle = f"{(low + high) / 2:.{digits}g}"
        if low <= float(middle) <= high:
            return middle
    return f"{low:g}"


def real_leaves(leaf: Leaf) -> list[Leaf]:
    """Return a leaf as numbers that can be compared: itself, or its real and imaginary part."""
    if not leaf.is_complex:
        return [leaf]
    return [
        Leaf(f"{leaf.path}.real", leaf.values.real),
        Leaf(f"{leaf.path}.imag", leaf.values.imag),
    ]


def is_sorted(leaf: Leaf) -> bool:
    """Say whether values rise or fall with the index, so that one cannot be told from the other."""
    if leaf.is_complex:
        return False
    steps = np.diff(leaf.values.reshape(-1))
    return bool((steps >= 0).all() or (steps <= 0).all())
