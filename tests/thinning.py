"""A seeded sample of a population of cases for `make test`; `make agreement` runs them all.

Where the cases of one test are many of one kind (sizes × seeds × dtypes × modes), each catches what
its neighbours catch. `@pytest.mark.thinned(keep=12)` keeps twelve of them, drawn so that every
value of every parameter is among them as far as that many can show it; the others are `slow`.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest


def thin(items: Iterable[pytest.Item]) -> None:
    """Mark as slow what a sample of each population leaves out."""
    families: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("thinned") is not None:
            families.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for name, family in families.items():
        marker = family[0].get_closest_marker("thinned")
        kept = sample(name, {item.nodeid: values_of(item) for item in family}, **marker.kwargs)
        for item in family:
            if item.nodeid not in kept:
                item.add_marker(pytest.mark.slow)


def values_of(item: pytest.Item) -> frozenset[tuple[str, int]]:
    """Return which value of each parameter a case has, by its place."""
    return frozenset(item.callspec.indices.items())


def sample(name: str, cases: dict[str, frozenset[tuple[str, int]]], *, keep: int) -> set[str]:
    """Return so many cases by name: each shows as many values as possible that none showed before.

    >>> pairs = {f"{a}{b}": frozenset({("a", a), ("b", b)}) for a in range(3) for b in range(3)}
    >>> len({name[0] for name in sample("test", pairs, keep=3)})
    3
    """
    left = sorted(cases)
    random.Random(name).shuffle(left)
    kept: set[str] = set()
    seen: set[tuple[str, int]] = set()
    while left and len(kept) < keep:
        best = max(left, key=lambda case: len(cases[case] - seen))
        if not cases[best] - seen:
            seen = set()  # all are seen: every value once more
        left.remove(best)
        kept.add(best)
        seen |= cases[best]
    return kept
