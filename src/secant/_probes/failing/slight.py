"""Claims that are off by little, nearly everywhere: what that speaks of, and what forgives it.

A solve that stops at a tolerance, another eps in the backward, a constant in single precision: each
is a mistake of its size, and which of them is meant only its author knows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ..._constants import KAPPA, SLIGHT
from ..._findings import Entry, Evidence
from ..._verdict.evidence import Comparison, Numbers
from ..._words.causes import OFF_BY_LITTLE
from ..._words.reason import Reason
from ..asking.question import Question
from ..base import Judged
from .columns import ColumnReader
from .gather import sampled_comparison

_MOST = 0.01  # an rtol above this forgives more than it should
_FEW = 0.25  # of the entries that move: fewer that are wrong are somewhere, not everywhere
SAMPLE = 8  # columns that say by how much all of them are off
_UNSEEN = 4.0  # times what was seen that entries which were not looked at may be off by


def slight(
    one: Question,
    judged: Judged,
    comparison: Comparison | None,
    entries: Sequence[Entry] = (),
) -> Reason | None:
    """Return why, and what forgives it, where a claim is off by little in most places."""
    if comparison is not None:  # one reading may be off by little by chance
        return _slight_entries(comparison)
    if judged.reading is None or not is_off_by_little(judged.evidence):
        return None
    size = max(one.yardstick.terms, judged.reading.slope)
    share = abs(judged.reading.residual.value) / size if size else 0.0
    setting = f"rtol={_rounded_up(_UNSEEN * share)}"
    if entries:
        apart = max(abs(one.claimed - one.measured.value) for one in entries)
        setting = f"atol={_rounded_up(_UNSEEN * apart)}"
    return OFF_BY_LITTLE(share=share, wrong=None, moving=None, setting=setting)


def is_off_by_little(evidence: Evidence) -> bool:
    """Say whether every reading is off by little: one may be by luck, another is not as well."""
    readings = list(readings_of(evidence))
    return len(readings) > 1 and all(
        abs(facts["residual"]) <= SLIGHT * max(facts["terms"], facts["slope"]) for facts in readings
    )


def readings_of(evidence: Evidence) -> Iterator[Mapping[str, float]]:
    """Yield the facts of all readings that evidence rests on."""
    if evidence.rule == "reading":
        yield evidence.facts
    for part in evidence.parts:
        yield from readings_of(part)


def off_everywhere(
    reader: ColumnReader, claimed: Numbers, places: Sequence[int]
) -> Comparison | None:
    """Return some columns of a Jacobian in most of which a claim is off by little; None if not."""
    if any(reader.measured.column(place) is None for place in places):
        return None
    comparison = sampled_comparison(reader, claimed)
    if comparison is None or _slight_entries(comparison) is None:
        return None
    return comparison if comparison.wrong.any(axis=0).sum() > len(places) // 2 else None


def _slight_entries(comparison: Comparison) -> Reason | None:
    """Return the same of a Jacobian of which entries are known."""
    size = float(np.linalg.norm(comparison.measured))
    apart = float(np.linalg.norm(comparison.claimed - comparison.measured))
    is_slight = 0 < apart <= SLIGHT * size < math.inf
    return _in_most_places(comparison, apart / size) if is_slight else None


def _in_most_places(comparison: Comparison, share: float) -> Reason | None:
    is_moving = (comparison.measured != 0) | (comparison.claimed != 0)
    # the smallest may be off by less than is forgiven, and still be seen to be off
    is_off = np.abs(comparison.claimed - comparison.measured) > KAPPA * comparison.error
    off, moving = int(is_off.sum()), int(is_moving.sum())
    if off <= _FEW * moving:
        return None
    setting = _setting(comparison)
    return OFF_BY_LITTLE(share=share, wrong=off, moving=moving, setting=setting)


def _setting(comparison: Comparison) -> str:
    """Return the smallest tolerance that every entry obeys: relative, if no entry is near zero.

    Those that were not seen may be near zero, and are off by no more than others are.
    """
    apart = np.abs(comparison.claimed - comparison.measured) - KAPPA * comparison.error
    apart = np.where(comparison.wrong, np.maximum(apart, 0.0), 0.0)
    most = float(apart.max(initial=0.0))
    if not comparison.is_whole:
        return f"atol={_rounded_up(_UNSEEN * most)}"
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(apart > 0, apart / np.abs(comparison.measured), 0.0)
    needed = float(shares.max(initial=0.0))
    return f"rtol={_rounded_up(2 * needed)}" if needed <= _MOST else f"atol={_rounded_up(2 * most)}"


def _rounded_up(number: float) -> str:
    """Spell a number with one digit, not less than it is."""
    if not number:
        return "0"
    nearest = f"{number:.0e}"
    digit, power = (int(part) for part in nearest.split("e"))
    digit += float(nearest) < number
    return f"{digit}e{power:+03d}" if digit < 10 else f"1e{power + 1:+03d}"
