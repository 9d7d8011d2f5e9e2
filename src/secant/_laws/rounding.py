"""What rounding does to a claim's answers: the same cotangents, given a few round-offs away.

A gradient that cancels is made of what rounding leaves of larger terms, and nothing that can be
seen from outside says how large they are. What a rule makes of cotangents that hardly differ does.
"""

from __future__ import annotations

from .._constants import CLEARLY, COVERAGE
from .base import PulledClaim

_DRAWS = 3


def own_noise(pulled_claim: PulledClaim) -> dict[int, float]:
    """Return by how much entries of each leaf's gradient may differ where no law is broken.

    Only of claims that give the same answer twice.
    """
    problem, noise = pulled_claim.problem, dict.fromkeys(pulled_claim.parts, 0.0)
    for pulled in pulled_claim.pulleds:
        space = problem.codomain.parts[pulled.output]
        widest = dict.fromkeys(pulled_claim.parts, 0.0)
        for _ in range(_DRAWS):
            shifts = COVERAGE * space.roundoff * pulled_claim.directions.draw(space)
            nudged = space.coordinates(space.assemble(pulled.cotangent * (1.0 + shifts)))
            again = pulled_claim.claim.pull_vector(pulled.output, nudged).gradients
            for part, (a, b) in enumerate(zip(pulled.gradients, again, strict=True)):
                if a is not None and b is not None:
                    apart = problem.backend.largest(problem.backend.apart(a, b))
                    widest[part] = max(widest[part], apart)
        for part, apart in widest.items():
            noise[part] += CLEARLY * apart
    return noise
