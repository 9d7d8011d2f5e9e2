"""Mutation: neither the inputs nor the cotangent are changed by a pass."""

from __future__ import annotations

from .._findings import Finding
from .._problem.problem import Problem
from .._words.laws import WRITES_INTO_COTANGENT, WRITES_INTO_INPUT
from .base import PulledClaim, broken, kept


def examine(pulled_claim: PulledClaim) -> Finding:
    """Look at what the passes so far have left behind."""
    problem = pulled_claim.problem
    if pulled_claim.claim.has_mutated_cotangent:
        return broken(pulled_claim, "mutation", None, WRITES_INTO_COTANGENT())
    changed = _changed_inputs(problem)
    for part in pulled_claim.parts if changed else ():
        if problem.chosen_place(part) in changed:
            path = problem.domain.path(part)
            return broken(pulled_claim, "mutation", part, WRITES_INTO_INPUT(path=path))
    return kept("mutation")


def _changed_inputs(problem: Problem) -> set[int]:
    """Return the places of leaves that a call has written into, seen or by value."""
    changed = set(problem.leaves.mutated)
    for part, leaf in enumerate(problem.leaves.parts()):
        now = problem.domain.parts[part].coordinates(leaf)
        if not problem.backend.is_equal(now, problem.coordinates_of_point(part)):
            changed.add(problem.chosen_place(part))
    return changed
