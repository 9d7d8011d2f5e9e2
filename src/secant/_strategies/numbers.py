"""Entries of arrays: short numbers, many with kinks and ties; then any; then extreme ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from hypothesis import strategies as st

from .._errors import expected

# the simplest first: what is drawn shrinks towards the beginning, where few functions have a kink
_SIMPLE = (0.75, -0.75, 0.25, -0.25, 0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, 1.5, -1.5)
_KINKED = (0.0, 1.0, -1.0)  # drawn more often
_APART = (0.75, 0.25, -0.25, -0.75, 1.25, -1.25, 1.75, -1.75)
_GRID = 1024
EDGES = {
    "tiny": tuple(2.0**-power for power in (10, 14, 24, 100, 1000)),
    "large": (1e2, 1e3, 1e4),
}
"""Sizes beyond `low` and `high`: lost beside 1 or underflowing, overflowing in exp."""


def numbers(
    low: float = -2.0, high: float = 2.0, *, edges: str | Iterable[str] = ()
) -> st.SearchStrategy[float]:
    """Draw numbers from `low` to `high`; they shrink towards 0.75 and other short ones.

    Short numbers are frequent, so that entries tie and lie on kinks; what is wrong elsewhere too
    shrinks to a number where few functions have one. `edges` adds `"tiny"` and
    `"large"` ones beyond the range, of both signs where the range has both.

    >>> from hypothesis import find
    >>> find(numbers(), lambda number: number < 0)
    -0.75
    """
    for name, value in (("low", low), ("high", high)):
        if type(value) not in (int, float) or not math.isfinite(value):
            raise expected(name, "a finite number", value)
    if low > high:
        raise expected("high", f"at least low, which is {low!r}", high)
    simple = [number for number in _SIMPLE if low <= number <= high]
    anywhere = st.integers(0, _GRID).map(lambda place: low + (high - low) * (place / _GRID))
    signs = [sign for sign, bound in ((1.0, high > 0), (-1.0, low < 0)) if bound]
    extreme = [sign * size for size in _sizes(edges) for sign in signs]
    kinked = [number for number in simple if number in _KINKED]
    # twice, for a choice among one is none, and would be the simplest of all
    kinds = [st.sampled_from(2 * several) for several in (simple, kinked) if several] + [anywhere]
    return st.one_of(*kinds, *([st.sampled_from(extreme)] if extreme else []))


def apart(drawn: Sequence[float]) -> list[float]:
    """Return entries that do not tie in the place of those that all shrank to the simplest."""
    if any(number != _SIMPLE[0] for number in drawn):
        return list(drawn)
    return [_APART[place % len(_APART)] for place in range(len(drawn))]


def _sizes(edges: Any) -> list[float]:
    names = [edges] if isinstance(edges, str) else list(edges)
    if any(name not in EDGES for name in names):
        raise expected("edges", f"names from {', '.join(EDGES)}", edges)
    return [size for name in names for size in EDGES[name]]
