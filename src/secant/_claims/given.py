"""Derivatives given by hand: the claims are what the author's own functions answer."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from .._backends.base import Array
from .._problem.problem import Problem
from .._problem.trace import Trace
from .base import ClaimRaised, Gradient
from .forward import ForwardClaim
from .reverse import ReverseClaim
from .rules import Rule
from .whole import GivenBlock, Numbers


class GivenReverse(ReverseClaim):
    """The vector-Jacobian products of a rule."""

    def __init__(self, problem: Problem, trace: Trace, rule: Rule) -> None:
        ReverseClaim.__init__(self, problem, trace)
        self.rule = rule

    def pull(self, cotangents: Sequence[Array | None]) -> Gradient:
        """Return Jᵀ v; an absent v is given as zeros."""
        if all(cotangent is None for cotangent in cotangents):
            return [None] * len(self.trace.leaves)
        return self._pull(None, cotangents)

    def _pull(self, values: Sequence[Array] | None, cotangents: Sequence[Array | None]) -> Gradient:
        self.problem.tally.pulls += not self.rule.is_whole  # those count what they ask themselves
        spaces = self.problem.codomain.parts
        given = [
            space.assemble(vector * 0) if cotangent is None else cotangent
            for space, vector, cotangent in zip(
                spaces, self.problem.base_vectors(), cotangents, strict=True
            )
        ]
        return self.rule.pull(self.problem, values, given)

    def has_own_rules(self) -> bool:
        return True

    def pull_nothing(self, absent: Collection[int]) -> Gradient:  # noqa: ARG002 zeros stand for it
        return self._pull(None, [None] * len(self.problem.codomain.parts))

    def pull_at(
        self,
        values: Sequence[Array],
        output: int,
        cotangent: Array,
        outputs: Sequence[Array] | None = None,  # noqa: ARG002 a rule knows no call
    ) -> Gradient:
        cotangents: list[Array | None] = [None] * len(self.problem.codomain.parts)
        space = self.problem.codomain.parts[output]
        cotangents[output] = space.assemble(space.spare(cotangent))
        return self.problem.coordinates(self._pull(values, cotangents))

    def pull_batch(self, output: int, cotangents: Array) -> Gradient:
        """Return rows of a Jacobian that is given whole; others are pulled one by one."""
        blocks = self.rule.whole(self.problem)
        if blocks is None:
            raise ClaimRaised("batching", NotImplementedError("rules are asked one by one"))
        problem, backend = self.problem, self.problem.backend
        rows = backend.to_numpy(backend.flatten_batch(cotangents))
        return [
            None
            if block is None
            else backend.unflatten_batch(
                backend.vector(_product(rows, block), space.reference), space.reference
            )
            for block, space in zip(blocks[output], problem.domain.parts, strict=True)
        ]


def _product(rows: Numbers, block: GivenBlock) -> Numbers:
    return np.ascontiguousarray(block.pull(rows.T).T)


class GivenForward(ForwardClaim):
    """The Jacobian-vector products of a rule."""

    def __init__(self, problem: Problem, rule: Rule) -> None:
        ForwardClaim.__init__(self, problem)
        self.rule = rule
        self.has_mutated_tangent = False

    def push_all(
        self, tangents: Sequence[Array | None], values: Sequence[Array] | None = None
    ) -> list[Array | None]:
        problem = self.problem
        problem.tally.pushes += not self.rule.is_whole
        given = [
            space.assemble(problem.coordinates_of_point(part) * 0) if one is None else one
            for part, (space, one) in enumerate(zip(problem.domain.parts, tangents, strict=True))
        ]
        before = [vector + 0 for vector in problem.domain.coordinates(given)]
        pushed = self.rule.push(problem, values, given)
        after = problem.domain.coordinates(given)
        self.has_mutated_tangent |= not all(map(problem.backend.is_equal, before, after))
        return [
            None if one is None else space.coordinates(one) + 0
            for space, one in zip(problem.codomain.parts, pushed, strict=True)
        ]

    def push_batch(self, part: int, batch: Array) -> list[Array | None]:  # noqa: ARG002
        raise ClaimRaised("batching", NotImplementedError("rules are asked one by one"))
