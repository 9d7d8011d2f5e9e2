"""Slight residuals: sums that are off by more than their bar, yet by less than is forgiven.

A derivative whose constants were written down in single precision is off by 2⁻²⁴ everywhere, and
nobody calls it wrong. One wrong entry among thousands may shift a sum by no more than that. Halving
the sum, each time towards the half that is off by more, ends at an entry that weighs in it, after
O(log n) questions. If that one is forgiven, and with it the smallest and the largest of its row,
what is left is spread over so many that none is off by more than all of them together may be.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..._constants import FINE, LEAST_WEIGHT
from ..._findings import Entry, Evidence
from ..._judge.judge import held
from ..._measure.difference import Reading
from ..asking.question import Mode, Question
from ..base import Examination, Judged
from ..failing.bisect import MaskedQuestion, SearchEnds, find_in
from ..failing.columns import ColumnReader, read, reader_of
from ..failing.locate import locate
from ..failing.slight import readings_of

_ROUNDS = 4  # directions: a sum may be above its standard deviation by luck


@dataclass(frozen=True, slots=True)
class Weighed:
    """What the entries that weigh most in a residual say of it."""

    is_wrong: bool  # one of them is off by more than is forgiven to it
    resolution: float | None = (
        None  # the residual is slight, and no wrong entry above this is in it
    )


def is_slight(examination: Examination, one: Question, reading: Reading) -> bool:
    """Say whether a residual is within what its entries may be off by, all of them together."""
    error, terms = reading.residual.error, one.yardstick.terms
    return abs(reading.residual.value) <= _together(examination, one, error, terms)


def are_slight(examination: Examination, one: Question, evidence: Evidence) -> bool:
    """Say the same of every reading that evidence rests on: one sum may be small by luck."""
    return all(
        abs(facts["residual"]) <= _together(examination, one, facts["error"], facts["terms"])
        for facts in readings_of(evidence)
    )


def _together(examination: Examination, one: Question, error: float, terms: float) -> float:
    """Return what a sum is off by whose entries are off by what is forgiven to each, at random."""
    tolerance, backend = examination.tolerance(one.part, one.output), examination.backend
    relative = replace(tolerance, atol=0.0).limit(error, terms)
    if not tolerance.atol:
        return relative
    return relative + tolerance.atol * backend.norm(one.direction) * backend.norm(one.weights)


def weigh(mode: Mode, one: Question, reading: Reading) -> Weighed:
    """Look for a wrong entry; where none is found, ask until a direction's sum is slight."""
    examination = mode.examination
    if has_wrong_entry(mode, one):
        return Weighed(is_wrong=True)
    for attempt in range(_ROUNDS):
        if attempt:
            one = mode.ask_afresh(one.part, one.output)
            fresh = read(examination, one)
            if fresh is None:
                break
            reading = fresh
        if is_slight(examination, one, reading):
            # what would have outweighed all that is forgiven beside it, and led to itself
            residual = reading.residual
            free = _together(examination, one, residual.error, one.yardstick.terms)
            seen = free + abs(residual.value) + residual.error
            promise = max(one.yardstick.resolution(reading), seen / LEAST_WEIGHT)
            return Weighed(is_wrong=False, resolution=promise)
        if examination.is_over_budget():
            break
    return Weighed(is_wrong=False)


def acquitted(one: Question, reading: Reading, weighed: Weighed) -> Judged:
    """Return a residual beyond its bar that its entries acquit."""
    evidence = forgiven(held(one.yardstick, reading))
    return Judged(evidence, reading, resolution=weighed.resolution)


def forgiven(evidence: Evidence, *, is_right: bool = True, is_unclear: bool = False) -> Evidence:
    """Return evidence about a sum beside what its entries say of it."""
    facts = {"is_excused": float(is_right), "is_unclear": float(is_unclear)}
    return Evidence("forgiven", facts, (evidence,))


def has_wrong_entry(mode: Mode, one: Question) -> bool:
    """Say whether an entry to which a sum leads is off by more than is forgiven to it."""
    reader = reader_of(mode, one)
    return any(map(reader.is_wrong_entry, _heaviest(mode, one, reader)))


def _heaviest(mode: Mode, one: Question, reader: ColumnReader) -> Iterator[Entry]:
    """Yield the entry to which halving leads, then those of its row that claim least and most."""
    backend = mode.examination.backend
    if reader.measured.along is None:
        return
    residual = backend.dot(reader.measured.along.values, one.weights) - one.claimed
    light, least = (
        MaskedQuestion(mode, one, residual),
        one.yardstick.tolerance.atol,
    )  # that of a sum
    try:
        first = reader.worst(find_in(light, residual, reader, least))
    except SearchEnds:
        return
    if first is None or first.row is None:
        return
    yield first
    space = mode.examination.problem.codomain.parts[one.output]
    row = mode.ask(one.part, one.output, space.unit(first.row), one.direction).gradient
    if row is None:
        return
    sizes = backend.absolute(row)
    for ranked in (backend.largest(sizes) - sizes, sizes):
        entry = reader.entry(first.row, backend.place_of_largest(ranked))
        if entry is not None:
            yield entry


def held_by_entries(
    mode: Mode, one: Question, judged: Judged, weighed: Weighed | None = None, *, is_kink: bool
) -> Judged:
    """Hold a sum that failed against its entries, to which the user, or a kink, forgives more.

    At a kink, with few digits, or where those that weigh most do not tell, all are looked at.
    """
    known = weighed
    if known is None and judged.reading is not None and one.yardstick.roundoff <= FINE:
        known = None if is_kink else weigh(mode, one, judged.reading)
    if not is_kink and known is not None and (known.is_wrong or known.resolution is not None):
        evidence = forgiven(judged.evidence, is_right=not known.is_wrong)
        return replace(judged, evidence=evidence, resolution=known.resolution or judged.resolution)
    located = locate(mode, one)
    is_right, is_unclear = located.excuse is not None, located.is_unclear
    evidence = forgiven(judged.evidence, is_right=is_right, is_unclear=is_unclear)
    notes = judged.notes if located.excuse is None else (located.excuse,)
    return replace(judged, evidence=evidence, notes=notes, located=located)
