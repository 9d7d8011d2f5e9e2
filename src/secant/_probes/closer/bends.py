"""Whether a function bends within a step so much that no slope at the point can be read from it.

What a function does over a step is what its slopes add up to. A right claim adds up to it as well:
with m(s) the mean of the claims at ±s, less the claim at the point, so is the slope that was
measured. Curvature makes m grow as s², which the bar knows; kinks between do not, so that
|m(h) − 4 m(h/2)| tells what they may have done. A claim is blamed at a step that its dtype, or the
leaf's small size beside it, makes long only if it is off by more than that.
"""

from __future__ import annotations

from dataclasses import replace

from ..._claims.base import ClaimRaised
from ..._constants import COARSE
from ..._errors import SecantError
from ..._findings import Verdict
from ..._judge.judge import doubted, held
from ..._measure.estimate import Estimate
from ..._measure.steps import Range
from ..._words.slopes import BENDS_WITHIN_STEPS
from ..asking.question import Mode, Question
from ..base import Judged

_ENDS = (1.0, 0.5, -0.5, -1.0)


def beyond_bends(mode: Mode, one: Question, closer: Judged, steps: Range) -> Judged:
    """Blame no claim for what its own change within the step explains.

    As a share of what is claimed, and of what was measured: a claim that is far off stays so.
    """
    reading, terms = closer.reading, max(one.yardstick.terms, abs(one.claimed))
    if closer.verdict is not Verdict.FAIL or reading is None or not terms:
        return closer
    if one.yardstick.roundoff <= COARSE and reading.step <= steps.scale:
        return closer
    claims = claims_along(mode, one, reading.step)
    if not claims:
        return closer
    far, near = ((claims[k] + claims[-1 - k]) / 2 - one.claimed for k in (0, 1))
    bend, change = abs(far - 4 * near) / terms, max(abs(far), abs(near))
    residual = reading.residual
    bent = Estimate(residual.value, residual.error + len(claims) * bend * reading.slope)
    reading = replace(reading, residual=bent)
    # a claim that changes by as much as it is off by is one about another function, so far away
    is_another = reading.step > steps.scale and len(claims) * change > abs(residual.value)
    line = held(one.yardstick, reading)
    evidence = doubted(line, is_another=is_another, bend=bend, change=change)
    bending = Judged(evidence, reading, closer.corner, (BENDS_WITHIN_STEPS(),))
    return closer if bending.verdict is Verdict.FAIL else bending


def claims_along(mode: Mode, one: Question, step: float) -> list[float]:
    """Return what is claimed within a step, to both sides; nothing where it cannot be had."""
    claims = []
    for share in _ENDS:
        try:
            claims.append(mode.claimed_at(one, point_along(mode, one, share * step)))
        except (ClaimRaised, SecantError):
            return []
    return claims


def point_along(mode: Mode, one: Question, step: float) -> list[object]:
    """Return values of all leaves, one of them moved along the path."""
    examination = mode.examination
    values = []
    for part, space in enumerate(examination.problem.domain.parts):
        point = examination.point(part)
        moved = space.moved(point, one.direction, step) if part == one.part else 0
        values.append(examination.backend.leaf(space.value(point + moved)))
    return values
