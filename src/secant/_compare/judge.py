"""From summed errors to a row: the verdict, the worst entries, where they lie, and probably why."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from .._backends.base import Array
from .._findings import Verdict
from .._report.comparison import ComparedEntry, ComparedError, ComparisonRow
from .._words.comparisons import KERNEL_IS_NOT_FINITE, NO_DIGITS_LEFT
from .._words.reason import Reason
from .candidate import Candidate
from .cause import likely_cause, region
from .holes import Hole

_MOST_ENTRIES = 5
_LOST = 0.25  # an error of this share of the truth leaves no digit that could be compared
_ZERO = 2.0**-30  # of its natural size: a gradient that float64 cannot tell from zero
_ROUNDINGS = 8.0  # that such a gradient may be off by


def judge(candidate: Candidate, limit: float) -> ComparisonRow:
    """Return the row of one array."""
    space = candidate.space
    level = candidate.level()
    norm, worst = candidate.held(limit)
    row = ComparisonRow(
        candidate.what,
        Verdict.PASS,
        space.backend.dtype_name(space.reference),
        space.size,
        norm,
        worst,
        entries(candidate, 1),
        is_modelled=level.is_modelled,
    )
    holes = candidate.holes
    if holes is not None and holes.broken is not None:
        return _holed(row, candidate, holes.broken, Verdict.FAIL)
    if not (norm.is_within and worst.is_within):
        return _failed(row, candidate)
    if holes is not None and holes.unknown is not None:
        return _holed(row, candidate, holes.unknown, Verdict.INCONCLUSIVE)
    if _has_lost_its_digits(norm) and not _is_noise(candidate):
        return replace(
            row,
            verdict=Verdict.INCONCLUSIVE,
            reasons=(NO_DIGITS_LEFT(share=norm.yardstick, dtype=row.dtype),),
        )
    return row


def _has_lost_its_digits(norm: ComparedError) -> bool:
    return min(norm.error, norm.yardstick) > _LOST


def _is_noise(candidate: Candidate) -> bool:
    """Say whether the truth is zero but for round-off, and the kernel no more than round-off.

    A gradient has the natural size g = ‖v∘F‖ / x; what float64 leaves of a gradient that vanishes
    is far below it, and what the kernel's dtype leaves is some roundings of it.
    """
    sums, natural = candidate.kernel, candidate.natural
    return bool(
        natural
        and sums.truth <= _ZERO**2 * natural
        and sums.error <= (_ROUNDINGS * candidate.space.roundoff) ** 2 * natural
    )


def _holed(row: ComparisonRow, candidate: Candidate, hole: Hole, verdict: Verdict) -> ComparisonRow:
    label = candidate.space.label(hole.place)
    reason = KERNEL_IS_NOT_FINITE(
        kernel=hole.kernel, where=label, truth=hole.truth, yardstick=hole.yardstick
    )
    return replace(
        row,
        verdict=verdict,
        norm=None,
        worst=None,
        reasons=(reason, *_known(candidate.cause)),
        entries=(ComparedEntry(label, hole.kernel, hole.truth, hole.yardstick, math.nan),),
        wrong=hole.count,
    )


def _known(cause: Reason | None) -> tuple[Reason, ...]:
    return () if cause is None else (cause,)


def _failed(row: ComparisonRow, candidate: Candidate) -> ComparisonRow:
    """Return the row of a kernel that is wrong, with what the worst draw shows."""
    evidence, space = candidate.evidence, candidate.space
    assert evidence is not None
    assert row.norm is not None
    assert row.worst is not None
    backend = space.backend
    kernel = backend.to_numpy(evidence.kernel)
    truth = backend.to_numpy(evidence.ruler.truth)
    level = candidate.level()
    allowed = backend.to_numpy(candidate.yardsticks(level)) * row.worst.limit
    is_wrong = backend.to_numpy(evidence.ruler.in_ulps(evidence.kernel)) > allowed
    wrong = int(is_wrong.sum())
    rounding = math.sqrt(evidence.ruler.square_of_rounding)
    bound = level.size.norm * row.norm.limit * rounding
    shape = space.shape
    cause = candidate.cause or likely_cause(space.shaped(kernel), space.shaped(truth), bound)
    return replace(
        row,
        verdict=Verdict.FAIL,
        entries=entries(candidate, _MOST_ENTRIES),
        wrong=wrong,
        place=region(np.asarray(is_wrong.reshape(*shape, -1).any(-1))) if wrong else None,
        reasons=_known(cause),
    )


def entries(candidate: Candidate, most: int) -> tuple[ComparedEntry, ...]:
    """Return the worst entries of the worst draw."""
    evidence, space = candidate.evidence, candidate.space
    if evidence is None or not space.size:
        return ()
    backend, ruler = space.backend, evidence.ruler
    if most == 1:
        places = [evidence.place]
    else:
        in_ulps = backend.to_numpy(ruler.in_ulps(evidence.kernel))
        in_place = in_ulps / backend.to_numpy(candidate.yardsticks(candidate.level()))
        places = np.argsort(-in_place, kind="stable")[:most].tolist()

    def chosen(vector: Array) -> list[float]:
        numbers: list[float] = backend.to_numpy(backend.select(vector, places)).tolist()
        return numbers

    kernel, truth, ulps = map(chosen, (evidence.kernel, ruler.truth, ruler.ulps))
    yardstick = None if evidence.yardstick is None else chosen(evidence.yardstick)
    return tuple(
        ComparedEntry(
            space.label(place),
            kernel[k],
            truth[k],
            None if yardstick is None else yardstick[k],
            abs(kernel[k] - truth[k]) / ulps[k],
        )
        for k, place in enumerate(places)
    )
