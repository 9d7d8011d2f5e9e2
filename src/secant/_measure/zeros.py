"""Leaves of zeros, which do not say what a long step is.

Takes a reading that does not acquit, and gives one that was taken nearer where that shows another
slope, or shows more.
"""

from __future__ import annotations

import math
from dataclasses import replace

from .difference import Functional, Reading
from .ladder import climb, is_resolved
from .line import Line
from .steps import Range


def nearer_to_zero(line: Line, functional: Functional, steps: Range, far: Reading) -> Reading:
    """Return what shorter steps tell of a leaf of zeros, where it is another slope.

    Zeros do not say what a long step is: further away another term may rule, as steadily.
    """
    longest = min(far.step, steps.first)
    if functional.reach or longest <= steps.nearest:
        return far
    first = math.sqrt(steps.nearest * longest)
    nearby = replace(steps, first=first, shortest=steps.nearest, longest=longest)
    near = climb(line, functional, nearby, lambda _: False)
    if near is None:
        return far
    if not is_resolved(far) and near.residual.error < far.residual.error:
        return near  # slopes that fall with the step are told from zero there
    if not near.slope or not is_resolved(near):
        return far
    apart = abs(near.residual.value - far.residual.value)
    return near if apart > near.residual.error + far.residual.error else far
