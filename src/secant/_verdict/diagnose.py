"""Why a claim is wrong: each suspicion is a relation between claim and measurement that is tried.

Only a relation that holds in every probe, or in every entry, is named, with what it rests on.
Silence is an answer: where none fits, no cause is named.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from .._words import causes, matrices
from .._words.reason import Reason
from .._words.spelling import NOTHING
from .couplings import another_spread, scaled_columns, wrong_dimension
from .evidence import SHARP, SLACK, Cause, Comparison, LeafPair, Probed, coordinates
from .factors import coarse_numbers, constant_factor, frozen_factor, missing_term
from .formulas import another_function, inner_factor, known_factor
from .patterns import (
    absent_entries,
    lost_part,
    rearranged,
    scaled_along_dimensions,
    some_absent,
    some_extra,
)
from .places import relation, wrong_places
from .repairs import misplaced, unflipped
from .residuals import missing_sum, same_for_all_outputs
from .unstored import unstored_entries

_NOTHING = 1e-3  # a measured slope below this share of the claim is none
_COARSE = 2.0**-20  # a round-off above this takes part in every sum
_LEAST = 3  # probes
_LUCK = 1e-6  # the chance at which one of some hundred suspicions is still unlikely to fit


def diagnose(
    evidence: Sequence[Probed], scene: LeafPair | None = None, entries: Comparison | None = None
) -> Reason | None:
    """Return the likely cause from probes alone; None where it is unclear."""
    if not evidence:
        return None
    if is_cut(evidence):
        return causes.CUT()
    if all(
        abs(one.measured.value) <= one.measured.error < _NOTHING * abs(one.claimed)
        for one in evidence
    ):
        return causes.UNMOVED()
    is_drowned = any(one.is_drowned for one in evidence)
    cause = None if is_drowned else constant_factor(evidence, scene, entries)
    if cause is None and scene is not None:
        cause = coarse_numbers(evidence, scene)
    if cause is not None:
        return cause
    if is_drowned or not is_enough(evidence):
        return None  # bars that wide let any repair fit
    if all(one.conjugated is not None and one.holds_for(one.conjugated) for one in evidence):
        return causes.CONJUGATED()
    cause = misplaced(evidence) or _turned(evidence) or unflipped(evidence)
    if cause is None and scene is not None and evidence[0].gradient is not None:
        cause = (
            known_factor(evidence, scene)
            or frozen_factor(evidence, scene)
            or missing_term(evidence, scene)
            or inner_factor(evidence, scene)
            or another_function(evidence, scene)
        )
    return cause


class _Claim(Protocol):
    @property
    def claimed(self) -> float: ...


def is_cut(asked: Sequence[_Claim]) -> bool:
    """Say whether nothing is claimed of any probe."""
    return all(one.claimed == 0 for one in asked)


def is_enough(evidence: Sequence[Probed]) -> bool:
    """Say whether no wrong suspicion is likely to hold in all these probes by luck.

    A probe is explained by luck with the chance 6 b / s, its window by the slopes' usual size.
    """
    if not evidence:
        return False
    size = math.hypot(*(one.measured.value for one in evidence)) / math.sqrt(len(evidence))
    windows = [6 * one.measured.error / size for one in evidence if size and one.is_telling]
    is_sharp = all(window <= 6 * SHARP for window in windows)
    return len(windows) >= _LEAST and is_sharp and math.prod(windows) <= _LUCK


def _turned(evidence: Sequence[Probed]) -> Reason | None:
    """Recognise J v in the place of Jᵀ v."""
    if not all(
        one.turned is not None and one.holds(one.turned, abs(one.turned)) for one in evidence
    ):
        return None
    return causes.TRANSPOSED(count=f"{len(evidence)} of {len(evidence)} probes")


def diagnose_matrix(comparison: Comparison, evidence: Sequence[Probed] = ()) -> Cause | None:
    """Return the likely cause from a whole Jacobian, or None."""
    if comparison.is_blurred():
        return None
    asked = next((one for one in evidence if not _is_linear(comparison, one)), None)
    is_wrong = bool(comparison.wrong.any())
    if asked is not None:
        if asked.gradient is None:
            return Cause(matrices.NOT_LINEAR_JVP())
        wrong = matrices.PULLS_DO_NOT_ADD_UP if is_wrong else matrices.SUMS_ARE_WRONG
        return Cause(wrong())
    if not is_wrong:
        return None
    is_vague = comparison.is_coarse() and relation(comparison) != NOTHING
    for pattern, is_everywhere, needs_whole in _PATTERNS:
        if is_vague and not is_everywhere:
            continue  # what is right elsewhere is not known well enough
        if needs_whole and not comparison.is_whole:
            continue
        reason = pattern(comparison)
        if reason is not None:
            return Cause(reason, is_everywhere)
    return None


def diagnose_core(comparison: Comparison) -> Cause | None:
    """Return the likely cause from a few rows and columns of a Jacobian, or None."""
    if comparison.is_blurred() or not comparison.wrong.any():
        return None
    reason = absent_entries(comparison)
    return None if reason is None else Cause(reason, is_everywhere=False)


# what is recognised, whether it speaks of the whole claim, and whether all entries are needed
_PATTERNS = (
    (unstored_entries, False, False),
    (wrong_dimension, True, False),
    (rearranged, True, True),
    (lost_part, True, True),
    (another_spread, True, False),
    (absent_entries, False, False),
    (scaled_along_dimensions, True, False),
    (wrong_places, False, True),
    (scaled_columns, True, True),
    (missing_sum, True, False),
    (same_for_all_outputs, False, False),
    (some_absent, False, True),
    (some_extra, False, True),
)


def _is_linear(comparison: Comparison, one: Probed) -> bool:
    """Say whether a probe's claim is the sum of the claims about single entries."""
    if one.cotangent is None or one.direction is None or is_coarse(comparison.scene.roundoff):
        return True
    cotangent, direction = coordinates(one.cotangent), coordinates(one.direction)
    summed = cotangent @ comparison.claimed
    size = np.abs(cotangent) @ np.abs(comparison.claimed)
    if one.gradient is None:
        direction = direction[comparison.columns]
        apart, limit = abs(summed @ direction - one.claimed), size @ np.abs(direction)
        return bool(apart <= SHARP * limit)
    apart = np.abs(summed - coordinates(one.gradient)[comparison.columns])
    return bool((apart <= SHARP * size + SLACK * comparison.scale).all())


def is_coarse(roundoff: float) -> bool:
    """Say whether rounding alone may part a sum of claims from the claim of the sum."""
    return roundoff > _COARSE
