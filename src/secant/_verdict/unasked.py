"""What was not asked, and why: nothing to ask about, an order that cannot be, a budget spent."""

from __future__ import annotations

from .._findings import Finding
from .._judge.judge import UNKNOWN, conclude
from .._problem.problem import Problem
from .._words.remarks import NOTHING_CHECKED, ORDER_NOT_ASKED


def would_exceed(
    most: tuple[int | None, float | None], spent: tuple[int, float], before: tuple[int, float]
) -> bool:
    """Say whether an order that costs what the last one cost exceeds the limits: it costs more.

    All are evaluations and seconds.
    """
    return any(
        limit is not None and 2 * now - then > limit
        for limit, now, then in zip(most, spent, before, strict=True)
    )


def unasked(why: str) -> Finding:
    """Say why a higher order was not asked about."""
    reason = ORDER_NOT_ASKED(why=why)
    return conclude(UNKNOWN, "derivative", "higher-order derivative", "", reason)


def nothing_checked(problem: Problem) -> Finding:
    """Say that there was nothing to check: absence of evidence is no PASS."""
    is_whole_numbers = not problem.codomain.parts
    reason = NOTHING_CHECKED(is_whole_numbers=is_whole_numbers)
    total = 0 if is_whole_numbers else None
    return conclude(UNKNOWN, "derivative", "derivative", "", reason, total=total)
