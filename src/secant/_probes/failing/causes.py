"""Why a pair failed: probes, whole Jacobians and rivals, held against every suspicion.

Everything here runs after a failure only, and costs tens of evaluations.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence

import numpy as np

from ..._measure.difference import Reading
from ..._verdict.diagnose import diagnose, diagnose_matrix, is_coarse, is_cut, is_enough
from ..._verdict.evidence import (
    SHARP,
    SLACK,
    Cause,
    Comparison,
    LeafPair,
    Probed,
)
from ..._verdict.regions import along
from ..._verdict.residuals import Form, forms, widest_form
from ..._words import causes
from ..._words.reason import Reason
from ..asking.question import Mode, Question
from .bisect import masked
from .columns import glance, read, stands_out
from .gather import evidence_of, scene_of, spaces_of
from .window import Window

_PROBES = 3
_CONFIRMED = 2  # fresh probes that a form found by screening must explain as well
_INDICES = 3  # along a dimension, at each of which one scale must hold
_TIGHT = 1e-3  # bars above this share of a slope tell no scale
_TELLING = 0.02  # limits above this share of a residual explain nothing
_RICH = 10.0  # limits by which slopes must exceed nothing
_ROUNDINGS = 1e-4  # sums may be added up in another order each time


def cause_of(
    mode: Mode, one: Question, comparison: Comparison | None, place: int | None = None
) -> Cause | None:
    """Return the likely cause of a failure, None where it is unclear; `place` is known wrong."""
    window = Window.around(mode.examination.problem.domain.parts[one.part], place)
    scene = scene_of(mode.examination, one.part, one.output, window)
    asked = [mode.ask_afresh(one.part, one.output) for _ in range(_PROBES)]
    if is_cut(asked):
        return Cause(causes.CUT())  # whatever is measured
    evidence = _gathered(mode, asked, comparison, window)
    reason = None
    if len(evidence) == len(asked):
        reason = diagnose(evidence, scene, comparison)
    may_ask = not mode.examination.is_over_budget()
    if reason is None and may_ask and evidence and not is_enough(evidence):
        # wide bars: more probes instead of luck
        more = [mode.ask_afresh(one.part, one.output) for _ in range(_PROBES)]
        asked, evidence = [*asked, *more], [*evidence, *_gathered(mode, more, comparison, window)]
        reason = diagnose(evidence, scene, comparison)
    is_certain = len(evidence) == len(asked) and is_enough(evidence)
    if reason is None and is_certain and may_ask:
        reason = _swapped(mode, one, evidence, window)
        reason = reason or _other_output(mode, asked[:_PROBES])
    if reason is None and not _is_repeated(mode, asked[0]):
        return None  # what a claim does not repeat shows no pattern, and a law says so
    if reason is None and comparison is not None:
        return diagnose_matrix(comparison, evidence)
    if reason is None and evidence and may_ask:
        reason = _not_linear(mode, asked)
        if reason is None and len(evidence) == len(asked):
            sharpest = max(range(len(asked)), key=lambda k: evidence[k].sharpness)
            found = asked[sharpest], evidence[sharpest]
            reason = _form_of_residual(mode, *found, scene, window)
        reason = reason or _scaled_by_index(mode, one)
    return None if reason is None else Cause(reason)


def _gathered(
    mode: Mode, asked: list[Question], comparison: Comparison | None, window: Window
) -> list[Probed]:
    """Read questions off the columns that are known, if not all are the last one off a line.

    What holds in a sample of columns need not hold in all of them.
    """
    is_whole = comparison is None or comparison.is_whole
    known = [comparison] * (len(asked) - 1) + [comparison if is_whole else None]
    both = zip(asked, known, strict=True)
    found = (evidence_of(mode, question, one, window) for question, one in both)
    return [item for item in found if item is not None]


def _not_linear(mode: Mode, asked: list[Question]) -> Reason | None:
    """Recognise a claim for a sum that is not the sum of the claims."""
    first, second = asked[:2]
    weights = first.weights + second.weights
    along = [
        mode.ask(first.part, first.output, v, first.direction) for v in (second.weights, weights)
    ]
    apart = abs(first.claimed + along[0].claimed - along[1].claimed)
    gradients = [one.gradient for one in (first, *along) if one.gradient is not None]
    if len(gradients) == 3:  # a vector does not cancel by luck
        excess = gradients[0] + gradients[1] - gradients[2]
        apart = mode.examination.backend.norm_of_product(excess, first.direction)
    size = max(first.yardstick.terms, *(one.yardstick.terms for one in along))
    if apart <= SHARP * size or is_coarse(mode.examination.roundoff(first.part, first.output)):
        return None
    return causes.NOT_ADDITIVE()


def _scaled_by_index(mode: Mode, one: Question) -> Reason | None:
    """Recognise claimed = s × measured with one s for each index along a dimension."""
    shape = mode.examination.problem.domain.parts[one.part].shape
    if len(shape) < 2 or math.prod(shape) < 2 or one.gradient is None:
        return None
    for axis, size in enumerate(shape):
        if mode.examination.is_over_budget():
            return None
        indices = mode.examination.directions.positions(size, _INDICES)
        scales = (_scale_at(mode, one, axis, index) for index in indices)
        # no scale, or right in places: a region says more, and the other indices are not asked
        of_its_own = itertools.takewhile(lambda s: s is not None and abs(s - 1) > _TIGHT, scales)
        found = [scale for scale in of_its_own if scale is not None]
        if len(found) < _INDICES or max(found) - min(found) <= _TELLING * max(map(abs, found)):
            continue
        return causes.SCALED_ALONG(
            axis=axis,
            lowest=min(found),
            highest=max(found),
            indices=len(found),
            probes=_CONFIRMED,
        )
    return None


def _scale_at(mode: Mode, one: Question, axis: int, index: int) -> float | None:
    """Return claimed by measured for the entries at one index, None where it is not one number."""
    examination = mode.examination
    domain, _ = spaces_of(examination, one)
    is_complex = domain.size == 2 * math.prod(domain.shape)
    flags = along(np.arange(domain.shape[axis]) == index, axis, len(domain.shape) + is_complex)
    fresh = (mode.ask_afresh(one.part, one.output) for _ in range(_CONFIRMED))
    asked = [mode.ask_along(one, masked(one.direction, flags, domain)) for one in fresh]
    if _scale_of(asked, [glance(examination, one) for one in asked]) is None:
        return None  # not even within bars that are wide
    readings = [read(examination, one) for one in asked]
    return _scale_of(asked, readings, _TIGHT)


def _scale_of(
    asked: Sequence[Question], readings: Sequence[Reading | None], tight: float = math.inf
) -> float | None:
    """Return the one number that claimed by measured is in every probe, None if it is not one."""
    low, high, scale = -math.inf, math.inf, 0.0
    for one, reading in zip(asked, readings, strict=True):
        if reading is None:
            return None
        measured = reading.residual.shifted(one.claimed)
        if not measured.value or measured.error > tight * abs(measured.value):
            return None
        scale = one.claimed / measured.value
        blur = (3 * measured.error / abs(measured.value) + SLACK) * abs(scale)
        low, high = max(low, scale - blur), min(high, scale + blur)
    return scale if low <= high else None


def _is_repeated(mode: Mode, one: Question) -> bool:
    """Say whether the same question is answered the same twice."""
    again = mode.ask(one.part, one.output, one.weights, one.direction)
    return abs(again.claimed - one.claimed) <= _ROUNDINGS * max(
        one.yardstick.terms, abs(one.claimed)
    )


def _swapped(mode: Mode, one: Question, evidence: list[Probed], window: Window) -> Reason | None:
    """Recognise two inputs that get each other's gradient: each explains the other's slopes."""
    domain = mode.examination.problem.domain
    for part in evidence[0].rivals:
        if not all(part in item.rivals and item.holds_for(item.rivals[part]) for item in evidence):
            continue
        asked = [mode.ask_afresh(part, one.output) for _ in range(_CONFIRMED)]
        if all(_is_explained_by(mode, question, one.part, window) for question in asked):
            mine, theirs = domain.path(one.part), domain.path(part)
            return causes.SWAPPED(
                one=mine, other=theirs, probes=len(evidence), confirmed=_CONFIRMED
            )
    return None


def _is_explained_by(mode: Mode, question: Question, part: int, window: Window) -> bool:
    """Say whether a slope along one input is what is claimed for another."""
    examination = mode.examination
    domain, _ = spaces_of(examination, question)
    question = mode.ask_along(question, window.restricted(domain, question.direction))
    assert question.pulled is not None
    gradient, reading = question.pulled.gradients[part], read(examination, question)
    if gradient is None or reading is None:
        return False
    numbers, direction = (window.cut(domain, one) for one in (gradient, question.direction))
    measured = reading.residual.shifted(question.claimed)
    item = Probed(question.claimed, measured, numbers, direction)
    return item.holds_for(numbers)


def _other_output(mode: Mode, asked: list[Question]) -> Reason | None:
    """Recognise the gradient of another output: its slopes are what is claimed for this one."""
    codomain = mode.examination.problem.codomain
    own = asked[0].output
    for output, space in enumerate(codomain.parts):
        is_alike = space.signature == codomain.parts[own].signature
        if output == own or not is_alike or mode.examination.is_over_budget():
            continue
        if all(_is_slope_of(mode, question, output) for question in asked):
            paths = {"output": codomain.path(own), "other": codomain.path(output)}
            return causes.OTHER_OUTPUT(**paths, probes=len(asked))
    return None


def _is_slope_of(mode: Mode, question: Question, output: int) -> bool:
    """Say whether a claim is what the same cotangent of another output measures."""
    other = mode.ask(question.part, output, question.weights, question.direction)
    reading = read(mode.examination, other)
    if reading is None:
        return False
    measured = reading.residual.shifted(other.claimed)
    is_sharp = measured.error <= _TELLING * abs(measured.value)
    item = Probed(question.claimed, measured)
    return is_sharp and item.holds(question.claimed, question.yardstick.terms)


def _form_of_residual(
    mode: Mode, one: Question, evidence: Probed, scene: LeafPair, window: Window
) -> Reason | None:
    """Recognise a difference of a known form along a dimension, too large to be written out.

    Along directions that are orthogonal to the form the claim must be right.
    """
    apart = abs(evidence.claimed - evidence.measured.value)
    if apart <= _RICH * evidence.measured.error or not scene.input.shape:
        return None

    @functools.cache
    def may_hold(axis: int) -> bool:
        """Say whether any form along an axis may hold: what none of them spans rules out all."""
        widest = widest_form(scene, axis)
        return widest is None or _shows_nothing(mode, _across(mode, one, widest, window), apart)

    for form in forms(scene):
        if mode.examination.is_over_budget():
            return None
        if not all(map(may_hold, form.axes)) or not _vanishes(mode, one, form, apart, window):
            continue
        fresh = [mode.ask_afresh(one.part, one.output) for _ in range(_CONFIRMED)]
        if all(_vanishes(mode, again, form, apart, window) for again in fresh):
            probes = f"{len(fresh) + 1} of {len(fresh) + 1} probes"
            return form.said(f"{probes} across it find nothing wrong")
    return None


def _vanishes(mode: Mode, one: Question, form: Form, apart: float, window: Window) -> bool:
    """Say whether a claim that is wrong by `apart` is right across a form, and not for nothing."""
    question = _across(mode, one, form, window)
    if not _shows_nothing(mode, question, apart):
        return False
    reading = read(mode.examination, question)
    if reading is None:
        return False
    left, terms = abs(reading.residual.value), question.yardstick.terms
    limit = question.yardstick.tolerance.limit(reading.residual.error, terms)
    # what is forgiven, and a bar, may be many times what is seen: only that speaks of a form
    is_right = left <= min(limit, _TELLING * apart)
    return is_right and reading.slope > _RICH * limit and terms > _RICH * limit


def _across(mode: Mode, one: Question, form: Form, window: Window) -> Question:
    """Return a question along what is left of its direction without a form."""
    domain, _ = spaces_of(mode.examination, one)
    across = form.project_out(window.cut(domain, one.direction))
    return mode.ask_along(one, window.spread(domain, across))


def _shows_nothing(mode: Mode, question: Question, apart: float) -> bool:
    """Say whether nothing is seen to be off, as sharply as most would show that are wrong too."""
    reading = read(mode.examination, question, apart)
    return reading is None or not stands_out(reading)
