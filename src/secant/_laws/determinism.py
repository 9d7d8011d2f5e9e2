"""Determinism: the same question gets the same answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from .._backends.base import Array
from .._findings import Finding, Verdict
from .base import Witness, broken, furthest, kept, share_of


def examine(witness: Witness) -> Finding:
    """Pull every cotangent a second time."""
    for pulled in witness.pulleds:
        again = witness.claim.pull_vector(pulled.output, pulled.cotangent).gradients
        place, is_identical = furthest(witness, pulled.gradients, again, 1.0)
        if witness.repeat is not None and not is_identical:
            place = _beyond(witness, pulled.gradients, again)
        if place is not None:
            return broken(
                witness,
                "determinism",
                place[0],
                f"the same cotangent, pulled twice: answers {share_of(place[1], 'their')} apart",
                "the backward keeps state: it accumulates into a buffer, or draws random numbers",
                "overwrite instead of accumulating; save what the backward needs in the forward",
            )
        if not is_identical:
            note = "equal to rounding, not to the bit: sums in another order each time"
            return replace(kept("determinism"), note=note)
    return kept("determinism")


def _beyond(
    witness: Witness, one: Sequence[Array | None], other: Sequence[Array | None]
) -> tuple[int, float] | None:
    """Return the first leaf whose two answers are further apart than was allowed."""
    backend = witness.problem.backend
    for part, (a, b) in enumerate(zip(one, other, strict=True)):
        if a is None or b is None:
            continue
        apart, size = backend.largest(a - b), backend.largest(a)
        if not apart <= (witness.repeat or 0.0):
            return part, apart / size if size else math.inf
    return None


def raised_again(witness: Witness, raised: str) -> Finding:
    """Say that a question that was answered once raises the second time."""
    return broken(
        witness,
        "determinism",
        None,
        f"the same cotangent pulled a second time raises: {raised}",
        "the backward frees or overwrites what it needs",
        "save what the backward needs, and do not write into it",
    )


def is_kept(finding: Finding) -> bool:
    """Say whether the law holds."""
    return finding.verdict is Verdict.PASS
