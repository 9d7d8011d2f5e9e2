"""One entry at many steps: what the step-size curve is drawn from. It judges nothing.

At each step t the slope is the central difference over the displacement e that really exists,

    (F(x + e) − F(x − e)) / 2e,      wrong by O(t²) and by the round-off of F over t.

Only pictures need it, so it is asked for after a failure, and otherwise where pictures are wanted.
Leaves with many entries take long to move: of them it is asked for only where pictures are wanted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..._backends.arithmetic.counting import LONG
from ..._findings import Curve, Entry, Finding, Verdict
from ..._measure.steps import Range
from ..asking.question import Mode
from ..full.pair import compare_pair
from ..full.suspects import FullPair, entry_at

_RUNGS = 6
_WHOLE_ENTRIES = 1 << 12  # of a Jacobian that is measured for its picture alone


def draw_curves(
    mode: Mode, findings: list[Finding], pairs: list[FullPair]
) -> tuple[list[Finding], list[FullPair]]:
    """Give the finding that decides its curve; measure small Jacobians if pictures are wanted."""
    settings = mode.examination.settings
    if settings.pictures and not pairs:
        pairs = list(_small_pairs(mode))
    is_wrong = any(one.verdict is Verdict.FAIL for one in findings)
    for place, finding in enumerate(findings):
        if finding.verdict is not Verdict.FAIL and is_wrong:
            continue
        entry = _entry_of(mode, finding, pairs)
        curve = None if entry is None else _curve(mode, finding, entry)
        if curve is not None:
            findings = list(findings)
            findings[place] = replace(finding, curve=curve, raised=finding.raised)
            break
    return findings, pairs


def _small_pairs(mode: Mode) -> Iterator[FullPair]:
    problem = mode.examination.problem
    for part, domain in enumerate(problem.domain.parts):
        for output, codomain in enumerate(problem.codomain.parts):
            if 0 < domain.size * codomain.size <= _WHOLE_ENTRIES:
                yield compare_pair(mode, part, output)


def _entry_of(mode: Mode, finding: Finding, pairs: list[FullPair]) -> Entry | None:
    """Return the entry that a finding is about: the worst, or the one with most bars in it."""
    if finding.kind not in ("derivative", "liveness"):
        return None
    if finding.entries:
        return finding.entries[0]
    for pair in pairs:
        if (pair.output, pair.part) == (finding.output, finding.input):
            return _furthest(mode, pair)
    return None


def _furthest(mode: Mode, pair: FullPair) -> Entry | None:
    if pair.measured is None or pair.error is None or not pair.claimed.size:
        return None
    with np.errstate(all="ignore"):
        bars = np.abs(pair.claimed - pair.measured) / pair.error
    place = int(np.argmax(np.where(np.isfinite(bars), bars, -1.0)))
    row, column = (int(k) for k in np.unravel_index(place, bars.shape))
    numbers = (one[row, column] for one in (pair.claimed, pair.measured, pair.error))
    return entry_at(mode.examination, (pair.output, pair.part), (row, column), *numbers)


def _curve(mode: Mode, finding: Finding, entry: Entry) -> Curve | None:
    examination, problem = mode.examination, mode.examination.problem
    part, output = finding.input, finding.output
    if part is None or output is None or entry.row is None or entry.column is None:
        return None
    if problem.domain.parts[part].size >= LONG and not examination.settings.pictures:
        return None
    unit = examination.unit(part, entry.column)
    weights = problem.codomain.parts[output].unit(entry.row)
    one = mode.ask(part, output, weights, unit)
    line, backend = examination.line(part, unit), examination.backend
    steps: list[float] = []
    values: list[float] = []
    errors: list[float] = []
    for step in _steps(examination.steps_of(part, entry.column)):
        if examination.is_over_budget():
            break
        rung = line.rung(step)
        width = 0.0 if rung is None else backend.dot(unit, rung.displacements[0])
        if rung is None or not width:
            continue  # outside the domain, or a move that the dtype rounds away
        value = backend.dot(weights, rung.differences[output]) / width
        if math.isfinite(value):
            functional = one.functional
            steps.append(step)
            values.append(value)
            errors.append(functional.floor(step, abs(value)))
    if not steps:
        return None
    return Curve(
        entry.output,
        entry.input,
        entry.claimed,
        entry.measured,
        tuple(steps),
        tuple(values),
        tuple(errors),
    )


def _steps(steps: Range) -> Iterator[float]:
    """Yield steps over the whole range, the shortest first, a power of two apart."""
    octaves = math.log2(steps.longest) - math.log2(steps.shortest)  # their ratio may overflow
    factor = 2.0 ** max(1, math.ceil(octaves / _RUNGS))
    step = 2.0 ** math.ceil(math.log2(steps.shortest))
    while step <= steps.longest:
        yield step
        step *= factor
