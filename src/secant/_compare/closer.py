"""A closer look at the arrays in which the kernel is beyond the limit, before it is blamed.

Was the truth one? Was the yardstick lucky? The first is asked once for every output, the second at
neighbouring points, until every ratio is excused or beyond all luck.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from .._errors import SecantError
from .._spaces.directions import generator
from .._words.comparisons import IGNORES_STRIDES
from .candidate import Candidate
from .draws import Cotangents, is_scattered, pull_truth, yardsticks_near
from .errors import UlpScale
from .neighbours import is_rounded_inside, neighbours, shaken
from .runs import Reference, Runs
from .settings import CompareSettings
from .side import Run, carry
from .yardstick import CHAIN, SummedErrors, cancelling

_BEYOND = 8.0  # times what luck may add: no further neighbours are asked
_FEWEST = 3  # of them, before that can be said


@dataclass(frozen=True, slots=True)
class SecondLook:
    """A second look at suspicious arrays: everything that a comparison has at hand."""

    runs: Runs
    reference: Reference
    leaves: Sequence[Any]
    cotangents: Cotangents
    settings: CompareSettings

    def settle(self, candidates: Sequence[Candidate]) -> list[str]:
        """Settle the yardsticks of these arrays; return what is to be noted."""
        limit = self.settings.limit
        for candidate in candidates:
            candidate.is_suspect = True
        notes = self._ask_for_truth(candidates)
        if self.runs.yardstick is not None:
            self._visit_neighbours(candidates)
        for candidate in candidates:
            candidate.is_alone = not candidate.near and _is_open(candidate, limit)
            is_suspicious = candidate.is_suspicious(limit)
            if is_suspicious and self._is_right_if_contiguous(candidate):
                candidate.cause = IGNORES_STRIDES()
            elif candidate.terms > CHAIN and not is_suspicious:
                notes.append(
                    f"{candidate.what} is no further off than sums of {candidate.terms:,.0f} terms "
                    "may be, in whatever order they are added up"
                )
        return notes

    def _visit_neighbours(self, candidates: Sequence[Candidate]) -> None:
        """Draw the yardstick again beside the point, for every array that this may excuse."""
        runs, reference, limit = self.runs, self.reference, self.settings.limit
        backend, random = runs.kernel.backend, generator(self.settings.seed)
        for near in neighbours(backend, self.leaves, reference.side.chosen, random):
            asked = [one for one in candidates if _is_open(one, limit)]
            if not asked:
                break
            try:
                yardstick = reference.yardstick(near)
                if not isinstance(yardstick, Run):
                    continue
                there = Runs(runs.kernel, reference.truth(near), yardstick)
                moved = shaken(reference.widened(near), reference.side, random)
                also = replace(there, yardstick=reference.side.run(moved, there.truth.context))
                for candidate, one, other in zip(
                    asked,
                    yardsticks_near(there, asked, self.cotangents),
                    yardsticks_near(also, asked, self.cotangents),
                    strict=True,
                ):
                    if one.size.is_finite() and other.size.is_finite():
                        factor = cancelling(candidate.chain)
                        candidate.near.append(one.or_larger(backend, other, factor))
            except SecantError:
                continue  # beyond a domain: another neighbour may be within

    def _is_right_if_contiguous(self, candidate: Candidate) -> bool:
        """Say whether the kernel is wrong only for a cotangent in a foreign layout."""
        every = enumerate(self.cotangents.of(candidate.output))
        drawn = [v for k, v in every if is_scattered(k)]
        if candidate.part is None or not drawn:
            return False
        found = self.runs.kernel.pull(candidate.output, drawn[0])[candidate.part]
        truth = pull_truth(self.runs, candidate.output, drawn[0])[candidate.part]
        ruler, again = UlpScale(candidate.space, truth), SummedErrors()
        again.add(ruler, ruler.error(found))
        allowed = candidate.level().allowed(self.settings.limit)
        return again.size.norm <= allowed.norm and again.size.worst <= allowed.worst

    def _ask_for_truth(self, candidates: Sequence[Candidate]) -> list[str]:
        """Take the yardstick away from outputs whose truth is rounded to a low dtype inside."""
        notes = []
        kernel, truth, side = self.runs.kernel, self.runs.truth, self.reference.side
        wide = self.reference.widened(self.leaves)
        roundoffs = [space.roundoff for space in kernel.problem.domain.parts]
        for place in dict.fromkeys(one.output for one in candidates if one.has_yardstick):
            v = carry(self.cotangents.of(place)[0], kernel, truth)
            if not is_rounded_inside(side, wide, roundoffs, truth, place, v):
                continue
            notes.append(
                f"{truth.path(place)} of the reference is rounded inside even if it runs in "
                "float64: its truth has no more digits than the kernel, and a modelled yardstick "
                "is used"
            )
            for candidate in candidates:
                if candidate.output == place:
                    candidate.has_yardstick = False
        return notes


def _is_open(candidate: Candidate, limit: float) -> bool:
    """Say whether more neighbours may change what is said about an array."""
    if not candidate.has_yardstick:
        return False
    norm, worst = candidate.held(limit)
    is_excused = norm.ratio <= limit and worst.ratio <= limit
    is_beyond = norm.ratio > _BEYOND * norm.limit or worst.ratio > _BEYOND * worst.limit
    return not is_excused and not (is_beyond and len(candidate.near) >= _FEWEST)
