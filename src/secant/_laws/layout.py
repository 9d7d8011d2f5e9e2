"""Layout: the same cotangent gives the same answer however it is stored.

With gaps between its entries (a link of the chain), or expanded: one number that stands for all, as
`out.sum().backward()` hands it over. Only rules written by hand are asked about the second.
"""

from __future__ import annotations

from collections.abc import Callable

from .._backends.base import Array
from .._claims.base import Gradient
from .._findings import Finding
from .._words.laws import ASSUMES_MEMORY, KEEPS_STATE
from .base import PulledClaim, broken, furthest


def examine_expanded(pulled_claim: PulledClaim) -> Finding | None:
    """Pull cotangents of one number each, stored once and stored in full; return what is broken.

    A backward that draws random numbers answers otherwise whatever the cotangent is stored as, and
    was found to repeat itself if a function that draws as well was called between its two pulls.
    """
    if (
        pulled_claim.claim.has_mutated_cotangent
    ):  # it would write into all entries at once, or raise
        return None
    backend = pulled_claim.problem.backend

    def in_full(array: Array) -> Array:
        return backend.copy(backend.expanded(array))

    full, once = (_pull_constant(pulled_claim, store) for store in (in_full, backend.expanded))
    place, _ = furthest(pulled_claim, full, once, 1.0)
    if place is None:
        return None
    other, _ = furthest(pulled_claim, full, _pull_constant(pulled_claim, in_full), 1.0)
    if other is not None:
        return broken(pulled_claim, "determinism", other[0], KEEPS_STATE(share=other[1]))
    return broken(pulled_claim, "layout", place[0], ASSUMES_MEMORY(share=place[1]))


def _pull_constant(pulled_claim: PulledClaim, store: Callable[[Array], Array]) -> Gradient:
    cotangents: list[Array | None] = [None] * len(pulled_claim.claim.trace.outputs)
    for pulled in pulled_claim.pulleds:
        space = pulled_claim.problem.codomain.parts[pulled.output]
        if space.size:
            cotangents[pulled.output] = store(space.assemble(pulled.cotangent + 0))
    return pulled_claim.problem.coordinates(pulled_claim.claim.pull(cotangents))
