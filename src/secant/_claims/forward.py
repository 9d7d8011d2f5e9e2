"""Forward mode: push(u) = J u through the framework's dual numbers, one call each."""

from __future__ import annotations

from .._backends.base import Array
from .._errors import SecantError
from .._problem.problem import Problem
from .base import ClaimRaised


class ForwardClaim:
    """The Jacobian-vector products of a problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    def push(self, part: int, tangent: Array) -> list[Array]:
        """Return the coordinates of J u for a tangent of one leaf, zero where there is none."""
        problem = self.problem
        tangents: list[Array | None] = [None] * len(problem.points)
        tangents[part] = tangent
        problem.tally.pushes += 1
        values = [problem.backend.leaf(value) for value in problem.copies()]
        try:
            pushed = problem.backend.push(problem.outputs, values, tangents)
        except SecantError as error:
            raise ClaimRaised("the forward-mode pass", error.__cause__ or error) from error
        except Exception as error:
            raise ClaimRaised("the forward-mode pass", error) from error
        return [
            space.coordinates(space.reference * 0 if tangent is None else tangent)
            for space, tangent in zip(problem.codomain.parts, pushed, strict=True)
        ]
