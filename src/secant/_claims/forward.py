"""Forward mode: push(u) = J u through the framework's dual numbers, one call each."""

from __future__ import annotations

from collections.abc import Sequence

from .._backends.base import Array
from .._errors import SecantError
from .._problem.problem import Problem
from .base import ClaimRaised


class ForwardClaim:
    """The Jacobian-vector products of a problem."""

    def __init__(self, problem: Problem, *, has_own_rules: bool = False) -> None:
        self.problem = problem
        self.has_own_rules = has_own_rules
        self._is_traced = False
        self.foreign: int | None = None  # an output whose tangent was of another kind

    def push(self, part: int, tangent: Array, values: Sequence[Array] | None = None) -> list[Array]:
        """Return the coordinates of J u for a tangent of one leaf, zero where there is none.

        At the point itself, or at other values of the leaves.
        """
        tangents = self._zeros()
        tangents[part] = tangent
        pushed = self.push_all(tangents, values)
        return [
            vector * 0 if one is None else one
            for vector, one in zip(self.problem.base_vectors(), pushed, strict=True)
        ]

    def _zeros(self) -> list[Array | None]:
        """Return zero tangents: that absent ones count as zeros is a law of its own."""
        problem = self.problem
        return [
            space.assemble(problem.coordinates_of_point(part) * 0)
            for part, space in enumerate(problem.domain.parts)
        ]

    def push_all(
        self, tangents: Sequence[Array | None], values: Sequence[Array] | None = None
    ) -> list[Array | None]:
        """Return the coordinates of the outputs' tangents, None where there is none."""
        self.problem.tally.pushes += 1
        try:
            pushed = self._pushed(tangents, values)
        except ClaimRaised:
            if self._is_traced:
                raise
            self._is_traced = True  # a function that differentiates inside needs traced inputs
            pushed = self._pushed(tangents, values)
        return [
            None if tangent is None else self._coordinates(output, tangent)
            for output, tangent in enumerate(pushed)
        ]

    def _pushed(
        self, tangents: Sequence[Array | None], values: Sequence[Array] | None
    ) -> list[Array | None]:
        problem, backend = self.problem, self.problem.backend
        point = problem.copies() if values is None else [backend.detached(one) for one in values]
        if self._is_traced:
            point = [backend.leaf(value) for value in point]
        try:
            return backend.push(problem.outputs, point, tangents)
        except Exception as error:
            raise _raised(error) from error

    def push_batch(self, part: int, batch: Array) -> list[Array | None]:
        """Return J u for a batch of tangents of one leaf, a row each, through batching."""
        problem, backend = self.problem, self.problem.backend
        problem.tally.pushes += int(batch.shape[0])
        try:
            answers = backend.push_batch(problem.outputs, problem.copies(), part, batch)
        except Exception as error:
            raise _raised(error) from error
        missing = [None] * (len(problem.codomain.parts) - len(answers))
        return [
            None if answer is None else backend.flatten_batch(answer)
            for answer in [*answers, *missing]
        ]

    def _coordinates(self, output: int, tangent: Array) -> Array:
        space, backend = self.problem.codomain.parts[output], self.problem.backend
        if backend.is_complex(tangent) != backend.is_complex(space.reference):
            self.foreign = output
            tangent = backend.as_kind(tangent, space.reference)
        return space.coordinates(tangent)


def _raised(error: Exception) -> ClaimRaised:
    """Return what the pass raised; the function's own exception where it was the function."""
    cause = error.__cause__ if isinstance(error, SecantError) else None
    return ClaimRaised("the forward-mode pass", cause or error)
