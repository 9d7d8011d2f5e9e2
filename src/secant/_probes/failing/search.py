"""A search for what is wrong in a leaf that is too large to be compared whole.

A few random columns say whether errors are many or few. Many are expected to fill a region: its
bounds are found by asking about slabs, other regions by trying those that fit the sample. Few are
found one by one by bisection, until nothing more is wrong, or they are seen to fill a region.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ..._verdict.conditions import real_leaves
from ..._verdict.evidence import Leaf
from ..._verdict.regions import Region, box, suspected_regions
from ..question import Asker, Question
from .bisect import SearchEnds, Searchlight, bounds_of, find_in, what_is_left
from .columns import is_column_wrong, looks_wrong, wrong_columns
from .gather import scene_of
from .outputs import wrong_outputs

_SAMPLE = 16
_MORE = 48  # columns, where no region tells how many are wrong
_MANY = 3  # wrong columns of the first sample: more than that few errors would show
_MOST_FOUND = 10
_MOST_MISSES = 10
_SUSPICIOUS = 3  # entries found one by one, after which a region is looked for
_INSIDE = 8  # columns of a region, all of which must be wrong
_OUTSIDE = 4  # columns beside it, all of which must be right
_LENIENT = (
    1e-3  # what is forgiven of a slope, above which sums of many do not tell right from wrong
)
_CROWDED = 0.25  # the share of a leaf in which entries that fill a region are expected


class Search:
    """One search through one leaf: what has been asked, and what was found."""

    def __init__(self, asker: Asker, failed: Question) -> None:
        problem = asker.examination.problem
        self.asker, self.failed = asker, failed
        self.space = problem.domain.parts[failed.part]
        shape = self.space.shape
        self.is_complex = 2 * math.prod(shape) == self.space.size and self.space.size > 0
        self.grid = (*shape, 2) if self.is_complex else shape
        self.light = Searchlight(asker, failed)
        self.sampled: dict[int, bool] = {}  # columns chosen at random, and which are wrong
        self.asked: dict[int, bool] = {}  # all columns looked at by themselves
        self.unclear: set[int] = set()  # those of which nothing can be said
        self.found: list[int] = []  # wrong ones that were searched for
        self.region: Region | None = None  # of the input, wrong throughout
        self.outputs: Region | None = None  # of the output, where the input's tells nothing
        self.is_complete = False  # nothing beside what was found is wrong
        self.is_few = False
        self.is_live_elsewhere = True  # something matters beside the region
        self._mask = np.ones(self.space.size)

    @property
    def path(self) -> str:
        """The input's path."""
        return self.asker.examination.problem.domain.path(self.failed.part)

    @property
    def leaf(self) -> Leaf:
        """The input, with what it holds at the point."""
        return scene_of(self.asker.examination, self.failed.part, self.failed.output).input

    @property
    def path_of_output(self) -> str:
        """The output's path."""
        return self.asker.examination.problem.codomain.path(self.failed.output)

    def run(self) -> None:
        """Search until what is wrong is known, or the budget is spent."""
        try:
            self.light.residual = self.light.shine(self._mask)[0]
            self._sample(_SAMPLE)
            is_many = sum(self.sampled.values()) >= _MANY
            self.is_few = not is_many
            if self.is_few:
                self._find_one_by_one()
            else:
                self.region = self._find_region()
            if self.region is None and not self.is_few:
                self._sample(_MORE)
                self.region = None if self.is_lenient else self._fitting()
            is_told = self.is_few or (self.region is not None and self.region.words is not None)
            if not is_told and not self.is_lenient:
                self.outputs = wrong_outputs(self.light)
        except SearchEnds:
            pass

    def wrong_places(self) -> list[int]:
        """Return the coordinates that were seen to be wrong."""
        seen = [place for place, is_wrong in self.asked.items() if is_wrong]
        return list(dict.fromkeys([*self.found, *seen]))

    def count_in(self, region: Region) -> int:
        """Return how many columns of a region were seen to be wrong."""
        return int(region.holds(self.wrong_places()).sum())

    def _sample(self, count: int) -> None:
        """Look at so many more columns, chosen at random."""
        chosen = self.asker.examination.directions.positions(self.space.size, count)
        new = [place for place in chosen if place not in self.sampled]
        self._look_at(new)
        self.sampled.update((place, self.asked[place]) for place in new if place in self.asked)

    def _look_at(self, places: Sequence[int]) -> list[bool]:
        """Look at some columns by themselves; say which are wrong, of those that can be told."""
        new = [k for k in places if k not in self.asked and k not in self.unclear]
        for place, answer in zip(new, wrong_columns(self.asker, self.failed, new), strict=True):
            if answer is None:
                self.unclear.add(place)
            else:
                self.asked[place] = answer
        return [self.asked[place] for place in places if place in self.asked]

    # -- few -------------------------------------------------------------------------------------

    def _find_one_by_one(self) -> None:
        """Find wrong coordinates one after the other, each hidden once found."""
        for place in self.wrong_places():
            self._hide(place, is_wrong=True)
        misses = 0
        while misses < _MOST_MISSES:
            residual = what_is_left(self.light, self._mask)
            if residual is None:
                self.is_complete = True
                return
            if len(self.found) >= _MOST_FOUND:
                break
            place = find_in(self.light, self._mask, residual)
            is_wrong = self._is_wrong(place)
            self._hide(place, is_wrong=is_wrong)
            misses += not is_wrong
            if is_wrong and len(self.found) in (_SUSPICIOUS, _MOST_FOUND) and self._is_crowded():
                self.region = self._find_region()
                if self.region is not None:
                    self.is_few = False
                    return
        self.is_few = len(self.found) < _MOST_FOUND

    def _is_wrong(self, place: int) -> bool:
        """Judge a column that bisection has led to: not excused, it is wrong or unclear."""
        answer = is_column_wrong(self.asker, self.light.question, place)
        if answer is None:
            answer = looks_wrong(self.asker, self.light.question, place)
            if not answer:
                self.unclear.add(place)
        return answer

    def _hide(self, place: int, *, is_wrong: bool) -> None:
        self._mask[place] = 0.0
        self.asked[place] = is_wrong
        if is_wrong:
            self.found.append(place)

    def _is_crowded(self) -> bool:
        """Say whether what was found lies so close together, or so regularly, as regions do."""
        indices = np.array(np.unravel_index(self.found, self.grid))
        spans = np.ptp(indices, axis=1) + 1
        if math.prod(spans.tolist()) <= _CROWDED * self.space.size:
            return True
        return any(True for _ in self._suspected())

    # -- regions ---------------------------------------------------------------------------------

    def _find_region(self) -> Region | None:
        """Return a region that is wrong throughout, with nothing wrong elsewhere, or None."""
        if not self.grid or self.is_lenient:
            return None
        bounds = bounds_of(self.grid, self.light.is_right)
        boxed = box(self.grid, bounds, is_complex=self.is_complex)
        beside = list(self._beside(bounds))
        if not any(self._look_at(beside)) and self._is_wrong_throughout(boxed):
            is_all = boxed.count == self.space.size
            return boxed if is_all or self._is_right_outside(boxed) else None
        return self._fitting()

    @property
    def is_lenient(self) -> bool:
        """Say whether so much is forgiven that a slab that is wrong may look right by luck."""
        tolerance = self.asker.examination.tolerance(self.failed.part, self.failed.output)
        return tolerance.rtol > _LENIENT

    def _fitting(self) -> Region | None:
        """Return the first of the suspected regions that stands up to questions."""
        for region in self._suspected():
            if self._is_right_outside(region) and self._is_wrong_throughout(region):
                return region
        return None

    def _beside(self, bounds: Sequence[tuple[int, int]]) -> Iterator[int]:
        """Yield columns just outside a box: what is weak in a slab shows in a column."""
        for axis, (low, high) in enumerate(bounds):
            for index in (low - 1, high):
                if 0 <= index < self.grid[axis]:
                    for _ in range(2):
                        place = [
                            self._any_of(*(within if k != axis else (index, index + 1)))
                            for k, within in enumerate(bounds)
                        ]
                        yield int(np.ravel_multi_index(place, self.grid))

    def _any_of(self, low: int, high: int) -> int:
        (offset,) = self.asker.examination.directions.positions(high - low, 1)
        return low + offset

    def _suspected(self) -> Iterator[Region]:
        """Yield regions that fit every column that was looked at."""
        places = list(self.asked)
        if sum(self.asked.values()) < _SUSPICIOUS:
            return
        scene = scene_of(self.asker.examination, self.failed.part, self.failed.output)
        alike = [leaf for leaf in (scene.input, *scene.others) if leaf.shape == scene.input.shape]
        leaves = [real for leaf in alike for real in real_leaves(leaf)]
        yield from suspected_regions(self.grid, places, [self.asked[k] for k in places], leaves)

    def _is_wrong_throughout(self, region: Region) -> bool:
        inside = np.flatnonzero(region.whole)
        if not inside.size:
            return False
        chosen = self.asker.examination.directions.positions(inside.size, _INSIDE)
        asked = np.array(list(self.asked), dtype=int)
        places = asked[region.holds(asked)].tolist()
        answers = self._look_at([*inside[chosen].tolist(), *places])
        return all(answers) and 2 * len(answers) >= len(chosen)

    def _is_right_outside(self, region: Region) -> bool:
        outside = np.flatnonzero(~region.whole)
        chosen = self.asker.examination.directions.positions(outside.size, _OUTSIDE)
        if any(self._look_at(outside[chosen].tolist())):
            return False
        mask = ~region.whole
        if not (self.light.is_right(mask) and self.light.is_right_afresh(mask)):
            return False
        self.is_live_elsewhere = self.light.is_live(mask)
        return True
