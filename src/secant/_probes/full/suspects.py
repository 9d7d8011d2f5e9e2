"""Suspect entries of a Jacobian: asked again without batching, worst first, before any blame."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..._constants import COARSE, KAPPA, LEAST_WEIGHT, SLIGHT
from ..._findings import Entry, Evidence, Verdict
from ..._judge.judge import doubted, held, judge
from ..._judge.yardstick import Tolerance, Yardstick
from ..._measure.difference import Reading
from ..._measure.estimate import Estimate
from ..._measure.noise import expected_bar
from ..._measure.steps import Range
from ..._words import slopes
from ..._words.reason import Reason
from ..asking.columns import Matrix
from ..asking.question import Mode, Question
from ..base import Examination, Judged
from ..closer.bends import beyond_bends
from ..closer.look import look_closer
from ..closer.rounding import beyond_rounding

_MOST_ENTRIES = 10
_OTHER_STEPS = 0.7  # of the steps before: no power of two, so that no number repeats
_MOST_COLUMNS = 256  # suspects looked at one by one before the probe gives up


@dataclass(slots=True)
class FullPair:
    """One pair of leaves, judged entry by entry."""

    output: int
    part: int
    claimed: Matrix  # (outputs, inputs)
    looked: list[Evidence] = field(default_factory=list)  # at what, closer, and what was seen
    unlooked: int = 0  # suspect columns that were not
    has_ties: bool = False  # inputs that tie claim what they cannot together
    is_forgiven: bool = False  # the user has said how far off an entry may be
    entries: list[Entry] = field(default_factory=list)
    wrong: int = 0
    total: int = 0
    resolution: float | None = 0.0
    coarseness: float = 0.0  # the promise beside the gradient's size, for the weakest entry
    measured: Matrix | None = None  # where the budget allows
    error: Matrix | None = None
    whole: Callable[[], tuple[Matrix, Matrix, Matrix]] | None = None  # or makes all three of them
    in_sums: bool = False  # sums of all columns have confirmed it: no batch was measured
    longer: dict[int, float] = field(default_factory=dict)  # steps than the first, by column
    notes: list[Reason] = field(default_factory=list)
    has_holes: bool = False  # the claim is not finite everywhere
    has_moved: bool = False  # some entry, at first sight
    kinked: set[int] = field(default_factory=set)  # columns along which some output has a kink
    tolerance: Tolerance | None = None  # what an entry is held against at first sight
    trend: Judged | None = None  # a look along all columns, where one was asked for
    mix: Matrix | None = None  # cotangents, where outputs are too many to be pulled one by one

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """What was noticed, each once."""
        return tuple(dict.fromkeys(self.notes))

    @property
    def evidence(self) -> Evidence:
        """What is known of all entries; of columns looked at, the first that is as grave as any."""
        facts = {
            "unlooked": float(self.unlooked),
            "coarseness": self.coarseness,
            "is_forgiven": float(self.is_forgiven),
            "has_ties": float(self.has_ties),
        }
        by_verdict = {judge(one): one for one in reversed(self.looked)}
        return Evidence("entries", facts, tuple(by_verdict.values()))

    def judged(self, reading: Reading | None = None) -> Judged:
        """Return what is known of all entries, beside a reading of their sum."""
        notes, resolution = self.reasons, self.resolution
        return Judged(self.evidence, reading, notes=notes, resolution=resolution)

    @property
    def verdict(self) -> Verdict:
        """What the judge says of all entries."""
        return judge(self.evidence)


@dataclass(frozen=True, slots=True)
class Suspect:
    """An entry that disagrees or cannot be judged, at first sight."""

    row: int
    column: int
    residual: float
    severity: float  # residual over what its bar allows
    entry: tuple[float, float, float]  # claimed, measured, error
    expected: float  # what it may be expected to be, by the others of its row


def settle(
    mode: Mode, pair: FullPair, suspects: list[Suspect], blamed: int | None = None
) -> int | None:
    """Look at suspect columns unbatched, worst first, until one is wrong or all are right.

    Takes the column that was blamed for another output, whose line has been walked already and is
    asked first; gives the one that is blamed for this one.
    """
    examination = mode.examination
    by_column: dict[int, list[Suspect]] = {}
    for suspect in sorted(suspects, key=lambda one: (one.column != blamed, -one.severity)):
        by_column.setdefault(suspect.column, []).append(suspect)
    cleared: set[int] = set()
    for count, (column, group) in enumerate(by_column.items()):
        if count >= _MOST_COLUMNS or examination.is_over_budget():
            pair.unlooked = len(by_column) - count
            pair.notes.append(slopes.NOT_LOOKED_AT(count=pair.unlooked))
            break
        one, closer = _look_at_column(mode, pair, column, group)
        if closer.verdict is Verdict.FAIL and column in pair.kinked and not closer.is_at_kink:
            # a choice among several slopes, made for another output, may show in this one
            notes = (slopes.BESIDE_KINK(),)
            closer = replace(closer, evidence=doubted(closer.evidence), notes=notes)
        if closer.verdict is Verdict.FAIL:
            closer = _on_the_whole(mode, pair, closer)
        if closer.verdict is Verdict.FAIL and one.yardstick.roundoff <= COARSE:  # else forgiven
            closer = beyond_rounding(mode, one, closer)
        pair.looked.append(closer.evidence)
        pair.notes += closer.notes
        if closer.verdict is Verdict.FAIL:
            suspects, blamed = _with_reading(suspects, group, closer), column
            break
        if closer.verdict is Verdict.PASS:
            cleared.add(column)
            if pair.resolution is not None and closer.resolution is not None:
                pair.resolution = max(pair.resolution, closer.resolution)
    if pair.verdict is Verdict.FAIL and pair.mix is None:
        blame(examination, pair, [one for one in suspects if one.column not in cleared])
    return blamed


def _on_the_whole(mode: Mode, pair: FullPair, closer: Judged) -> Judged:
    """Let a column that is off by little be judged by the trend along all of them, if there is one.

    A function that is computed inexactly may jump nowhere along one of its inputs.
    """
    if closer.reading is None or abs(closer.reading.residual.value) > SLIGHT * closer.reading.slope:
        return closer
    if pair.trend is None:
        one = mode.ask_afresh(pair.part, pair.output)
        line = mode.examination.line(one.part, one.direction)
        pair.trend = look_closer(mode.examination, one.part, line, one.functional, one.yardstick)
        if pair.trend.reading is not None:
            promise = one.yardstick.resolution(pair.trend.reading)
            pair.trend = replace(pair.trend, resolution=promise)
    if pair.trend.evidence.rule != "trend":
        return closer
    evidence = Evidence("trend", {}, (closer.evidence, pair.trend.evidence.parts[1]))
    return closer if judge(evidence) is Verdict.FAIL else replace(pair.trend, evidence=evidence)


def blame(examination: Examination, pair: FullPair, suspects: Sequence[Suspect]) -> None:
    """Count the suspects of a pair that are wrong, and name the worst of them."""
    guilty = [one for one in suspects if _is_wrong(one)]
    pair.wrong = len(guilty)
    guilty.sort(key=lambda one: by_size(one.residual))
    pair.entries = [
        entry_at(examination, (pair.output, pair.part), (one.row, one.column), *one.entry)
        for one in guilty[:_MOST_ENTRIES]
    ]


def by_size(residual: float) -> float:
    """Return what sorts residuals, the largest first, and leaves those that are alike in order."""
    return -float(f"{residual:.5e}") if np.isfinite(residual) else -np.inf


def _is_wrong(suspect: Suspect) -> bool:
    """Say whether an entry not looked at any closer is one of the wrong ones."""
    claimed, _, error = suspect.entry
    return suspect.residual > KAPPA * error + 1e-12 * abs(claimed)


def _look_at_column(
    mode: Mode, pair: FullPair, column: int, group: Sequence[Suspect]
) -> tuple[Question, Judged]:
    """Ask one column again, unbatched, along a line, all its suspect outputs at once."""
    examination = mode.examination
    codomain = examination.problem.codomain.parts[pair.output]
    if pair.mix is not None:
        weights = examination.backend.vector(pair.mix[group[0].row].copy(), codomain.reference)
    else:
        mask = np.zeros(codomain.size)
        mask[[one.row for one in group]] = 1.0
        weights = examination.backend.vector(mask, codomain.reference)
        if len(group) > 1:
            weights = weights * examination.directions.draw(codomain)
    one = mode.ask(pair.part, pair.output, weights, examination.unit(pair.part, column))
    steps = examination.steps_of(pair.part, column)
    expected = math.hypot(*(each.expected for each in group))
    weight = 1.0 if len(group) == 1 and pair.mix is None else LEAST_WEIGHT**0.5
    closer = look_twice(examination, one, expected, steps, weight)
    return one, beyond_bends(mode, one, closer, steps)


def look_twice(
    examination: Examination, one: Question, expected: float, steps: Range, weight: float
) -> Judged:
    """Look closer at one column; blame it only if other steps say the same.

    Bars are held against what may be expected of it: what is nothing beside that may stay unknown.
    """
    line = examination.line(one.part, one.direction)
    functional = replace(one.functional, reach=steps.reach)
    own = replace(one.yardstick, size=functional.base / steps.longest)
    tolerance = examination.tolerance(one.part, one.output)
    least = expected_bar(one.functional.roundoff) * expected
    tolerance = replace(tolerance, atol=tolerance.atol + least)
    yardstick = replace(own, tolerance=tolerance, weight=weight)
    closer = look_closer(examination, one.part, line, functional, yardstick, steps=steps)
    if closer.verdict is Verdict.FAIL and not _is_overwhelming(closer, yardstick):
        again = look_closer(examination, one.part, line, functional, yardstick, _OTHER_STEPS, steps)
        both = Evidence("again", {}, (closer.evidence, again.evidence))
        closer = replace(closer if again.verdict is Verdict.FAIL else again, evidence=both)
    if closer.verdict is Verdict.INCONCLUSIVE and closer.reading is not None:
        whole = held(replace(yardstick, terms=max(own.terms, expected)), closer.reading)
        if judge(whole) is Verdict.PASS:
            return replace(closer, evidence=whole, notes=())
    if closer.verdict is Verdict.PASS and closer.reading is not None and closer.corner is None:
        return replace(closer, resolution=yardstick.resolution(closer.reading))
    return closer


def _is_overwhelming(closer: Judged, yardstick: Yardstick) -> bool:
    """Say whether a residual is so large that no other steps need be asked."""
    reading = closer.reading
    return reading is not None and abs(reading.residual.value) > 100 * yardstick.limit(reading)


def _with_reading(
    suspects: list[Suspect], group: Sequence[Suspect], closer: Judged
) -> list[Suspect]:
    """Give an entry that could not be measured at first sight what a closer look found of it."""
    if len(group) != 1 or closer.reading is None:
        return suspects
    if closer.reading.residual.error >= group[0].entry[2]:
        return suspects
    (one,), claimed, residual = group, group[0].entry[0], closer.reading.residual
    entry = claimed, claimed + residual.value, residual.error
    seen = replace(one, residual=abs(residual.value), entry=entry)
    return [seen if other is one else other for other in suspects]


def entry_at(
    examination: Examination, pair: tuple[int, int], place: tuple[int, int], *numbers: float
) -> Entry:
    """Return one entry of a pair (output, part) at a row and a column.

    Its numbers are what is claimed, what is measured, and the bar.
    """
    (output, part), (row, column), (claimed, measured, error) = pair, place, map(float, numbers)
    codomain, domain = examination.problem.codomain, examination.problem.domain
    labels = codomain.label(output, row), domain.label(part, column)
    return Entry(*labels, claimed, Estimate(measured, error), row, column)
