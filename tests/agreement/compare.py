"""Torch's recorded word and secant's, side by side.

Takes questions one by one, and gives a `Comparison`: counts, the differences that are not listed,
and the listed ones that were not met.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from agreement.checkers import Verdict, judge_with_secant
from agreement.differences import Difference, Known, Listed
from agreement.questions import Asked
from agreement.record import Record, is_skipped

__all__ = ["Comparison", "compare"]


@dataclass
class Comparison:
    """What came out so far."""

    record: Record
    known: Known
    differences: list[Difference] = field(default_factory=list)  # not listed
    counts: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)
    seen: set[tuple[str, str, str, str]] = field(default_factory=set)

    def unused(self) -> list[Listed]:
        """Entries of the list that something seen here should have needed, and did not."""
        return self.known.unused(self.seen)


def compare(
    question: Asked,
    modes: Iterable[str],
    comparison: Comparison,
    judge: Callable[[Asked, str], Verdict] = judge_with_secant,
) -> None:
    """Ask secant in every mode, and add the answers to the comparison."""
    place = question.place
    expected = comparison.record.word(question)
    for mode in modes:
        comparison.seen.add((place.operator, place.dtype, place.question, mode))
        if is_skipped(expected):
            outcome = "skipped"
        else:
            verdict = judge(question, mode)
            difference = Difference(place, mode, expected, verdict.word, verdict.reason)
            if verdict.word == expected:
                outcome = "agree"
            elif comparison.known.explains(difference):
                outcome = "known"
            else:
                outcome = "differ"
                comparison.differences.append(difference)
        comparison.counts[place.dtype, place.question, mode, outcome] += 1
