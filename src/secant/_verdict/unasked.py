"""What was not asked, and why: nothing to ask about, an order that cannot be, a budget spent."""

from __future__ import annotations

from .._findings import Finding
from .._judge.judge import UNKNOWN, conclude
from .._problem.problem import Problem


def would_exceed(budget: float | None, spent: tuple[int, float], before: tuple[int, float]) -> bool:
    """Say whether an order that costs what the last one cost exceeds the budget: it costs more."""
    if budget is None:
        return False
    kind = 0 if isinstance(budget, int) else 1
    return 2 * spent[kind] - before[kind] > budget


def unasked(why: str) -> Finding:
    """Say why a higher order was not asked about."""
    message = f"a higher order could not be asked about: {why}"
    return conclude(UNKNOWN, "derivative", "higher-order derivative", "", message)


def nothing_checked(problem: Problem) -> Finding:
    """Say that there was nothing to check: absence of evidence is no PASS."""
    if problem.codomain.parts:
        why = "no output claims a derivative, and the liveness law, which asks why, was left out"
        total = None
    else:
        why = "every output holds whole numbers or truth values, which have no derivative"
        total = 0
    return conclude(
        UNKNOWN,
        "derivative",
        "derivative",
        "",
        f"nothing was checked: {why}",
        total=total,
    )
