"""Whether a function casts to lower precision inside, and the same function without those casts."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from .._errors import SecantError
from .._problem.lift import Lifted, why_not
from .._problem.problem import Problem
from .._problem.trace import Trace
from .base import Examination


@dataclass(frozen=True, slots=True)
class Uncast:
    """A problem without the casts that its function makes inside."""

    problem: Problem
    trace: Trace
    left_out: dict[str, float]  # dtypes that were cast to, with their round-offs

    @property
    def roundoff(self) -> float:
        """The coarsest rounding that was left out."""
        return max(self.left_out.values())


def uncast(examination: Examination) -> Uncast | None:
    """Return the problem without casts; None if there are none, or it is another function then.

    Asked once, where a claim does not look right: one more call, without them.
    """
    if not examination.has_looked_for_casts:
        examination.has_looked_for_casts = True
        examination.uncast = _uncast(examination)
    return examination.uncast


def _uncast(examination: Examination) -> Uncast | None:
    problem, context = examination.problem, examination.backend.uncasting()
    if context is None:
        return None
    try:
        with context as left_out:
            wide = problem.widened()
            wide.tally = problem.tally  # one function, one count of what is asked of it
            found = Uncast(wide, wide.trace(), left_out)
    except SecantError:
        return None  # it does not run without them
    lifted = Lifted(wide, found.trace, contextlib.nullcontext)
    if not left_out or why_not(problem, examination.trace, lifted, found.roundoff):
        return None
    return found
