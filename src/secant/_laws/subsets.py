"""Subsets: asking for some inputs' gradients only gives the same ones."""

from __future__ import annotations

from .._backends.base import Array
from .._claims.base import ClaimRaised, backward_pass
from .._findings import Finding
from .._words.laws import SUBSET_DIFFERS
from .base import PulledClaim, broken, furthest, kept


def examine(pulled_claim: PulledClaim) -> Finding:
    """Differentiate in each leaf alone and hold it against the gradient asked for with all."""
    backend, problem = pulled_claim.problem.backend, pulled_claim.problem
    if len(pulled_claim.parts) < 2:
        return kept("subsets")
    together = pulled_claim.added_up()
    for part in pulled_claim.parts:
        values = problem.copies()
        values[part] = backend.leaf(values[part])
        outputs = problem.outputs(values)
        asked = [
            (
                outputs[pulled.output],
                problem.codomain.parts[pulled.output].assemble(pulled.cotangent),
            )
            for pulled in pulled_claim.pulleds
            if backend.is_attached(outputs[pulled.output])
        ]
        alone: list[Array | None] = [None] * len(together)
        try:
            if asked:
                with problem.recalling(values):
                    leaf = problem.in_place(values)[part]
                    alone[part] = _pull(pulled_claim, part, leaf, asked)
        except ClaimRaised as raised:
            return _differs(pulled_claim, part, 0.0, str(raised))
        expected: list[Array | None] = [None] * len(together)
        expected[part] = together[part]
        place, _ = furthest(pulled_claim, expected, alone, 1.0)
        if place is not None:
            return _differs(pulled_claim, part, place[1], "")
    return kept("subsets")


def _pull(
    pulled_claim: PulledClaim, part: int, leaf: Array, asked: list[tuple[Array, Array]]
) -> Array | None:
    problem = pulled_claim.problem
    problem.tally.pulls += 1
    try:
        gradient = problem.backend.pull([o for o, _ in asked], [leaf], [v for _, v in asked])[0]
    except Exception as error:
        raise ClaimRaised(backward_pass(problem.backend), error) from error
    return None if gradient is None else problem.domain.parts[part].coordinates(gradient)


def _differs(pulled_claim: PulledClaim, part: int, share: float, error: str) -> Finding:
    path = pulled_claim.problem.domain.path(part)
    return broken(
        pulled_claim, "subsets", part, SUBSET_DIFFERS(path=path, share=share, error=error)
    )
