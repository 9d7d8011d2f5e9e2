"""Holes: claims that are NaN or infinite, at a point where the function is finite.

Such a claim is wrong wherever the function moves finitely beside the point. Only a slope that grows
as the step shrinks, and goes on growing down to the shortest one (√x at 0), may be called infinite.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from .._constants import CLEARLY, KEPT
from .._findings import Entry, Evidence, Finding
from .._judge.judge import conclude
from .._measure.difference import Functional, Reading
from .._measure.ladder import climb
from .._measure.line import Line, Rung
from .._measure.steps import Range, ladder_factor
from .._words import slopes
from .asking.question import Mode, Question
from .failing.failure import pair_path

_MOST = 3


def examine_holes(mode: Mode, question: Question) -> Finding:
    """Return the finding about a claim that is not finite somewhere."""
    examination = mode.examination
    assert question.holes is not None
    numbers = examination.backend.to_numpy(question.holes)
    places = np.flatnonzero(~np.isfinite(numbers))
    entries, has_no_limit = [], False
    for place in places[:_MOST].tolist():
        line, functional, steps = _across(mode, question, place)
        has_no_limit = has_no_limit or _has_no_limit(line, functional, steps)
        reading = None if has_no_limit else climb(line, functional, steps, lambda _: False)
        if reading is not None and not _is_out_of_range(mode, question, reading):
            entries.append(_entry(mode, question, place, float(numbers[place]), reading))
    where = pair_path(examination, question.part, question.output)
    is_nan = bool(np.isnan(numbers[places]).any())
    facts = {"has_slope": bool(entries), "has_no_limit": has_no_limit, "is_nan": is_nan}
    evidence = Evidence("hole", {name: float(fact) for name, fact in facts.items()})
    if entries:
        return conclude(
            evidence,
            "derivative",
            mode.subject,
            where,
            slopes.CLAIM_IS_NOT_FINITE(),
            claimed=entries[0].claimed,
            measured=entries[0].measured,
            entries=tuple(entries),
            wrong=int(places.size),
            wrong_is_estimate=places.size > _MOST,
            total=numbers.size,
            output=question.output,
            input=question.part,
        )
    is_right = has_no_limit and not is_nan
    return conclude(
        evidence,
        "derivative",
        mode.subject,
        where,
        slopes.INFINITE_SLOPE() if is_right else slopes.NO_SLOPE_TO_MEASURE(),
        slopes.NOT_FINITE(count=int(places.size), total=int(numbers.size)),
        claimed=None if is_right else float(numbers[places[0]]),
        total=numbers.size,
        output=question.output,
        input=question.part,
    )


def _across(mode: Mode, question: Question, place: int) -> tuple[Line, Functional, Range]:
    """Return a line across one hole and what is read from it, with no claim to subtract."""
    examination, part, output = mode.examination, question.part, question.output
    weights, direction, steps = question.weights, question.direction, examination.steps(part)
    if mode.pulls:  # holes are at inputs then, else at outputs
        direction, steps = examination.unit(part, place), examination.steps_of(part, place)
    else:
        weights = examination.problem.codomain.parts[output].unit(place)
    functional = examination.functional(part, output, weights, ())
    functional = replace(functional, reach=steps.reach)
    return examination.line(part, direction), functional, steps


def _has_no_limit(line: Line, functional: Functional, steps: Range) -> bool:
    """Say whether slopes grow all the way from the first step to the shortest that shows one."""
    return any(_grows(line, functional, steps, sample) for sample in line.samples)


def _grows(
    line: Line, functional: Functional, steps: Range, sample: Callable[[float], Rung | None]
) -> bool:
    backend, output, weights = line.backend, functional.output, functional.weights
    slopes: list[float] = []
    step = steps.first
    while step >= steps.shortest:
        rung = sample(step)
        size = math.nan
        if rung is not None:
            size = backend.norm_of_product(rung.differences[output], weights) / rung.width
            if rung.bends is not None:
                size = max(size, backend.norm_of_product(rung.bends[output], weights) / rung.width)
        if not math.isfinite(size):
            return False
        if size <= CLEARLY * functional.floor(step, size):
            break  # what is seen from here on may be round-off
        slopes.append(size)
        step /= ladder_factor(functional.roundoff)
    is_growing = all(near >= far for far, near in itertools.pairwise(slopes))
    return len(slopes) > 2 and is_growing and KEPT**0.5 * slopes[-1] > slopes[0]


def _is_out_of_range(mode: Mode, question: Question, reading: Reading) -> bool:
    """Say whether the slope is too large for the dtype of its gradient: infinity rounds it."""
    problem, backend = mode.examination.problem, mode.examination.backend
    space = problem.domain.parts[question.part]
    if not mode.pulls:
        space = problem.codomain.parts[question.output]
    slopes = backend.where_finite(question.holes) * 0 + reading.residual.value
    return not backend.is_finite(space.coordinates(space.assemble(slopes)))


def _entry(mode: Mode, question: Question, place: int, claimed: float, reading: Reading) -> Entry:
    domain, codomain = mode.examination.problem.domain, mode.examination.problem.codomain
    if mode.pulls:
        output = f"⟨v, {codomain.path(question.output)}⟩"
        return Entry(output, domain.label(question.part, place), claimed, reading.residual)
    label = codomain.label(question.output, place)
    return Entry(label, f"⟨u, {domain.path(question.part)}⟩", claimed, reading.residual)
