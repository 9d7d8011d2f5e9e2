"""One process of a group: it calls the function with the leaves it is given, and pulls.

Every order is exactly one call, or one pull: what the function's collectives wait for on other
processes is then the same call there. What is raised is the answer, like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from .._backends.base import Array, Backend
from .._backends.processes import Wire
from .._backends.seal import States, drawn_since, random_states, rewind
from .._errors import InputError, SecantError, spell
from .._problem.problem import Problem
from .._problem.trees import output_paths
from .joints import Declared, declare
from .settings import Together


class Order(NamedTuple):
    """What a process is asked to do, and what it need not remember any longer."""

    verb: str  # "call", "pull"
    number: int  # of the record: that is to be made, or that is pulled
    given: list[Array | None]  # values of the leaves; cotangents of the outputs
    nothing: tuple[int, ...] = ()  # outputs whose cotangent is zero, not absent
    versions: tuple[str, ...] = ()
    forgotten: tuple[int, ...] = ()
    again: int | None = None  # under which number what is pulled can be pulled again
    is_first: bool = False  # outputs are to be declared

    def position(self, place: int) -> int:
        """Return which of the cotangents that are pulled belongs to an output."""
        is_asked = (k for k in range(place) if self.given[k] is not None or k in self.nothing)
        return sum(1 for _ in is_asked)


@dataclass(slots=True)
class Answer:
    """What came of an order."""

    arrays: list[Array | None] = field(default_factory=list)
    attached: list[bool] = field(default_factory=list)
    declared: list[Declared] = field(default_factory=list)
    written: dict[int, Array] = field(default_factory=dict)  # what was given and written into
    raised: str = ""
    is_unsupported: bool = False
    is_refused: bool = False  # by secant itself, which has said why
    is_collateral: bool = False  # another process has left a collective alone
    interruption: BaseException | None = None

    def travelling(self) -> Answer:
        """Return what another process can be told of it."""
        if self.interruption is not None:
            return Answer(raised=type(self.interruption).__name__, interruption=Interrupted())
        return self


class Interrupted(KeyboardInterrupt):
    """Stands for what has interrupted another process."""


@dataclass(frozen=True, slots=True)
class _Record:
    """One call, or one pull that can be pulled again, on this process."""

    problem: Problem
    inputs: list[Array]
    outputs: list[Array | None]
    spread: set[int]  # outputs that were spread over processes, and led out of that


class Member:
    """A problem whose calls are made and pulled one order at a time."""

    def __init__(self, problem: Problem, wire: Wire, together: Together) -> None:
        self._problem = problem
        self._wide: Problem | None = None
        self._wire = wire
        self._together = together
        self._backend: Backend = problem.backend
        self._random: States = ()
        self._is_new = True
        self._records: dict[int, _Record] = {}

    def obey(self, order: Order) -> Answer:
        """Do what is asked; whatever is raised is told, not raised."""
        try:
            for number in order.forgotten:
                self._records.pop(number, None)
            own = order.versions == self._backend.processes.versions_here()
            with nullcontext() if own else self._backend.processes.in_versions(order.versions):
                return self._call(order) if order.verb == "call" else self._pull(order)
        except Exception as error:
            refused = isinstance(error, SecantError)
            inner = error.__cause__ if refused and error.__cause__ is not None else error
            return Answer(
                raised=str(error) if refused else spell(error),
                is_unsupported=self._backend.is_unsupported(inner),
                is_refused=refused and inner is error,
                is_collateral=self._wire.is_collateral(inner),
            )
        except BaseException as interruption:
            return Answer(interruption=interruption)

    # -- calls -----------------------------------------------------------------------------------

    def _call(self, order: Order) -> Answer:
        backend = self._backend
        problem = self._at(order.given)
        backend.modes.ready()
        rewind(self._random)
        before = random_states(backend) if self._is_new else ()
        leaves = [backend.leaf(value) for value in order.given]
        stamps = [backend.stamp(leaf) for leaf in leaves]
        answered, structure = problem.answer_at(dict(enumerate(leaves)))
        if self._is_new:
            self._random, self._is_new = drawn_since(before), False
            self._refuse_behind(answered)
        paths = output_paths(structure)
        outputs: list[Array | None] = []
        declared, spread = [], set()
        for path, one in zip(paths, answered, strict=True):
            if not backend.is_array(one) or not backend.is_inexact(one):
                continue
            placed = backend.processes.shard_of(one)
            local, shard = (one, None) if placed is None else (placed.local, placed.shard)
            if placed is not None:
                spread.add(len(outputs))
            outputs.append(local)
            now = self._value(local)
            declared.append(declare(backend, path, now, self._together, shard))
        self._records[order.number] = _Record(problem, leaves, outputs, spread)
        after = [backend.stamp(leaf) for leaf in leaves]
        return Answer(
            [one.value for one in declared],
            [backend.is_attached(one) for one in outputs],
            declared if order.is_first else [replace(one, value=None) for one in declared],
            {k: order.given[k] for k in range(len(after)) if after[k] != stamps[k]},
        )

    def _refuse_behind(self, answered: Sequence[Any]) -> None:
        """Say which leaf the function reads behind its arguments, where it is not moved."""
        backend, own = self._backend, self._problem.leaves.own()
        arrays = [one for one in answered if backend.is_array(one)]
        found = backend.depended_on(arrays, own) or []
        for part, is_read in enumerate(found):
            if is_read:
                raise InputError(
                    f"expected `{self._problem.name}` to read {self._problem.domain.path(part)} "
                    "from its arguments; it reads the array itself, which is not moved with `group`"
                )

    def _value(self, array: Array) -> Array:
        return self._backend.processes.settled(self._backend.detached(array))

    def _at(self, values: Sequence[Array | None]) -> Problem:
        """Return the problem as it is, or in float64 where the values are of that."""
        backend, points = self._backend, self._problem.points
        if all(
            backend.signature(value).dtype == backend.signature(point).dtype
            for value, point in zip(values, points, strict=True)
        ):
            return self._problem
        if self._wide is None:
            self._wide = self._problem.widened()
        return self._wide

    # -- pulls -----------------------------------------------------------------------------------

    def _pull(self, order: Order) -> Answer:
        backend = self._backend
        record = self._records[order.number]
        problem, inputs, outputs = record.problem, record.inputs, record.outputs
        cotangents = {
            k: one if one is not None else self._value(outputs[k]) * 0
            for k, one in enumerate(order.given)
            if one is not None or k in order.nothing
        }
        if not cotangents:  # the way out of what is spread takes zeros, and nothing else
            cotangents = {k: self._value(outputs[k]) * 0 for k in record.spread}
        if order.again is not None:
            cotangents = {k: backend.leaf(one) for k, one in cotangents.items()}
        stamps = {k: backend.stamp(one) for k, one in cotangents.items()}
        attached = [
            k for k, one in enumerate(outputs) if one is not None and backend.is_attached(one)
        ]
        asked = [k for k in attached if k in cotangents]
        gradients: list[Array | None] = [None] * len(inputs)
        with problem.recalling(inputs[: len(problem.points)]):
            if asked:
                gradients = backend.pull(
                    [outputs[k] for k in asked],
                    inputs,
                    [cotangents[k] for k in asked],
                    differentiable=order.again is not None,
                )
            elif attached:
                every = [outputs[k] for k in attached]
                try:
                    gradients = backend.pull_nothing(every, inputs, range(len(every)))
                except Exception as error:
                    if not backend.processes.needs_cotangents(error):
                        raise
        if order.again is not None:
            again = [*inputs, *cotangents.values()]
            self._records[order.again] = _Record(problem, again, gradients, set())
        return Answer(
            [None if one is None else self._value(one) for one in gradients],
            [one is not None and backend.is_attached(one) for one in gradients],
            written={
                k: backend.detached(one)
                for k, one in cotangents.items()
                if backend.stamp(one) != stamps[k]
            },
        )
