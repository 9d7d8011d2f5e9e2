"""Primal: the pass that a derivative makes computes the function's own value.

Where a rule brings a forward pass of its own, it may answer something else than the function; then
what is optimised is not what is differentiated. Frameworks with one pass for both have no such law.
"""

from __future__ import annotations

from dataclasses import replace

from .._findings import Finding
from .._words.laws import ANOTHER_VALUE
from .base import PulledClaim, broken, kept


def examine(pulled_claim: PulledClaim) -> Finding | None:
    """Hold the outputs of the derivative's own pass against those of the function itself.

    They are computed in another order, so they may differ by √ε of their size, or of what rounding
    of the inputs does to them.
    """
    problem, trace = pulled_claim.problem, pulled_claim.claim.trace
    backend = problem.backend
    replayed = backend.replayed(trace.outputs)
    if replayed is None:
        return None
    for pulled in pulled_claim.pulleds:
        output = pulled.output
        space, own = problem.codomain.parts[output], trace.vectors[output]
        found = space.coordinates(replayed[output])
        moved = [
            backend.norm_of_product(backend.where_finite(gradient), problem.coordinates_of_point(k))
            for k, gradient in enumerate(pulled.gradients)
            if gradient is not None
        ]
        size = max([backend.norm(own), *moved])
        apart = backend.distance(found, 1.0, own)
        if not apart <= space.roundoff**0.5 * size:
            path = problem.codomain.path(output)
            reason = ANOTHER_VALUE(path=path, apart=apart, size=backend.norm(own))
            finding = broken(pulled_claim, "primal", None, reason)
            return replace(finding, where=path, output=output)
    return kept("primal")
