"""Determinism: the same question gets the same answer."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .._backends.base import Array
from .._findings import Finding, Verdict
from .._words.laws import ANOTHER_ORDER, KEEPS_STATE, NOT_TWICE
from .base import PulledClaim, broken, furthest, kept


def examine(pulled_claim: PulledClaim) -> Finding:
    """Pull every cotangent a second time."""
    for pulled in pulled_claim.pulleds:
        again = pulled_claim.claim.pull_vector(pulled.output, pulled.cotangent).gradients
        place, is_identical = furthest(pulled_claim, pulled.gradients, again, 1.0)
        if pulled_claim.nondeterminism is not None and not is_identical:
            place = _beyond(pulled_claim, pulled.gradients, again)
        if place is not None:
            return broken(pulled_claim, "determinism", place[0], KEEPS_STATE(share=place[1]))
        if not is_identical:
            return kept("determinism").because(ANOTHER_ORDER())
    return kept("determinism")


def _beyond(
    pulled_claim: PulledClaim, one: Sequence[Array | None], other: Sequence[Array | None]
) -> tuple[int, float] | None:
    """Return the first leaf whose two answers are further apart than was allowed."""
    backend = pulled_claim.problem.backend
    for part, (a, b) in enumerate(zip(one, other, strict=True)):
        if a is None or b is None:
            continue
        apart, size = backend.largest(a - b), backend.largest(a)
        if not apart <= (pulled_claim.nondeterminism or 0.0):
            return part, apart / size if size else math.inf
    return None


def raised_again(pulled_claim: PulledClaim, raised: str) -> Finding:
    """Say that a question that was answered once raises the second time."""
    return broken(pulled_claim, "determinism", None, NOT_TWICE(error=raised))


def is_kept(finding: Finding) -> bool:
    """Say whether the law holds."""
    return finding.verdict is Verdict.PASS
