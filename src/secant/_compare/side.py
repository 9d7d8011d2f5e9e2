"""One of the functions compared: called once at a point, then asked for gradients.

It takes a function and the leaves it is to see; it gives every leaf of the answer, finite or not,
and pulls through its record. Private copies, restored inputs and counting are those of `Problem`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from .._backends.base import Array, Backend
from .._backends.process.restoration import States, drawn_since, rewind
from .._claims.given import GivenReverse
from .._claims.reverse import ReverseClaim
from .._claims.rules import Rule
from .._errors import NotFinite
from .._problem.pose import door
from .._problem.problem import Problem
from .._problem.trace import Tally, Trace
from .._problem.trees import Arguments, function_name, output_paths
from .._spaces.base import Space
from .._spaces.choose import space_of

Context = Callable[[], AbstractContextManager[Any]]


class Side:
    """A function, and in which context it is called with the leaves of a point."""

    def __init__(
        self,
        function: Callable[..., Any],
        arguments: Arguments,
        backend: Backend,
        chosen: Sequence[int],
        random: States,
        rule: Rule | None = None,
    ) -> None:
        self.name = function_name(function)
        self.backend = backend
        self.tally = Tally()
        self.has_drawn = False  # random numbers, in some call
        self._function = function
        self._arguments = arguments
        self._door = door(function, arguments, backend)
        self.chosen = tuple(chosen)
        self._random = random
        self._rule = rule  # the derivative, where arrays record none

    def run(self, leaves: Sequence[Any], context: Context = contextlib.nullcontext) -> Run:
        """Call the function once, with the random numbers that every call begins with."""

        def paths() -> list[str]:
            every = self._arguments.paths(self._function)
            return [every[place] for place in self.chosen]

        call, recall = self._door
        problem = Problem(self.name, call, self.backend, leaves, self.chosen, paths, recall)
        problem.tally = self.tally  # one for all calls of this function
        rewind(self._random)
        with context(), contextlib.suppress(NotFinite):  # what is not finite is compared, too
            problem.trace()
        self.has_drawn |= bool(drawn_since(self._random))
        assert problem.answered is not None, "a call that raised has raised above"
        return Run(problem, *problem.answered, context, self._rule)


class Run:
    """One call: its answer leaf by leaf, and the pulls through it."""

    def __init__(
        self,
        problem: Problem,
        leaves: list[Array],
        answers: list[Any],
        structure: Any,
        context: Context,
        rule: Rule | None = None,
    ) -> None:
        self.problem = problem
        self.backend = backend = problem.backend
        self.leaves = leaves
        self.answers, self.structure = answers, structure
        self.inexact = [
            place
            for place, answer in enumerate(self.answers)
            if backend.is_array(answer) and backend.is_inexact(answer)
        ]
        self.spaces: dict[int, Space] = {
            place: space_of(backend, backend.detached(self.answers[place]))
            for place in self.inexact
        }
        outputs = [self.answers[place] for place in self.inexact]
        self.attached = [
            place for place in self.inexact if backend.is_attached(self.answers[place])
        ]
        trace = Trace(leaves, outputs, [], bool(self.attached), (), {})
        self._claim = (
            ReverseClaim(problem, trace) if rule is None else GivenReverse(problem, trace, rule)
        )
        self.context = context

    @property
    def device(self) -> Any:
        """Where the differentiated leaves are."""
        return self.backend.signature(self.leaves[0]).device

    def path(self, place: int) -> str:
        """Return the path of one leaf of the answer."""
        return output_paths(self.structure)[place]

    def value(self, place: int) -> Array:
        """Return the coordinates of one leaf of the answer."""
        return self.spaces[place].coordinates(self.answers[place])

    def pull(self, place: int, cotangent: Array, *, is_scattered: bool = False) -> list[Array]:
        """Return the coordinates of Jᵀ v for a cotangent of one leaf of the answer.

        A scattered one has the same entries, stored backwards and with gaps between them.
        """
        cotangents: list[Array | None] = [None] * len(self.inexact)
        value = self.spaces[place].assemble(cotangent + 0)
        cotangents[self.inexact.index(place)] = (
            self.backend.scattered(value) if is_scattered else value
        )
        with self.context():
            pulled = self.problem.coordinates(self._claim.pull(cotangents))
        return [
            self.problem.coordinates_of_point(part) * 0.0 if gradient is None else gradient
            for part, gradient in enumerate(pulled)
        ]


def carry(vector: Array, source: Run, target: Run) -> Array:
    """Return coordinates where the other run has its own: the one way from side to side."""
    if source.backend is target.backend and source.device == target.device:
        return vector
    return target.backend.vector(source.backend.to_numpy(vector), target.leaves[0])
