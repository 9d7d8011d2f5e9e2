"""Mutation: neither the inputs nor the cotangent are changed by a pass."""

from __future__ import annotations

from .._findings import Finding
from .base import Witness, broken, kept


def examine(witness: Witness) -> Finding:
    """Look at what the passes so far have left behind."""
    problem = witness.problem
    if witness.claim.has_mutated_cotangent:
        return broken(
            witness,
            "mutation",
            None,
            "the backward pass writes into the cotangent it was given",
            "an in-place operation on grad_output; other branches of a graph see the damage",
            "work on a copy: replace `grad_output.op_(...)` with `grad_output.op(...)`",
        )
    changed = set(problem.changed_inputs())
    for part in witness.parts:
        if problem.chosen_place(part) in changed:
            return broken(
                witness,
                "mutation",
                part,
                f"the function writes into its input {problem.domain.path(part)}",
                "an in-place operation on an input, hidden from autograd",
                "work on a copy of the input",
            )
    return kept("mutation")
