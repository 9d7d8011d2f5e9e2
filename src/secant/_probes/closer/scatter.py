"""What rounding makes of a function's values: calls a few round-offs to either side of the point.

Of F(x + δ) + F(x − δ) − 2 F(x) slopes are no part: what is left is noise. Values that are computed
backward-stably scatter by their own rounding, as the model of noise says, and a bar holds that.
Those that are rounding themselves, as a product with the mean of what was centred is, scatter by as
much as they are, even where along one line they are smooth for long; of them no slope is known, and
none is blamed.
"""

from __future__ import annotations

import math
from dataclasses import replace

from ..._backends.base import Array
from ..._constants import CLEARLY, COVERAGE
from ..._measure.difference import Functional, Reading
from ..._spaces.directions import Directions
from ..base import Examination

_LINES = 2  # along one, values that are rounding may be the same ones by luck


def with_scatter(examination: Examination, functional: Functional, reading: Reading) -> Reading:
    """Return a reading whose bar holds what rounding makes of the values: asked before any blame.

    Once for all outputs, leaves and directions: four calls.
    """
    if examination.scatter is None:
        examination.scatter = _scatter(examination)
    if not examination.scatter:
        return reading
    backend, residual = examination.backend, reading.residual
    noise = backend.norm_of_product(examination.scatter[functional.output], functional.weights)
    size = math.hypot(functional.ambient(backend), reading.slope * functional.reach)
    if noise <= CLEARLY * functional.roundoff * size:
        return reading  # rounding as it is known to the bar
    error = max(residual.error, COVERAGE * noise / reading.step)
    return replace(reading, residual=replace(residual, error=error))


def _scatter(examination: Examination) -> list[Array]:
    """Return by how much outputs differ from what lies to both sides; nothing at a border."""
    backend, spaces = examination.backend, examination.problem.domain.parts
    drawn = Directions(examination.settings.seed + 1)
    widest: list[Array] = []
    for _ in range(_LINES):
        directions = {
            part: drawn.draw(space) * backend.absolute(examination.point(part))
            for part, space in enumerate(spaces)
        }
        paces = {part: COVERAGE * space.roundoff for part, space in enumerate(spaces)}
        rung = examination.joint_line(directions, paces).rung(1.0)
        if rung is not None and rung.bends is not None:
            sizes = [backend.absolute(backend.where_finite(bend)) for bend in rung.bends]
            widest = list(map(backend.larger, widest, sizes)) if widest else sizes
    return widest
