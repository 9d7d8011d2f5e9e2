"""Calls of existing checks, as they travel between processes, and the table that sums them up.

Imports neither secant nor a framework: words and numbers are enough.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .interception import CHECKS

PASSES, FAILS, RAISES = "passes", "fails", "raises"
_WIDEST = 300  # characters of what is said about one disagreement


@dataclass(frozen=True)
class Word:
    """What one checker said about a call."""

    outcome: str
    said: str
    seconds: float
    undecided: str = ""  # why secant could not tell
    classes: tuple[str, ...] = ()  # of what was raised

    @property
    def is_caught(self) -> bool:
        """Whether a gradient was called wrong."""
        return self.outcome == FAILS

    def agrees(self, other: Word) -> bool:
        """Say whether a test would not tell the two apart by the class of what it gets."""
        if RAISES in (self.outcome, other.outcome):
            kin = self.classes[:1] and self.classes[0] in other.classes
            kin = kin or (other.classes[:1] and other.classes[0] in self.classes)
            return self.outcome == other.outcome and bool(kin)
        return self.outcome == other.outcome


@dataclass(frozen=True)
class Sabotage:
    """What both said when every claim was made too large."""

    original: Word
    secant: Word

    @property
    def caught(self) -> str:
        """Who noticed."""
        names = ("both", "original alone", "secant alone", "neither")
        return names[2 * (not self.original.is_caught) + (not self.secant.is_caught)]


@dataclass
class Call:
    """One call of a check: where, and what was said about it."""

    check: str
    place: str
    secant: Word
    original: Word | None = None
    sabotage: Sabotage | None = None

    @property
    def are_passing(self) -> bool:
        """Whether both accept the gradient."""
        return self.original is not None and (
            self.original.outcome == self.secant.outcome == PASSES
        )

    @property
    def is_agreed(self) -> bool:
        """Whether both say the same."""
        return self.original is None or self.secant.agrees(self.original)

    @property
    def reason(self) -> str:
        """Why they differ, in the words of who objects."""
        words = [self.secant] if self.original is None else [self.secant, self.original]
        said = [word.said for word in words if word.said]
        said += [f"undecided: {self.secant.undecided}"] if self.secant.undecided else []
        line = " / original: ".join(said) if len(words) == len(said) == 2 else "; ".join(said)
        return line if len(line) <= _WIDEST else f"{line[: _WIDEST - 1]}…"

    def fields(self) -> dict[str, Any]:
        """Return what JSON can carry."""
        return asdict(self)


def call_of(fields: Mapping[str, Any]) -> Call:
    """Return the call that such fields describe."""
    sabotage = fields["sabotage"]
    return Call(
        fields["check"],
        fields["place"],
        _word_of(fields["secant"]),
        None if fields["original"] is None else _word_of(fields["original"]),
        None
        if sabotage is None
        else Sabotage(_word_of(sabotage["original"]), _word_of(sabotage["secant"])),
    )


def _word_of(fields: Mapping[str, Any]) -> Word:
    return Word(**{**fields, "classes": tuple(fields["classes"])})


# -- the table -------------------------------------------------------------------------------------


def table(calls: Sequence[tuple[str, Call]], factor: float | None) -> Iterator[str]:
    """Yield the lines that a run ends with; each call comes with its test."""
    if not calls:
        yield "no check was called"
        return
    compared = [call for _, call in calls if call.original is not None]
    yield from _counts([call for _, call in calls], is_comparison=bool(compared))
    if compared:
        yield from _listed(
            "disagreements",
            [(test, call, _words(call)) for test, call in calls if not call.is_agreed],
        )
    yield from _listed(
        "undecided by secant, which then decides as the original would",
        [
            (test, call, call.secant.undecided)
            for test, call in calls
            if call.secant.undecided and call.is_agreed
        ],
        most=10,
    )
    if factor is not None:
        yield from _caught(calls, factor)


def _words(call: Call) -> str:
    original = call.original.outcome if call.original is not None else ""
    return f"original {original}, secant {call.secant.outcome}: {call.reason}"


def _counts(calls: Sequence[Call], *, is_comparison: bool) -> Iterator[str]:
    if is_comparison:
        header = ["", "calls", "agreed", "differ", "original, s", "secant, s"]
    else:
        header = ["", "calls", PASSES, FAILS, RAISES, "secant, s"]
    names = [name for name in CHECKS if any(call.check == name for call in calls)]
    rows = [header]
    for name in (*names, *(["in all"] if len(names) > 1 else [])):
        own = [call for call in calls if name in (call.check, "in all")]
        seconds = f"{sum(call.secant.seconds for call in own):.2f}"
        if is_comparison:
            agreed = sum(call.is_agreed for call in own)
            theirs = sum(call.original.seconds for call in own if call.original is not None)
            numbers = [str(agreed), str(len(own) - agreed), f"{theirs:.2f}", seconds]
        else:
            counted = Counter(call.secant.outcome for call in own)
            numbers = [*(str(counted[one]) for one in (PASSES, FAILS, RAISES)), seconds]
        public = CHECKS[name].public if name in CHECKS else name
        rows.append([public, str(len(own)), *numbers])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = [text.rjust(width) for text, width in zip(others, widths[1:], strict=True)]
        yield "  ".join([first.ljust(widths[0]), *cells])


def _listed(
    title: str, found: Sequence[tuple[str, Call, str]], most: int | None = None
) -> Iterator[str]:
    """Yield places with what is said there; a place that says the same again is counted."""
    if not found:
        return
    yield ""
    yield f"{title}:"
    places: dict[tuple[str, str, str], list[str]] = {}
    for test, call, words in found:
        places.setdefault((call.place, call.check, words), []).append(test)
    for (place, check, words), tests in list(places.items())[:most]:
        more = f" and {len(tests) - 1} more" if len(tests) > 1 else ""
        yield f"  {place}  {check}  {tests[0]}{more}"
        yield f"    {words}"
    if most is not None and len(places) > most:
        yield f"  and at {len(places) - most} more places"


def _caught(calls: Sequence[tuple[str, Call]], factor: float) -> Iterator[str]:
    spoilt = [(test, call) for test, call in calls if call.sabotage is not None]
    counted = Counter(call.sabotage.caught for _, call in spoilt if call.sabotage is not None)
    yield ""
    yield (
        f"claims times {factor:g}, where both had passed, {len(spoilt)} "
        f"call{'' if len(spoilt) == 1 else 's'}: caught by both "
        f"{counted['both']}, by the original alone {counted['original alone']}, "
        f"by secant alone {counted['secant alone']}, by neither {counted['neither']}"
    )
    for who in ("original alone", "secant alone"):
        yield from _listed(
            f"caught by {who}",
            [
                (test, call, _slept(call.sabotage))
                for test, call in spoilt
                if call.sabotage is not None and call.sabotage.caught == who
            ],
        )


def _slept(sabotage: Sabotage) -> str:
    caught, other = sabotage.original, sabotage.secant
    if not caught.is_caught:
        caught, other = other, caught
    said = other.said or other.undecided
    return f"{caught.said} / the other {other.outcome}{f': {said}' if said else ''}"
