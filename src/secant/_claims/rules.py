"""Rules: derivatives that are functions of their own, asked for products with a vector.

A pull or a push is asked as a framework would be. A gradient or a Jacobian is asked once at the
point, and multiplied; at other points it is asked again.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any

from .._backends.base import Array
from .._errors import InputError
from .._problem.problem import Problem
from .._spaces.base import Space
from .base import Gradient
from .calling import Caller
from .whole import GivenBlock, Numbers, block_of

Blocks = list[list[GivenBlock | None]]  # [output][part]


class Rule(abc.ABC):
    """One derivative that is a function of its own."""

    words: str  # what a report calls it
    is_whole = False  # all of the Jacobian is had at once
    caller: Caller | None = None  # how an author's function is called; a framework's has none

    def pull(
        self, problem: Problem, values: Sequence[Array] | None, cotangents: Sequence[Array]
    ) -> Gradient:
        """Return Jᵀ v at the point, or at other values of the leaves."""
        raise NotImplementedError

    def push(
        self, problem: Problem, values: Sequence[Array] | None, tangents: Sequence[Array]
    ) -> list[Array | None]:
        """Return J u at the point, or at other values of the leaves."""
        raise NotImplementedError

    def whole(self, problem: Problem) -> Blocks | None:  # noqa: ARG002 most are asked by products
        """Return the Jacobian at the point where the claim is whole."""
        return None


class WrittenRule(Rule):
    """A derivative that is an author's function."""

    def __init__(self, caller: Caller) -> None:
        self.caller: Caller = caller


class PullRule(WrittenRule):
    """`pull(*inputs, v)`."""

    words = "given pull"

    def pull(
        self, problem: Problem, values: Sequence[Array] | None, cotangents: Sequence[Array]
    ) -> Gradient:
        given = _paired(problem.codomain.parts, cotangents)
        answer = self.caller.call(problem, values, [problem.containers.rebuilt(given)])
        found = self.caller.by_part(problem, answer, "gradient")
        return gradients(self.caller, problem, found)


class PushRule(WrittenRule):
    """`push(*inputs, *tangents)`."""

    words = "given push"

    def push(
        self, problem: Problem, values: Sequence[Array] | None, tangents: Sequence[Array]
    ) -> list[Array | None]:
        answer = self.caller.call(problem, values, self.caller.tangents(problem, tangents))
        found = self.caller.by_output(problem, answer, "tangents")
        return [
            self.caller.array(problem.backend, space, one, f"tangent of {problem.codomain.path(k)}")
            for k, (space, one) in enumerate(zip(problem.codomain.parts, found, strict=True))
        ]


class WholeRule(WrittenRule):
    """A claim that is had whole, once, and multiplied."""

    is_whole = True

    def __init__(self, caller: Caller) -> None:
        WrittenRule.__init__(self, caller)
        self._kept: dict[Problem, Blocks] = {}  # the problem, and itself in float64

    @abc.abstractmethod
    def ask(self, problem: Problem, values: Sequence[Array] | None) -> Blocks:
        """Call the author's function and return what it says as matrices."""

    def whole(self, problem: Problem) -> Blocks:
        if problem not in self._kept:
            problem.tally.pulls += 1
            self._kept[problem] = self.ask(problem, None)
        return self._kept[problem]

    def _blocks(self, problem: Problem, values: Sequence[Array] | None) -> Blocks:
        if values is None:
            return self.whole(problem)
        problem.tally.pulls += 1
        return self.ask(problem, values)

    def pull(
        self, problem: Problem, values: Sequence[Array] | None, cotangents: Sequence[Array]
    ) -> Gradient:
        rows, backend = self._blocks(problem, values), problem.backend
        weights = [backend.to_numpy(one) for one in problem.codomain.coordinates(cotangents)]
        sums: list[Numbers | None] = [None] * len(problem.points)
        for row, weight in zip(rows, weights, strict=True):
            for part, block in enumerate(row):
                if block is not None:
                    before = sums[part]
                    term = block.pull(weight)
                    sums[part] = term if before is None else before + term
        return [
            None if one is None else space.assemble(backend.vector(one, space.reference))
            for space, one in zip(problem.domain.parts, sums, strict=True)
        ]

    def push(
        self, problem: Problem, values: Sequence[Array] | None, tangents: Sequence[Array]
    ) -> list[Array | None]:
        rows, backend = self._blocks(problem, values), problem.backend
        moves = [backend.to_numpy(one) for one in problem.domain.coordinates(tangents)]
        answer: list[Array | None] = []
        for row, space in zip(rows, problem.codomain.parts, strict=True):
            terms = [
                block.push(move)
                for block, move in zip(row, moves, strict=True)
                if block is not None
            ]
            total = sum(terms[1:], terms[0]) if terms else None
            answer.append(
                None if total is None else space.assemble(backend.vector(total, space.reference))
            )
        return answer


class JacobianRule(WholeRule):
    """`jacobian(*inputs)`."""

    words = "given Jacobian"

    def ask(self, problem: Problem, values: Sequence[Array] | None) -> Blocks:
        caller, codomain, domain = self.caller, problem.codomain, problem.domain
        found = caller.by_output(problem, caller.call(problem, values, []), "Jacobians")
        return [
            [
                block_of(
                    problem.backend,
                    one,
                    codomain.parts[output],
                    domain.parts[part],
                    f"∂{codomain.path(output)} / ∂{domain.path(part)}",
                    caller.spelt,
                )
                for part, one in enumerate(caller.by_part(problem, row, "Jacobian"))
            ]
            for output, row in enumerate(found)
        ]


class GradientRule(WholeRule):
    """`gradient(*inputs)` of a function whose answer is one real number."""

    words = "given gradient"

    def ask(self, problem: Problem, values: Sequence[Array] | None) -> Blocks:
        spaces = problem.codomain.parts
        if len(spaces) != 1 or spaces[0].size != 1:
            shapes = ", ".join(str(tuple(space.signature.shape)) for space in spaces)
            raise InputError(
                f"expected a function of one real number for `gradient`; `{problem.name}` returns "
                f"{len(spaces)} of shape {shapes}: pass `jacobian` or `pull`"
            )
        answer = self.caller.call(problem, values, [])
        found = gradients(self.caller, problem, self.caller.by_part(problem, answer, "gradient"))
        vectors = problem.coordinates(found)
        return [[None if one is None else _row(problem, one) for one in vectors]]


def _row(problem: Problem, vector: Array) -> GivenBlock:
    return GivenBlock(problem.backend.to_numpy(vector).reshape(1, -1), is_sparse=False)


def gradients(caller: Caller, problem: Problem, found: Sequence[Any]) -> Gradient:
    """Return gradients as arrays of the leaves' own kinds, or say what does not fit."""
    domain = problem.domain
    arrays = [
        caller.array(problem.backend, domain.parts[part], one, f"gradient of {domain.path(part)}")
        for part, one in enumerate(found)
    ]
    return _paired(domain.parts, arrays)


def _paired(spaces: Sequence[Space], arrays: Sequence[Array | None]) -> list[Array | None]:
    """Return arrays between our pairing, Re Σ v̄ w, and that of the framework's own derivatives.

    Where it pairs v and w without a conjugate, Jᵀ v in real coordinates is conj(pull(conj v)).
    """
    return [
        space.assemble(space.conjugated(space.coordinates(array)))
        if array is not None
        and space.backend.pairs_plainly
        and space.backend.is_complex(space.reference)
        else array
        for space, array in zip(spaces, arrays, strict=True)
    ]
