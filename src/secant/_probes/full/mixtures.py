"""Tall Jacobians: outputs that far outnumber inputs are pulled in a few random mixtures.

Every column is still measured entry by entry; v'(claimed column) is held against v'(measured
column) for a few signed v with magnitudes in [1/2, 3/2). A single wrong entry δ shows as at least
δ/2, bars add in quadrature, and three pulls do the work of ten thousand.
"""

from __future__ import annotations

import numpy as np

from ..asking.columns import Columns, Matrix
from ..base import Examination

_MIXTURES = 3
_TALL = 8
_FEW = 128


def mixture(examination: Examination, output: int) -> Matrix | None:
    """Return random cotangents as rows, or None where outputs are few enough to be asked alone."""
    problem = examination.problem
    space = problem.codomain.parts[output]
    if space.size <= _TALL * (problem.domain.size + _FEW):
        return None
    draws = [examination.directions.draw(space) for _ in range(_MIXTURES)]
    return np.stack([examination.backend.to_numpy(draw) for draw in draws])


def mixed(chunk: Columns, output: int, mix: Matrix | None) -> Columns:
    """Return measured columns contracted with the mixtures."""
    if mix is None:
        return chunk
    answer = Columns(chunk.places, [], [], [], [], [], [], chunk.noise)
    for k in range(output + 1):
        is_it = k == output
        nothing = np.zeros((len(chunk.places), 0))
        answer.measured.append(chunk.measured[k] @ mix.T if is_it else nothing)
        answer.error.append(np.sqrt(chunk.error[k] ** 2 @ mix.T**2) if is_it else nothing)
        answer.right.append(chunk.right[k] @ mix.T if is_it else nothing)
        answer.left.append(chunk.left[k] @ mix.T if is_it else nothing)
        answer.gap_far.append(chunk.gap_far[k] @ np.abs(mix.T) if is_it else nothing)
        answer.size.append(np.sqrt(chunk.size[k] ** 2 @ mix.T**2) if is_it else nothing)
    return answer
