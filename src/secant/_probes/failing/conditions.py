"""Regions of a leaf by what it, or a leaf beside it, holds there: `where x < 0`.

A condition is found from the entries that were looked at. What it holds for elsewhere is asked on
the device; no leaf is copied.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..._backends.base import Array
from ..._spaces.base import Space
from ..._verdict.conditions import Threshold, threshold
from ..._verdict.picture import Flags
from ..._verdict.regions import Positions
from ..base import Examination

_DRAWN = 16  # times as many places as are wanted


@dataclass(frozen=True)
class ValueRegion:
    """The entries of a leaf where a condition holds."""

    condition: Threshold
    numbers: Array  # that it is about, one for each entry
    width: int  # coordinates of the leaf for each of these numbers
    space: Space

    picture = None
    is_plain = True
    is_one_part = False

    @cached_property
    def mask(self) -> Array:
        """What restricts a direction to it."""
        flags = (self.condition.holds(self.numbers) * 1.0).reshape(-1, 1)
        ones = self.space.backend.vector(np.ones(self.width), self.space.reference)
        return (flags * ones).reshape(-1)

    @property
    def rest(self) -> Array:
        """What restricts a direction to everything else."""
        return 1.0 - self.mask

    @property
    def count(self) -> int:
        """How many entries it has."""
        return int(self.space.backend.total(self.mask))

    @property
    def is_all(self) -> bool:
        """Say whether it is the whole leaf."""
        return self.count == int(self.mask.shape[0])

    def holds(self, places: Sequence[int] | np.ndarray) -> Flags:
        """Say which of some flat places lie in it."""
        chosen = self.space.backend.select(self.numbers, [int(k) // self.width for k in places])
        flags: Flags = self.condition.holds(self.space.backend.to_numpy(chosen))
        return flags

    def some(self, count: int, positions: Positions, *, is_inside: bool = True) -> list[int]:
        """Return up to so many flat places in it, or outside it, at random."""
        drawn = np.asarray(positions(int(self.mask.shape[0]), _DRAWN * count))
        answer: list[int] = drawn[self.holds(drawn) == is_inside][:count].tolist()
        return answer


def suspected_conditions(
    examination: Examination,
    part: int,
    places: Sequence[int],
    is_wrong: Sequence[bool],
    *,
    is_complex: bool,
) -> Iterator[ValueRegion]:
    """Yield conditions that hold for the wrong places of a sample and for none of the right ones.

    They are about the leaf, or about one of its shape.
    """
    domain, backend = examination.problem.domain, examination.backend
    if domain.parts[part].unstored() is not None:
        return  # what is not stored is zero, and wrong for another reason
    wrong, width = np.asarray(is_wrong, dtype=bool), 2 if is_complex else 1
    entries = [place // width for place in places]
    alike = [k for k, space in enumerate(domain.parts) if space.shape == domain.parts[part].shape]
    for other in sorted(alike, key=lambda k: k != part):
        vector, path = examination.point(other), domain.path(other)
        parts = 2 * domain.parts[part].size // width == domain.parts[other].size
        for name, numbers in (
            ((".real", vector[0::2]), (".imag", vector[1::2])) if parts else (("", vector),)
        ):
            asked = backend.to_numpy(backend.select(numbers, entries))
            found = threshold(wrong, asked, path + name)
            if found is not None:
                yield ValueRegion(found, numbers, width, domain.parts[part])
