"""Slight residuals: sums that are off by more than their bar, yet by less than is forgiven.

A derivative whose constants were written down in single precision is off by 2⁻²⁴ everywhere, and
nobody calls it wrong. One wrong entry among thousands may shift a sum by no more than that. The
entries tell the two apart, and only where a sum is not exact are they looked at.
"""

from __future__ import annotations

from dataclasses import replace

from .._findings import Entry, Evidence
from .._measure.difference import Reading
from .base import Examination, Judged
from .failing.locate import locate
from .question import Mode, Question


def is_slight(examination: Examination, one: Question, reading: Reading) -> bool:
    """Say whether a residual is within what its entries may be off by, all of them together."""
    tolerance = examination.tolerance(one.part, one.output)
    limit = tolerance.limit(reading.residual.error, one.yardstick.terms)
    return abs(reading.residual.value) <= limit


def has_wrong_entry(mode: Mode, one: Question) -> bool:
    """Say whether an entry can be found that is off by more than is forgiven to it."""
    tolerance = mode.examination.tolerance(one.part, one.output)

    def is_beyond(entry: Entry) -> bool:
        apart = abs(entry.claimed - entry.measured.value)
        size = max(abs(entry.claimed), abs(entry.measured.value))
        return bool(apart > tolerance.limit(entry.measured.error, size))

    return any(map(is_beyond, locate(mode, one).entries))


def held_by_entries(mode: Mode, one: Question, judged: Judged) -> Judged:
    """Hold a sum that failed against its entries, to which the user, or a kink, forgives more."""
    located = locate(mode, one)
    facts = {
        "is_excused": float(located.excuse is not None),
        "is_unclear": float(located.is_unclear),
    }
    evidence = Evidence("forgiven", facts, (judged.evidence,))
    notes = judged.notes if located.excuse is None else (located.excuse,)
    return replace(judged, evidence=evidence, notes=notes, located=located)
