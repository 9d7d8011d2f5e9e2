"""Batching: pulling a batch of cotangents gives what pulling them one by one gives."""

from __future__ import annotations

from dataclasses import replace

from .._errors import spell
from .._findings import Finding
from .._words.laws import BACKWARD_CANNOT_BE_BATCHED, BATCH_DIFFERS, NO_BATCHES
from .base import PulledClaim, broken, furthest, kept, unasked


def examine(pulled_claim: PulledClaim) -> Finding:
    """Pull v and another w as one batch, and hold its rows against pull(v) and pull(w)."""
    backend, problem = pulled_claim.problem.backend, pulled_claim.problem
    if not all(space.can_be_batched for space in (*problem.domain.parts, *problem.codomain.parts)):
        return unasked("batching", NO_BATCHES())
    for pulled in pulled_claim.pulleds:
        space = problem.codomain.parts[pulled.output]
        other = pulled_claim.claim.pull_vector(pulled.output, pulled_claim.directions.draw(space))
        rows = backend.stack([pulled.cotangent, other.cotangent])
        batch = backend.unflatten_batch(rows, space.reference)
        try:
            answers = pulled_claim.claim.pull_batch(pulled.output, batch)
        except Exception as error:
            reason = BACKWARD_CANNOT_BE_BATCHED(error=spell(error))
            return unasked("batching", reason, error)
        for row, alone in enumerate((pulled, other)):
            found = [
                None if answer is None else backend.flatten_batch(answer)[row] for answer in answers
            ]
            place, _ = furthest(pulled_claim, alone.gradients, found, 1.0)
            if place is not None:
                finding = broken(pulled_claim, "batching", place[0], BATCH_DIFFERS(share=place[1]))
                return replace(finding, output=pulled.output)
    return kept("batching")
