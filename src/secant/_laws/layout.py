"""Layout: the same cotangent gives the same answer however it is stored.

With gaps between its entries (a link of the chain), or expanded: one number that stands for all, as
`out.sum().backward()` hands it over. Only rules written by hand are asked about the second.
"""

from __future__ import annotations

from collections.abc import Callable

from .._backends.base import Array
from .._findings import Finding
from .base import Witness, broken, furthest, share_of


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
    return broken(
        witness,
        "layout",
        place[0],
        f"pull(v) differs by {share_of(place[1])} when v is expanded, as `out.sum().backward()` "
        "hands it over",
        "the backward assumes that every entry of grad_output has memory of its own",
        "call grad_output.contiguous() before handing it to a kernel, or respect its strides",
    )


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
    orderly, advice = witness.problem.backend.scattering(space.reference)
    if place is None:
        message = f"pull(v) fails when v is not {orderly}: {raised}"
    else:
        message = f"pull(v) differs by {share_of(place[1])} when v is not {orderly}"
    return broken(
        witness,
        "layout",
        None if place is None else place[0],
        message,
        f"the backward assumes a {orderly} grad_output",
        advice,
    )
