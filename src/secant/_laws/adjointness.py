"""Adjointness: ⟨v, push u⟩ = ⟨pull v, u⟩ to rounding: both modes are one Jacobian."""

from __future__ import annotations

from .._claims.forward import ForwardClaim
from .._constants import COVERAGE, LAW_LEAST, LAW_ROUNDINGS, QUARTER
from .._findings import Finding
from .._words.laws import MODES_DIFFER
from .base import Witness, broken, kept


def examine(witness: Witness, forward: ForwardClaim) -> Finding:
    """Compare both contractions for every pair of leaves, along one direction each."""
    backend, problem = witness.problem.backend, witness.problem
    outputs = problem.codomain.parts
    for part in witness.parts:
        space = problem.domain.parts[part]
        direction = witness.directions.draw(space)
        pushed = forward.push(part, space.assemble(direction))
        for pulled in witness.pulleds:
            gradient, tangent = pulled.gradients[part], pushed[pulled.output]
            backward = 0.0 if gradient is None else backend.dot(gradient, direction)
            forwards = backend.dot(pulled.cotangent, tangent)
            size = backend.norm(pulled.cotangent * tangent)
            if gradient is not None:
                size = max(size, backend.norm(gradient * direction))
            roundoff = max(space.roundoff, outputs[pulled.output].roundoff)
            share = max(LAW_LEAST, min(LAW_ROUNDINGS * roundoff, QUARTER), witness.rtol)
            # what cancels leaves rounding behind, which is no broken promise
            each = witness.residue(part) + witness.forgiven
            allowed = share * size + each * backend.norm(direction)
            # nor is what the function itself is too noisy to tell
            allowed += COVERAGE * witness.bars.get((part, pulled.output), 0.0)
            if not abs(backward - forwards) <= allowed:
                output = problem.codomain.path(pulled.output)
                reason = MODES_DIFFER(forward=forwards, reverse=backward, output=output)
                return broken(witness, "adjointness", part, reason)
    return kept("adjointness")
