"""A search for what is wrong in a leaf that is too large to be compared whole.

A few random columns say whether errors are many or few. Many are expected to fill a region: its
bounds are found by asking about slabs, other regions by trying those that fit the sample. Few are
found one by one by bisection, until nothing more is wrong, or they are seen to fill a region.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ..._verdict.regions import Region, box, suspected_regions
from ..asking.question import Mode, Question
from .bisect import MaskedQuestion, SearchEnds, bounds_of, find_in, what_is_left, without
from .columns import ColumnReader, reader_of
from .conditions import ValueRegion, suspected_conditions
from .measured import SHARP
from .outputs import has_few_wrong_outputs, wrong_outputs

_SAMPLE = 7
_MORE = 48  # columns, where no region tells how many are wrong
_FEW_MORE = 8  # of leaves that are small
_SMALL = 1 << 9
_MANY = 2  # wrong columns of the first sample: more than few errors would show
_MOST_FOUND = 10
_ENOUGH_FOUND = 5  # where they tell no region: as many as are shown
_MOST_MISSES = 10
_SUSPICIOUS = 3  # entries found one by one, after which a region is looked for
_INSIDE = 8  # columns of a region, all of which must be wrong
_OUTSIDE = 4  # columns beside it, all of which must be right
_UNCOUNTED = 1e-3  # what is forgiven of a slope, above which wrong columns may be called right
_CROWDED = 0.25  # the share of a leaf in which entries that fill a region are expected


class Search:
    """One search through one leaf: what has been asked, and what was found."""

    def __init__(self, mode: Mode, failed: Question) -> None:
        problem = mode.examination.problem
        self.mode, self.failed = mode, failed
        self.space = problem.domain.parts[failed.part]
        shape = self.space.shape
        self.is_complex = 2 * math.prod(shape) == self.space.size and self.space.size > 0
        self.grid = (*shape, 2) if self.is_complex else shape
        self.light = MaskedQuestion(mode, failed)
        self.reader = reader_of(mode, failed)
        self.sampled: dict[int, bool] = {}  # columns chosen at random, and which are wrong
        self.drawn: list[int] = []  # chosen at random before, and measured
        self.asked: dict[int, bool] = {}  # all columns looked at by themselves
        self.unclear: set[int] = set()  # those of which nothing can be said
        self.found: list[int] = []  # wrong ones that were searched for
        self.region: Region | ValueRegion | None = None  # of the input, wrong throughout
        self.outputs: Region | None = None  # of the output, where the input's tells nothing
        self.is_complete = False  # nothing beside what was found is wrong
        self.is_few = False
        self.is_live_elsewhere = True  # something matters beside the region
        self._off = 0.0  # what the failed question is off by
        self._hidden: list[int] = []  # looked at, and left out of the directions asked along

    @property
    def path(self) -> str:
        """The input's path."""
        return self.mode.examination.problem.domain.path(self.failed.part)

    @property
    def path_of_output(self) -> str:
        """The output's path."""
        return self.mode.examination.problem.codomain.path(self.failed.output)

    def run(self) -> None:
        """Search until what is wrong is known, or the budget is spent."""
        try:
            self.light.residual = self._off = self._residual()
            if not has_few_wrong_outputs(self.reader, -self.light.residual):
                self._sample(_SAMPLE)
            self.is_few = sum(self.sampled.values()) < _MANY
            if self.is_few:
                self._find_one_by_one()
            else:
                self.region = self._find_region()
            is_told = self.is_few or (self.region is not None and self.region.is_plain)
            if not is_told and not self.is_lenient:
                self.outputs = wrong_outputs(self.reader)  # which takes pulls alone
            if self.region is None and self.outputs is None and not self.is_few:
                self._sample_more()
        except SearchEnds:
            pass

    def _residual(self) -> float:
        """Return what the failed question is off by."""
        along, backend = self.reader.measured.along, self.mode.examination.backend
        if along is None:
            return self.light.shine(self.failed.direction)[0]
        return backend.dot(along.values, self.failed.weights) - self.failed.claimed

    def explains_all(self) -> bool:
        """Say whether what was found makes all that the failed question is off by."""
        rest = without(self.light, self.failed.direction, self.found)
        left = self.reader.seen_along(self.mode.ask_along(self.failed, rest), self._off, self.found)
        return left is not None and abs(left[0]) <= SHARP * abs(self._off)

    def wrong_places(self) -> list[int]:
        """Return the coordinates that were seen to be wrong."""
        seen = [place for place, is_wrong in self.asked.items() if is_wrong]
        return list(dict.fromkeys([*self.found, *seen]))

    def count_in(self, region: Region | ValueRegion) -> int:
        """Return how many columns of a region were seen to be wrong."""
        return int(region.holds(self.wrong_places()).sum())

    def _sample(self, count: int) -> None:
        """Look at so many more columns, chosen at random."""
        positions = self.mode.examination.directions.positions
        chosen = self.drawn[:count] or positions(self.space.size, count)
        self.drawn = []
        new = [place for place in chosen if place not in self.sampled]
        self._look_at(new)
        self.sampled.update((place, self.asked[place]) for place in new if place in self.asked)

    def _sample_more(self) -> None:
        """Look at more columns until a region fits them; where all are wrong, half will do.

        Where no region can be told, and no number, there need only be some to show.
        """
        if not self.can_count:
            self._sample(_FEW_MORE if len(self.wrong_places()) < _ENOUGH_FOUND else 0)
            return
        for _ in range(2):
            self._sample((_MORE if self.space.size > _SMALL else _FEW_MORE) // 2)
            self.region = self._fitting()
            right = len(self.asked) - sum(self.asked.values())
            if self.region is not None or right < _SUSPICIOUS:
                return

    def _look_at(self, places: Sequence[int]) -> list[bool]:
        """Look at some columns by themselves; say which are wrong, of those that can be told."""
        new = [k for k in places if k not in self.asked and k not in self.unclear]
        for place, answer in zip(new, self.reader.are_wrong(new), strict=True):
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
        residual: float | None = None if self._hidden else self.light.residual
        misses = 0
        while misses < _MOST_MISSES:
            if residual is None:
                residual = what_is_left(self.light, self._hidden, self.reader)
            if residual is None:
                self.is_complete = True
                return
            if len(self.found) >= (_ENOUGH_FOUND if self.is_lenient else _MOST_FOUND):
                break
            place = self._one_that_contributes(residual, is_guessed=not misses)
            is_wrong = self._is_wrong(place)
            self._hide(place, is_wrong=is_wrong)
            misses, residual = misses + (not is_wrong), None
            if is_wrong and len(self.found) in (_SUSPICIOUS, _MOST_FOUND) and self._is_crowded():
                self.region = self._find_region()
                if self.region is not None:
                    self.is_few = False
                    return
        self.is_few = self.is_lenient or len(self.found) < _MOST_FOUND

    def _one_that_contributes(self, residual: float, *, is_guessed: bool) -> int:
        """Return a coordinate that is wrong, or among those that are; a guess takes less."""
        one = self.light.question
        reader = self.reader if one is self.failed else ColumnReader(self.mode, one)
        return find_in(self.light, residual, reader if is_guessed else None)

    def _is_wrong(self, place: int) -> bool:
        """Judge a column that bisection has led to: not excused, it is wrong or unclear."""
        sight = self.reader.sight(place)
        if sight.is_wrong and not sight.is_bent:
            return self.reader.is_beyond(place)
        answer = self.reader.is_wrong(place)
        if answer is None:
            answer = sight.is_wrong
            if not answer:
                self.unclear.add(place)
        return answer

    def _hide(self, place: int, *, is_wrong: bool) -> None:
        self._hidden.append(place)
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

    def _find_region(self) -> Region | ValueRegion | None:
        """Return a region that is wrong throughout, with nothing wrong elsewhere, or None."""
        if not self.grid or self.is_lenient:
            return None
        everything = [(0, size) for size in self.grid]
        if all(self.sampled.values()) and len(self.sampled) >= _SAMPLE:
            ends = [(k, end) for k, size in enumerate(self.grid) for end in (0, size - 1)]
            places = [self._any_in(everything, axis, index) for axis, index in ends]
            if self.space.size > _SMALL:
                positions = self.mode.examination.directions.positions
                places += positions(self.space.size, _INSIDE)
            if all(self._look_at(places)):
                return box(self.grid, everything, is_complex=self.is_complex)
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
        forgiven = self._rtol * self.failed.yardstick.terms
        return forgiven > 0 and not self.light.is_clear(self.light.residual, forgiven)

    @property
    def can_count(self) -> bool:
        """Say whether a column that is called right is right, not only off by what is forgiven."""
        return self._rtol <= _UNCOUNTED and not self.is_lenient

    @property
    def _rtol(self) -> float:
        failed = self.failed
        return self.mode.examination.tolerance(failed.part, failed.output).rtol

    def _fitting(self) -> Region | ValueRegion | None:
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
                        yield self._any_in(bounds, axis, index)

    def _any_in(self, bounds: Sequence[tuple[int, int]], axis: int, index: int) -> int:
        """Return a place at random in a box, but for one dimension at an index of it."""
        positions = self.mode.examination.directions.positions
        place = [
            index if k == axis else low + positions(high - low, 1)[0]
            for k, (low, high) in enumerate(bounds)
        ]
        return int(np.ravel_multi_index(place, self.grid))

    def _suspected(self) -> Iterator[Region | ValueRegion]:
        """Yield regions that fit every column that was looked at."""
        places, answers = list(self.asked), list(self.asked.values())
        if sum(answers) < _SUSPICIOUS:
            return
        yield from suspected_regions(self.grid, places, answers, is_complex=self.is_complex)
        yield from suspected_conditions(
            self.mode.examination, self.failed.part, places, answers, is_complex=self.is_complex
        )

    def _is_wrong_throughout(self, region: Region | ValueRegion) -> bool:
        """Say whether a region is wrong wherever chance, and not a search, has looked."""
        if region.holds(list(self.sampled)).sum() < _INSIDE:
            chosen = region.some(_INSIDE, self.mode.examination.directions.positions)
            if 2 * len(self._look_at(chosen)) < max(len(chosen), 1):
                return False  # most cannot be told
        asked = region.holds(list(self.asked))
        return all(
            is_wrong for is_wrong, held in zip(self.asked.values(), asked, strict=True) if held
        )

    def _is_right_outside(self, region: Region | ValueRegion) -> bool:
        positions = self.mode.examination.directions.positions
        if any(self._look_at(region.some(_OUTSIDE, positions, is_inside=False))):
            return False
        if not (self.light.is_right(region.rest) and self.light.is_right_afresh(region.rest)):
            return False
        self.is_live_elsewhere = self.light.is_live(region.rest)
        return True
