"""Layout: the same cotangent gives the same answer however it is stored.

With gaps between its entries (a link of the chain), or expanded: one number that stands for all, as
`out.sum().backward()` hands it over. Only rules written by hand are asked about the second.
"""

from __future__ import annotations

from collections.abc import Callable

from .._backends.base import Array
from .._findings import Finding
from .._words.laws import ASSUMES_MEMORY
from .base import PulledClaim, broken, furthest


def examine_expanded(pulled_claim: PulledClaim) -> Finding | None:
    """Pull cotangents of one number each, stored once and stored in full; return what is broken."""
    if (
        pulled_claim.claim.has_mutated_cotangent
    ):  # it would write into all entries at once, or raise
        return None
    backend = pulled_claim.problem.backend
    answers = [
        pulled_claim.problem.coordinates(_pull_constant(pulled_claim, store))
        for store in (lambda array: backend.copy(backend.expanded(array)), backend.expanded)
    ]
    place, _ = furthest(pulled_claim, answers[0], answers[1], 1.0)
    if place is None:
        return None
    return broken(pulled_claim, "layout", place[0], ASSUMES_MEMORY(share=place[1]))


def _pull_constant(
    pulled_claim: PulledClaim, store: Callable[[Array], Array]
) -> list[Array | None]:
    cotangents: list[Array | None] = [None] * len(pulled_claim.claim.trace.outputs)
    for pulled in pulled_claim.pulleds:
        space = pulled_claim.problem.codomain.parts[pulled.output]
        if space.size:
            cotangents[pulled.output] = store(space.assemble(pulled.cotangent + 0))
    return pulled_claim.claim.pull(cotangents)
