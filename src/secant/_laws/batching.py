"""Batching: pulling a batch of cotangents gives what pulling them one by one gives."""

from __future__ import annotations

from dataclasses import replace

from .._errors import spell
from .._findings import Finding
from .._words.laws import BACKWARD_CANNOT_BE_BATCHED, BATCH_DIFFERS, NO_BATCHES
from .base import Witness, broken, furthest, kept, unasked


def examine(witness: Witness) -> Finding:
    """Pull v and another w as one batch, and hold its rows against pull(v) and pull(w)."""
    backend, problem = witness.problem.backend, witness.problem
    if not all(space.can_be_batched for space in (*problem.domain.parts, *problem.codomain.parts)):
        return unasked("batching", NO_BATCHES())
    for pulled in witness.pulleds:
        space = problem.codomain.parts[pulled.output]
        other = witness.claim.pull_vector(pulled.output, witness.directions.draw(space))
        rows = backend.stack([pulled.cotangent, other.cotangent])
        batch = backend.unflatten_batch(rows, space.reference)
        try:
            answers = witness.claim.pull_batch(pulled.output, batch)
        except Exception as error:
            reason = BACKWARD_CANNOT_BE_BATCHED(error=spell(error))
            return unasked("batching", reason, error)
        for row, alone in enumerate((pulled, other)):
            found = [
                None if answer is None else backend.flatten_batch(answer)[row] for answer in answers
            ]
            place, _ = furthest(witness, alone.gradients, found, 1.0)
            if place is not None:
                finding = broken(witness, "batching", place[0], BATCH_DIFFERS(share=place[1]))
                return replace(finding, output=pulled.output)
    return kept("batching")
