"""Layout: the same cotangent gives the same answer however it is stored.

With gaps between its entries (a link of the chain), or expanded: one number that stands for all, as
`out.sum().backward()` hands it over. Only rules written by hand are asked about the second.
"""

from __future__ import annotations

from collections.abc import Callable

from .._backends.base import Array
from .._findings import Finding
from .._words.laws import ASSUMES_MEMORY, ASSUMES_ORDER
from .base import Witness, broken, furthest


def examine_expanded(witness: Witness) -> Finding | None:
    """Pull cotangents of one number each, stored once and stored in full; return what is broken."""
    if witness.claim.has_mutated_cotangent:  # it would write into all entries at once, or raise
        return None
    backend = witness.problem.backend
    answers = [
        witness.problem.coordinates(_pull_constant(witness, store))
        for store in (lambda array: backend.copy(backend.expanded(array)), backend.expanded)
    ]
    place, _ = furthest(witness, answers[0], answers[1], 1.0)
    if place is None:
        return None
    return broken(witness, "layout", place[0], ASSUMES_MEMORY(share=place[1]))


def _pull_constant(witness: Witness, store: Callable[[Array], Array]) -> list[Array | None]:
    cotangents: list[Array | None] = [None] * len(witness.claim.trace.outputs)
    for pulled in witness.pulleds:
        space = witness.problem.codomain.parts[pulled.output]
        if space.size:
            cotangents[pulled.output] = store(space.assemble(pulled.cotangent + 0))
    return witness.claim.pull(cotangents)


def broken_link(witness: Witness, place: tuple[int, float] | None, raised: str) -> Finding:
    """Say that the backward depends on how its cotangent is stored."""
    space = witness.problem.codomain.parts[witness.pulleds[0].output]
    orderly = witness.problem.backend.sparse.scattering(space.reference)
    part, share = (None, 0.0) if place is None else place
    reason = ASSUMES_ORDER(orderly=orderly, share=share, error=raised)
    return broken(witness, "layout", part, reason)
