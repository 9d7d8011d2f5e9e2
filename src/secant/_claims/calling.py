"""How derivatives written by hand are called, and how what they answer is read.

    pull(*inputs, v)          gradients, one for each input; v is like the function's answer
    push(*inputs, *tangents)  tangents like the function's answer; one is given for each input
    gradient(*inputs)         gradients of one real number, one for each input
    jacobian(*inputs)         for each output, matrices, one for each input

With one input its gradient need not be put into a tuple. An input that is a container has a
gradient in the same containers, None where there is none. Inputs that are not differentiated
(integers, strings) need no gradient, and get no tangent. Keyword arguments are passed on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._backends.base import Array, Backend
from .._problem.problem import Problem
from .._problem.trees import Arguments, parameter_names, spell_structure, split_like
from .._spaces.base import Space
from .base import ClaimMisfit, ClaimRaised, refuse_unusable_answer


@dataclass(slots=True)
class Caller:
    """One derivative written by hand, called with the arguments of a problem."""

    keyword: str  # pull, push, gradient or jacobian
    derivative: Callable[..., Any]
    function: Callable[..., Any]  # what it is the derivative of
    arguments: Arguments
    changed: int | None = None  # a differentiated leaf that a call has written into
    notes: dict[str, None] = field(default_factory=dict)  # in the order in which they came up

    @property
    def spelt(self) -> str:
        """Spell the derivative as the user passed it."""
        return f"`{self.keyword}`"

    def call(self, problem: Problem, values: Sequence[Array] | None, extra: Sequence[Any]) -> Any:
        """Return the answer at the point, or at other values of the leaves."""
        leaves = problem.leaves_at(values)
        positional, named = self.arguments.rebuild(leaves)
        try:
            answer = self.derivative(*positional, *extra, **named)
        except Exception as error:
            raise ClaimRaised(self.spelt, error) from error
        points = problem.points if values is None else values
        for part, (space, point) in enumerate(zip(problem.domain.parts, points, strict=True)):
            leaf = leaves[problem.chosen_place(part)]
            if problem.backend.is_deleted(leaf):
                continue  # given away to the answer: it was a copy
            given = space.coordinates(leaf)
            if not problem.backend.is_equal(given, space.coordinates(point)):
                self.changed = part
        return answer

    # -- containers ------------------------------------------------------------------------------

    def by_part(self, problem: Problem, answer: Any, what: str) -> list[Any]:
        """Return what an answer holds for each differentiated leaf."""
        inputs = _Inputs.of(self, problem)
        whole = inputs.split(answer)
        if whole is None:
            raise ClaimMisfit(self._miscounted(inputs, answer, what))
        by_place: dict[int, Any] = {}
        for k, one in whole.items():
            leaves = split_like(inputs.structures[k], one)
            if leaves is None:
                wanted = spell_structure(inputs.structures[k])
                raise ClaimMisfit(
                    f"{self.spelt} returned {_describe(one)} as the {what} of {inputs.names[k]}; "
                    f"expected containers like its own, {wanted}"
                )
            by_place.update(zip(inputs.places(k), leaves, strict=True))
        return [by_place[problem.chosen_place(part)] for part in range(len(problem.points))]

    def rank(self, problem: Problem, part: int) -> int | None:
        """Return which of the values in an answer belongs to a leaf, from 1 on; None: the only."""
        inputs, place = _Inputs.of(self, problem), problem.chosen_place(part)
        if self.keyword == "push" or len(inputs.differentiated) < 2:
            return None
        return next(
            k + 1 for k, one in enumerate(inputs.differentiated) if place in inputs.places(one)
        )

    def _miscounted(self, inputs: _Inputs, answer: Any, what: str) -> str:
        names = [inputs.names[k] for k in inputs.differentiated]
        return (
            f"{self.spelt} returned {_describe(answer)} for {len(names)} inputs "
            f"({', '.join(names)}); expected a tuple of one {what} for each. What is constant "
            "goes into `kwargs`"
        )

    def by_output(self, problem: Problem, answer: Any, what: str) -> list[Any]:
        """Return what an answer holds for each output that is checked."""
        found = problem.containers.split(answer)
        if found is None:
            raise ClaimMisfit(
                f"{self.spelt} returned {_describe(answer)}; expected {what} in containers like "
                f"those that the function returns, {problem.containers.spelt()}"
            )
        return found

    def tangents(self, problem: Problem, tangents: Sequence[Array]) -> list[Any]:
        """Return one tangent for each differentiated input, in its own containers."""
        inputs = _Inputs.of(self, problem)
        by_place = {problem.chosen_place(part): one for part, one in enumerate(tangents)}
        return [
            inputs.structures[k].unflatten([by_place.get(place) for place in inputs.places(k)])
            for k in inputs.differentiated
        ]

    # -- arrays ----------------------------------------------------------------------------------

    def array(self, backend: Backend, space: Space, value: Any, of: str) -> Array | None:
        """Return an array of the space's own shape and kind, or say what about it is wrong.

        `of` names it: "gradient of x". What has more digits than it needs is rounded, and noted.
        """
        if value is None:
            return None
        array = backend.as_array(value)
        if array is None:
            raise ClaimMisfit(
                f"{self.spelt} returned {_describe(value)} as the {of}; expected an array of "
                f"{backend.name}"
            )
        refuse_unusable_answer(backend, array, self.spelt, f"the {of}")
        shape, wanted = tuple(backend.signature(array).shape), tuple(space.signature.shape)
        if shape != wanted:
            raise ClaimMisfit(
                f"{self.spelt} returned an array of shape {shape} as the {of}, whose shape is "
                f"{wanted}"
            )
        if backend.is_complex(array) and not backend.is_complex(space.reference):
            raise ClaimMisfit(
                f"{self.spelt} returned complex numbers as the {of}, which is real: take the real "
                "part"
            )
        if not backend.is_complex(array) and backend.is_complex(space.reference):
            return backend.as_kind(array, space.reference)
        # a function may compute in fewer digits than its arrays have
        finest = min(space.roundoff, backend.roundoff(space.reference))
        if backend.is_inexact(array) and backend.roundoff(array) >= finest:
            return backend.copy(array)  # the next answer may come in the same buffer
        own = backend.dtype_name(array)
        self.note(f"the {of} came as {own}, not {backend.dtype_name(space.reference)}")
        return backend.copy(space.assemble(space.coordinates(array)))

    def note(self, words: str) -> None:
        """Keep a remark for the report."""
        self.notes[f"{self.spelt}: {words}"] = None


@dataclass(frozen=True, slots=True)
class _Inputs:
    """The positional arguments: their structures, their names, and which are differentiated."""

    structures: list[Any]
    starts: list[int]  # the place of each argument's first leaf
    names: list[str]
    differentiated: list[int]

    @staticmethod
    def of(caller: Caller, problem: Problem) -> _Inputs:
        structures = caller.arguments.positional()
        counts = [int(one.num_leaves) for one in structures]
        starts = [sum(counts[:k]) for k in range(len(counts))]
        chosen = {problem.chosen_place(part) for part in range(len(problem.points))}
        names = parameter_names(caller.function)
        return _Inputs(
            structures,
            starts,
            [names[k] if k < len(names) else f"input{k}" for k in range(len(structures))],
            [
                k
                for k, count in enumerate(counts)
                if chosen & set(range(starts[k], starts[k] + count))
            ],
        )

    def places(self, k: int) -> range:
        """Return the places of one argument's leaves among all leaves."""
        return range(self.starts[k], self.starts[k] + self.structures[k].num_leaves)

    def split(self, answer: Any) -> dict[int, Any] | None:
        """Return what an answer holds for each differentiated argument, None if it does not fit."""
        wanted, every = self.differentiated, len(self.structures)
        if len(wanted) == 1:
            return {wanted[0]: self._only(answer)}
        if answer is None:
            return dict.fromkeys(wanted)
        are_scalars = all(self.structures[k].is_leaf() for k in wanted)
        if not isinstance(answer, (tuple, list)):
            shape = getattr(answer, "shape", ())
            if not (are_scalars and tuple(shape) == (len(wanted),)):
                return None
        if len(answer) == len(wanted):
            return dict(zip(wanted, answer, strict=True))
        return {k: answer[k] for k in wanted} if len(answer) == every else None

    def _only(self, answer: Any) -> Any:
        """Return the one gradient that is due, out of the tuple that it may have come in."""
        k, every = self.differentiated[0], len(self.structures)
        if not isinstance(answer, tuple):
            return answer
        is_own_container = not self.structures[k].is_leaf()
        if len(answer) == 1 and not is_own_container:
            return answer[0]
        if is_own_container and split_like(self.structures[k], answer) is not None:
            return answer
        return answer[k] if len(answer) == every else answer


def _describe(value: Any) -> str:
    """Spell what something is, arrays with their shape."""
    if value is None:
        return "None"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):
        module = type(value).__module__.partition(".")[0]
        return f"an array of {module} of shape {tuple(shape)}"
    return f"a {type(value).__name__}"
