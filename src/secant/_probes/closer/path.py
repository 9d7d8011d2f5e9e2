"""The claim along a whole path: what is left to ask where no step is short enough for slopes.

In single precision a network of rectifiers bends many times within any step that round-off allows,
so that no difference is a slope at the point. But what continuous functions do over a step is what
their slopes add up to, kinks and curvature included:

    v'F(x + h u) − v'F(x − h u) = ∫ claim(x + s u) ds,      s from −h to h.

The integral is a mean over points on the path, drawn in mirrored pairs, one from each stratum. Its
sampling error differs from window to window; K windows around one step make a mean with Student's
bar. One stratum tells how many it takes, since what they miss of a kink is a share of one of them.
A right claim is right along the path; one that is wrong by a factor, a term or an entry is so
there, too. Only a claim that is wrong at the point and nowhere beside it would be let off, so the
claim at the point must be one that the path might have shown.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import replace

from ..._claims.base import ClaimRaised
from ..._constants import (
    COARSE,
    FINE,
    SPREADS,
)
from ..._errors import SecantError
from ..._findings import Evidence, Verdict
from ..._judge.judge import held, judge
from ..._measure.average import COUNT, mean_of, windows
from ..._measure.difference import Reading
from ..._measure.estimate import Estimate
from ..._measure.line import Line
from ..._words.slopes import ALONG_A_PATH
from ..asking.question import Mode, Question
from ..base import Judged
from .bends import claims_along, point_along

_STRATA = 11  # on each side of the point at most: kinks are missed by a share of one of these
_GOLDEN = 0.6180339887498949  # fractions of it are spread evenly
_BASES = (1.0, 4.0, 0.25)  # times the first step
_LARGEST = 1 << 20  # coordinates of a problem that is cheap enough for more than one


def along_path(mode: Mode, one: Question, closer: Judged) -> Judged:
    """Return what the path says where it is kinder to a claim than a single slope was.

    A claim is never blamed by a path: what cannot be told or is excused by a jump stays so.
    """
    examination = mode.examination
    is_beside_kink = closer.verdict is Verdict.FAIL and closer.is_at_kink  # wrong on both sides
    if not FINE < one.yardstick.roundoff <= COARSE or is_beside_kink or one.has_holes:
        return closer
    if closer.reading is None:
        return closer  # there is no step to begin with
    if not _explains(mode, one, closer.reading, closer.verdict):
        return closer
    line = examination.line(one.part, one.direction)
    best: Reading | None = None
    for base in _BASES:
        if examination.is_over_budget():
            break
        found = _walk(mode, one, line, base * examination.step(one.part))
        if found is not None and (best is None or found.residual.error < best.residual.error):
            best = found
            if judge(held(one.yardstick, best)) is not Verdict.INCONCLUSIVE:
                break
    if best is None:
        return closer
    evidence = Evidence("path", {}, (closer.evidence, held(one.yardstick, best)))
    walked = Judged(evidence, best, None, (ALONG_A_PATH(),))
    return closer if walked.verdict is closer.verdict else walked


def _explains(mode: Mode, one: Question, reading: Reading, verdict: Verdict) -> bool:
    """Say whether the claim changes within the step by what it is off by: else no path is walked.

    A mean of slopes lies within their range, which four of them show a quarter of at least. Where
    slopes disagree and the claim does not change, the function jumps, and no integral holds.
    """
    needed, step = abs(reading.residual.value), reading.step
    if verdict is not Verdict.FAIL:  # the path is longer than the step that could not tell
        needed = reading.residual.error / SPREADS
        step = max(step, mode.examination.step(one.part))
    claims = claims_along(mode, one, step)
    changes = [abs(claim - one.claimed) for claim in claims]
    return len(claims) * max(changes, default=0.0) >= needed and bool(claims)


def _walk(mode: Mode, one: Question, line: Line, step: float) -> Reading | None:
    """Return what a path says with one stratum, or with as many as that says it takes to tell.

    What is off by more than its bar is not let off by a narrower one.
    """
    is_large = mode.examination.problem.domain.size > _LARGEST
    strata, best = 1, None
    while True:
        found = _read(mode, one, line, step, strata)
        if found is not None and (best is None or found.residual.error < best.residual.error):
            best = found
        is_told = best is not None and judge(held(one.yardstick, best)) is not Verdict.INCONCLUSIVE
        if found is None or is_told or is_large or strata == _STRATA:
            return best
        strata = min(max(2 * strata, _strata_to_tell(one, found, strata)), _STRATA)


def _strata_to_tell(one: Question, found: Reading, strata: int) -> int:
    """Return with how many strata a right claim would pass, by the error of so few."""
    for more in range(strata + 1, _STRATA):
        error = found.residual.error * strata / more
        fitting = replace(found, residual=Estimate(0.0, error))
        if judge(held(one.yardstick, fitting)) is Verdict.PASS:
            return more
    return _STRATA


def _read(mode: Mode, one: Question, line: Line, step: float, strata: int) -> Reading | None:
    """Return the mean residual of windows around a step; None where the path cannot be walked."""
    functional, backend = one.functional, mode.examination.backend
    values, slopes, claims = [], [], []
    for window, reach in enumerate(windows(step)):
        rung = line.rung(reach)
        if rung is None:
            return None
        differences = rung.differences[functional.output] * functional.weights
        moved = backend.total(differences) - functional.claimed(backend, rung.displacements)
        slopes.append(max(backend.norm(differences), abs(backend.total(differences))) / rung.width)
        if not (window or _could_tell(one, step, slopes[0])):
            return None
        claimed = _claims(mode, one, reach, window, strata)
        if claimed is None:
            return None
        # `linear` is the claim at the point; the path's own mean takes its place
        values.append(moved / rung.width - (statistics.fmean(claimed) - one.claimed))
        claims += claimed
    if not math.isfinite(sum(values)):
        return None
    apart = abs(one.claimed - statistics.fmean(claims))
    if apart > SPREADS * statistics.stdev(claims):
        return None  # wrong at the point and right beside it, perhaps
    slope, mean = statistics.fmean(slopes), mean_of(values)
    # claims that cancel from one side to the other are rounded as what they are
    floor = functional.floor(step, max(slope, *map(abs, claims))) / math.sqrt(COUNT)
    return Reading(Estimate(mean.value, max(mean.error, floor)), slope, step)


def _could_tell(one: Question, step: float, slope: float) -> bool:
    """Say whether the bar of a mean would tell if only rounding made it; slopes vary, so half."""
    floor = one.functional.floor(step, slope) / math.sqrt(COUNT)
    best = Reading(Estimate(0.0, floor / 2), slope, step)
    return judge(held(one.yardstick, best)) is Verdict.PASS


def _claims(
    mode: Mode, one: Question, reach: float, window: int, strata: int
) -> list[float] | None:
    """Return the slopes claimed at mirrored points of the path, one pair from each stratum."""
    claims = []
    for stratum in range(strata):
        place = (window * strata + stratum + 1) * _GOLDEN % 1.0
        for sign in (1.0, -1.0):
            values = point_along(mode, one, sign * reach * (stratum + place) / strata)
            try:
                claims.append(mode.claimed_at(one, values))
            except (ClaimRaised, SecantError):
                return None
    return claims if math.isfinite(sum(claims)) else None
