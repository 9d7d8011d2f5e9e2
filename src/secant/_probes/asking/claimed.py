"""Whole Jacobians as claimed: row by row in reverse mode, column by column in forward mode."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..._claims.base import Gradient
from ..._claims.forward import ForwardClaim
from ..._claims.reverse import ReverseClaim
from ..base import Examination
from .columns import WORTH_BATCHING, Batching, Matrix, chunks


def claimed_rows(
    examination: Examination, claim: ReverseClaim, output: int, batching: Batching
) -> list[Matrix]:
    """Return ∂output/∂(every leaf) as claimed, one (outputs, inputs) matrix per leaf."""
    problem = examination.problem
    space = problem.codomain.parts[output]
    sizes = [part.size for part in problem.domain.parts]
    rows = [np.zeros((space.size, size)) for size in sizes]
    if not problem.backend.is_attached(claim.trace.outputs[output]):
        return rows
    for places in chunks(examination, space.size, max([space.size, *sizes])):
        for part, block in enumerate(_row_block(examination, claim, output, places, batching)):
            if block is not None:
                rows[part][places[0] : places[-1] + 1] = block
    return rows


def _row_block(
    examination: Examination,
    claim: ReverseClaim,
    output: int,
    places: Sequence[int],
    batching: Batching,
) -> list[Matrix | None]:
    backend, problem = examination.backend, examination.problem
    space = problem.codomain.parts[output]
    nothing = examination.trace.vectors[output] * 0
    ones = backend.rows_with(nothing, places, 1.0)
    if batching.backward and len(places) >= WORTH_BATCHING:
        try:
            answers = claim.pull_batch(output, backend.unflatten_batch(ones, space.reference))
            batching.was_used = True
            return [
                None if answer is None else backend.to_numpy(backend.flatten_batch(answer))
                for answer in answers
            ]
        except Exception:  # whatever a batching rule raises, a loop will do
            batching.backward = False
    pulled = [claim.pull_vector(output, ones[k]).gradients for k in range(len(places))]
    return list(stacked(examination, pulled))


def stacked(examination: Examination, pulled: Sequence[Gradient]) -> list[Matrix]:
    """Return gradients as the rows of a matrix for each leaf, zeros where none is claimed."""
    to_numpy = examination.backend.to_numpy
    return [
        np.stack([np.zeros(space.size) if one is None else to_numpy(one) for one in rows])
        for space, rows in zip(
            examination.problem.domain.parts, zip(*pulled, strict=True), strict=True
        )
    ]


def claimed_columns(examination: Examination, claim: ForwardClaim, output: int) -> list[Matrix]:
    """Return ∂output/∂(every leaf) as claimed by forward mode, one push per coordinate."""
    backend, problem = examination.backend, examination.problem
    answer = []
    for part, space in enumerate(problem.domain.parts):
        matrix = np.zeros((problem.codomain.parts[output].size, space.size))
        nothing = examination.point(part) * 0
        for place in range(space.size):
            unit = backend.rows_with(nothing, [place], 1.0)[0]
            pushed = claim.push(part, space.assemble(unit))[output]
            matrix[:, place] = backend.to_numpy(pushed)
        answer.append(matrix)
    return answer
