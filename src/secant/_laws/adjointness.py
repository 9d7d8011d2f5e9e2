"""Adjointness: ⟨v, push u⟩ = ⟨pull v, u⟩ to rounding: both modes are one Jacobian."""

from __future__ import annotations

import math

from .._claims.forward import ForwardClaim
from .._constants import COVERAGE
from .._findings import Finding
from .._words.laws import MODES_DIFFER
from .base import PulledClaim, broken, kept, kept_to


def examine(pulled_claim: PulledClaim, forward: ForwardClaim) -> Finding:
    """Compare both contractions for every pair of leaves, along one direction each."""
    backend, problem = pulled_claim.problem.backend, pulled_claim.problem
    outputs = problem.codomain.parts
    for part in pulled_claim.parts:
        space = problem.domain.parts[part]
        direction = pulled_claim.directions.draw(space)
        pushed = forward.push(part, space.assemble(direction))
        for pulled in pulled_claim.pulleds:
            gradient, tangent = pulled.gradients[part], pushed[pulled.output]
            backward = 0.0 if gradient is None else backend.dot(gradient, direction)
            forwards = backend.dot(pulled.cotangent, tangent)
            if forwards == backward or (math.isnan(forwards) and math.isnan(backward)):
                continue  # what is not finite in both is the same, and its size no number
            size = backend.norm(pulled.cotangent * tangent)
            if gradient is not None:
                size = max(size, backend.norm(gradient * direction))
            roundoff = max(space.roundoff, outputs[pulled.output].roundoff)
            share = max(kept_to(roundoff), pulled_claim.rtol)
            # what cancels leaves rounding behind, which is no broken promise
            each = pulled_claim.residue(part) + pulled_claim.forgiven
            allowed = share * size + each * backend.norm(direction)
            # nor is what the function itself is too noisy to tell
            allowed += COVERAGE * pulled_claim.bars.get((part, pulled.output), 0.0)
            if not abs(backward - forwards) <= allowed:
                output = problem.codomain.path(pulled.output)
                reason = MODES_DIFFER(forward=forwards, reverse=backward, output=output)
                return broken(pulled_claim, "adjointness", part, reason)
    return kept("adjointness")
