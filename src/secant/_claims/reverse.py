"""Reverse mode: pull(v) = Jᵀ v through the record of one call."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from .._backends.base import Array
from .._problem.problem import Problem
from .._problem.trace import Trace
from .._records import quickly_made
from .base import ClaimRaised, Gradient, backward_pass


@quickly_made
@dataclass(frozen=True, slots=True)
class Pulled:
    """A cotangent of one output and the gradients it was pulled back to."""

    output: int
    cotangent: Array  # coordinates of v
    arrays: Gradient  # the gradients as they came
    gradients: Gradient  # their coordinates; None claims zero


class ReverseClaim:
    """The vector-Jacobian products of one traced call."""

    def __init__(self, problem: Problem, trace: Trace, *, is_watched: bool = True) -> None:
        self.problem = problem
        self.trace = trace
        self._is_watched = is_watched  # for what backwards do to cotangents: laws ask
        self.has_mutated_cotangent = False

    def pull(self, cotangents: Sequence[Array | None]) -> Gradient:
        """Return Jᵀ v; an absent v counts as zero and is not even mentioned to the framework.

        The cotangents are given away: a backward may write into them.
        """
        backend = self.problem.backend
        outputs: list[Array] = []
        given: list[Array] = []
        for output, cotangent in zip(self.trace.outputs, cotangents, strict=True):
            if cotangent is not None and backend.is_attached(output):
                outputs.append(output)
                given.append(cotangent)
        if not outputs:
            return [None] * len(self.trace.leaves)
        self.problem.tally.pulls += 1
        try:
            if not self.problem.recalls:
                return backend.pull(outputs, self.trace.leaves, given)
            with self.problem.recalling(self.trace.leaves):
                return backend.pull(outputs, self.trace.leaves, given)
        except Exception as error:
            operation = backend.raising_operation(outputs, self.trace.leaves, given)
            raise ClaimRaised(backward_pass(self.problem.backend), error, operation) from error

    def has_own_rules(self) -> bool:
        """Say whether derivatives written by hand, or hooks, took part in the call."""
        if self.trace.has_hooks:
            return True
        known = self.problem.has_own_rules
        return self.problem.backend.has_own_rules(self.trace.outputs) if known is None else known

    def pull_nothing(self, absent: Collection[int]) -> Gradient:
        """Return what zero cotangents are pulled back to, those of some outputs being absent."""
        backend, outputs = self.problem.backend, self.trace.outputs
        attached = [k for k, output in enumerate(outputs) if backend.is_attached(output)]
        hidden = {rank for rank, k in enumerate(attached) if k in absent}
        self.problem.tally.pulls += 1
        try:
            with self.problem.recalling(self.trace.leaves):
                return backend.pull_nothing(
                    [outputs[k] for k in attached], self.trace.leaves, hidden
                )
        except Exception as error:
            raise ClaimRaised(backward_pass(self.problem.backend), error) from error

    def pull_vector(self, output: int, cotangent: Array) -> Pulled:
        """Pull a cotangent of one output back, given and answered in coordinates.

        One that is not made yet is made for the backward alone, which may write into it.
        """
        space, backend = self.problem.codomain.parts[output], self.problem.backend
        whole = backend.whole(cotangent)
        is_made = whole is not cotangent
        value = space.passing(whole if is_made else space.spare(whole))
        cotangents: list[Array | None] = [None] * len(self.trace.outputs)
        cotangents[output] = value
        arrays = self.pull(cotangents)
        if self._is_watched and not is_made:
            self.has_mutated_cotangent |= not backend.is_equal(space.coordinates(value), cotangent)
        return Pulled(output, cotangent, arrays, self.problem.coordinates(arrays))

    def pull_at(
        self,
        values: Sequence[Array],
        output: int,
        cotangent: Array,
        outputs: Sequence[Array] | None = None,
    ) -> Gradient:
        """Return the coordinates of Jᵀ v at another point, for a cotangent of one output.

        `outputs` are what the function has answered there, where it was called already.
        """
        problem, backend = self.problem, self.problem.backend
        outputs = problem.outputs(values) if outputs is None else outputs
        if not backend.is_attached(outputs[output]):
            return [None] * len(values)
        problem.tally.pulls += 1
        space = problem.codomain.parts[output]
        value = space.passing(space.spare(cotangent))
        try:
            with problem.recalling(values):
                pulled = backend.pull([outputs[output]], problem.in_place(values), [value])
                return problem.coordinates(pulled)
        except Exception as error:
            raise ClaimRaised(backward_pass(self.problem.backend), error) from error

    def pull_batch(self, output: int, cotangents: Array) -> Gradient:
        """Return Jᵀ v for a batch of cotangents of one output, through the framework's batching."""
        if not self.problem.backend.is_attached(self.trace.outputs[output]):
            return [None] * len(self.trace.leaves)
        self.problem.tally.pulls += int(cotangents.shape[0])
        with self.problem.recalling(self.trace.leaves):
            return self.problem.backend.pull_batch(
                self.trace.outputs[output], self.trace.leaves, cotangents
            )
