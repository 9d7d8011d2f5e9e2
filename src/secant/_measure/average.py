"""Many differences around one step, averaged: where rounding rules, and rounding is independent.

In bfloat16 one difference carries noise of a few per cent at every useful step. At points that lie
some roundings apart rounding errors are independent, so that the mean of K extrapolated values at
steps between 3/4 and 5/4 of the best one has 1/√K of their scatter s. Truncation does not average
out. With E the value extrapolated from ρ(t) and ρ(2t), and E' from ρ(2t) and ρ(4t), E' − E is
fifteen times what E is wrong by; and kinks between the steps show in it, entry by entry, the same
ones each time. With c that difference, averaged, per output, and S for `SPREADS` of Student's t,
whose spread for K values is √((K − 1)/(K − 3)),

    b = S s/√K + max( |Σ c|, 2 ‖c‖ ),      at least the modelled round-off over √K.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence

from .._backends.base import Array
from .._constants import SPREADS
from .difference import Functional, Reading
from .estimate import Estimate
from .line import Line
from .noise import modelled

COUNT = 12  # steps around the best one
OF_A_MEAN = SPREADS * math.sqrt((COUNT - 1) / (COUNT - 3) / COUNT)
"""The bar of a mean of so many values, in standard deviations of one: 99.9 % by Student's t."""


def windows(step: float) -> Iterator[float]:
    """Yield the steps around one that means are taken over, from 3/4 to 5/4 of it."""
    for place in range(COUNT):
        yield step * (0.75 + 0.5 * place / (COUNT - 1))


def mean_of(values: Sequence[float]) -> Estimate:
    """Return the mean of as many values, with Student's bar."""
    return Estimate(statistics.fmean(values), OF_A_MEAN * statistics.stdev(values))


def average(line: Line, functional: Functional, step: float) -> Reading | None:
    """Return the mean reading around a step, None where that leaves the domain."""
    values, slopes = [], []
    changes: Array = 0.0
    for shortest in windows(step):
        rungs = [_slopes(line, functional, shortest * times) for times in (1, 2, 4)]
        (residual, near), (residual_beyond, middle), (_, far) = rungs
        if near is None or middle is None or far is None:
            return None
        values.append((4 * residual - residual_beyond) / 3)
        changes = changes + (5 * middle - far - 4 * near) / 3  # E' − E
        slopes.append(max(line.backend.norm(near), abs(line.backend.total(near))))
    backend, slope = line.backend, statistics.fmean(slopes)
    if not math.isfinite(sum(values) + backend.total(changes)):
        return None
    floor = modelled(functional.roundoff, functional.base, step, slope) / math.sqrt(COUNT)
    changed = max(abs(backend.total(changes)), 2 * backend.norm(changes)) / COUNT
    mean = mean_of(values)
    return Reading(Estimate(mean.value, max(mean.error + changed, floor)), slope, step)


def _slopes(line: Line, functional: Functional, step: float) -> tuple[float, Array | None]:
    """Return the residual slope of one rung and the weighted slopes; None at a border."""
    rung = line.rung(step)
    if rung is None:
        return math.nan, None
    slopes = rung.differences[functional.output] * functional.weights / rung.width
    claimed = functional.claimed(line.backend, rung.displacements) / rung.width
    return line.backend.total(slopes) - claimed, slopes
