"""Infinite: what is infinite does not move, so that nothing but zero can be claimed about it."""

from __future__ import annotations

import numpy as np

from .._findings import Finding
from .._judge.judge import BROKEN, conclude
from .._measure.estimate import Estimate
from .._spaces.finite import FiniteSpace
from .._words.slopes import INFINITE_INPUT
from .base import PulledClaim


def examine(pulled_claim: PulledClaim) -> list[Finding]:
    """Look at what was pulled back to the infinite entries of the leaves."""
    problem = pulled_claim.problem
    findings = []
    for part, space in enumerate(problem.domain.parts):
        if not space.has_infinities:
            continue
        assert isinstance(space, FiniteSpace)
        for pulled in pulled_claim.pulleds:
            array = pulled.arrays[part]
            claimed = np.zeros(1) if array is None else space.coordinates_of_held(array)
            wrong = np.flatnonzero(claimed != 0)
            if wrong.size:
                findings.append(
                    _moves(pulled_claim, part, pulled.output, space, int(wrong[0]), claimed)
                )
    return findings


def _moves(
    pulled_claim: PulledClaim,
    part: int,
    output: int,
    space: FiniteSpace,
    place: int,
    claimed: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> Finding:
    problem = pulled_claim.problem
    entry = problem.domain.path(part) + space.label_of_held(place)
    return conclude(
        BROKEN,
        "derivative",
        "reverse-mode gradient",
        f"∂{problem.codomain.path(output)} / ∂{entry}",
        INFINITE_INPUT(),
        claimed=float(claimed[place]),
        measured=Estimate(0.0, 0.0),
        output=output,
        input=part,
    )
