"""One process of a group: it calls the function with the leaves it is given, and pulls.

Every order is exactly one call, or one pull: what the function's collectives wait for on other
processes is then the same call there. What is raised is the answer, like any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .._backends.base import Array, Backend
from .._backends.interface.processes import Wire
from .._backends.process.restoration import States, drawn_since, random_states, rewind
from .._errors import EvaluationError, InputError, SecantError, spell
from .._problem.problem import Problem
from .._problem.trees import output_paths
from .._records import quickly_made
from .joints import Declared, Shard, declare
from .settings import GroupSettings


class Order(NamedTuple):
    """What a process is asked to do, and what it need not remember any longer."""

    verb: str  # "call", "pull", "push"
    number: int  # of the record: that is to be made, or that is pulled or pushed
    nothing: tuple[int, ...] = ()  # outputs whose cotangent is zero, not absent
    versions: tuple[str, ...] = ()
    forgotten: tuple[int, ...] = ()
    again: int | None = None  # under which number what is pulled can be pulled again
    is_first: bool = False  # outputs are to be declared
    given: Sequence[Array | None] = ()  # values of leaves; cotangents of outputs; tangents

    def position(self, place: int) -> int:
        """Return which of the cotangents that are pulled belongs to an output."""
        is_asked = (k for k in range(place) if self.given[k] is not None or k in self.nothing)
        return sum(1 for _ in is_asked)


class MemberAnswer(NamedTuple):
    """What came of an order."""

    attached: Sequence[bool] = ()
    declared: Sequence[Declared] = ()  # of the first call
    written: Mapping[int, Array] = {}  # what was given and written into
    raised: str = ""
    is_unsupported: bool = False
    is_refused: bool = False  # by secant itself, which has said why
    is_collateral: bool = False  # another process has left a collective alone
    is_interruption: bool = False  # which this process has to raise itself
    arrays: Sequence[Array | None] = ()


made: Any = tuple.__new__
"""What makes orders and answers of their fields, without a call of Python's for each."""


@quickly_made
@dataclass(frozen=True, slots=True)
class _Record:
    """One call, or one pull that can be pulled again, on this process."""

    problem: Problem
    inputs: list[Array]
    outputs: list[Array | None]
    spread: set[int]  # outputs that were spread over processes, and led out of that
    ends: Sequence[Array] = ()  # other leaves of the record


class _Output(NamedTuple):
    """One output, as this process holds it."""

    path: str
    local: Array
    shard: Shard | None


class Member:
    """A problem whose calls are made and pulled one order at a time.

    What the first process gives itself it still needs: its member takes copies.
    """

    def __init__(self, problem: Problem, wire: Wire, together: GroupSettings) -> None:
        self._problem = problem
        self._wide: Problem | None = None
        self._wire = wire
        self._together = together
        self._backend: Backend = problem.backend
        self._random: States = ()
        self._is_new = True
        self._has_ends = True  # the record leads to other leaves, too
        self._paths: list[str] = []
        self._takes_copies = wire.rank == 0
        self._dtypes = [self._backend.signature(point).dtype for point in problem.points]
        self._verbs = {"call": self._call, "pull": self._pull, "push": self._push}
        self._records: dict[int, _Record] = {}
        self.interruption: BaseException | None = None  # what has ended the last order

    def obey(self, order: Order) -> MemberAnswer:
        """Do what is asked; whatever is raised is told, not raised."""
        try:
            for number in order.forgotten:
                self._records.pop(number, None)
            verb, others = self._verbs[order.verb], self._backend.processes
            if order.versions == others.versions_here():
                return verb(order)
            with others.in_versions(order.versions):
                return verb(order)
        except Exception as error:
            refused = isinstance(error, SecantError)
            inner = error.__cause__ if refused and error.__cause__ is not None else error
            return MemberAnswer(
                raised=str(error) if refused else spell(error),
                is_unsupported=self._backend.is_unsupported(inner),
                is_refused=refused and inner is error,
                is_collateral=self._wire.is_collateral(inner),
            )
        except BaseException as interruption:
            self.interruption = interruption
            return MemberAnswer(raised="interrupted", is_interruption=True)

    def _taken(self, given: Sequence[Array | None]) -> Sequence[Array | None]:
        """Return what is given, to be written into by whoever likes."""
        if not self._takes_copies:
            return given
        copy = self._backend.copy
        return [None if one is None else copy(one) for one in given]

    # -- calls -----------------------------------------------------------------------------------

    def _call(self, order: Order) -> MemberAnswer:
        backend = self._backend
        problem = self._at(order.given)
        if self._random:
            rewind(self._random)
        before = random_states(backend) if self._is_new else ()
        leaves = list(map(backend.leaf, self._taken(order.given)))
        stamps = list(map(backend.stamp, leaves))
        answered, structure = problem.answer_at(dict(enumerate(leaves)))
        if self._is_new:
            self._random, self._is_new = drawn_since(before), False
            self._refuse_behind(answered)
        outputs = self._inexact(answered, output_paths(structure))
        values = [self._value(one.local) for one in outputs]
        declared = [
            declare(backend, one.path, value, self._together, one.shard)
            for one, value in zip(outputs, values, strict=True)
            if order.is_first
        ]
        self._refuse_change([one.path for one in outputs], is_first=order.is_first)
        spread = {k for k, one in enumerate(outputs) if one.shard is not None}
        locals_: list[Array | None] = [one.local for one in outputs]
        ends = list[Array]()
        if self._has_ends:
            attached = [one for one in locals_ if one is not None and backend.is_attached(one)]
            ends = backend.processes.loose_ends(attached, leaves)
            self._has_ends = bool(ends)
        self._records[order.number] = _Record(problem, leaves, locals_, spread, ends)
        both = zip(leaves, stamps, strict=True)
        written = {
            k: order.given[k] for k, (one, stamp) in enumerate(both) if backend.stamp(one) != stamp
        }
        return MemberAnswer(
            list(map(backend.is_attached, locals_)), declared, written, arrays=values
        )

    def _inexact(self, answered: Sequence[Any], paths: Sequence[str]) -> list[_Output]:
        """Return the outputs that are checked, as this process holds them."""
        backend, outputs = self._backend, []
        for path, one in zip(paths, answered, strict=True):
            if backend.is_array(one) and backend.is_inexact(one):
                placed = backend.processes.shard_of(one)
                local, shard = (one, None) if placed is None else (placed.local, placed.shard)
                outputs.append(_Output(path, local, shard))
        return outputs

    def _refuse_change(self, paths: list[str], *, is_first: bool) -> None:
        """Say that the function answers with other outputs than at first."""
        if is_first:
            self._paths = paths
        elif paths != self._paths:
            raise EvaluationError(
                f"`{self._problem.name}` changed its outputs between calls: first "
                f"{', '.join(self._paths)}, then {', '.join(paths)}"
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
        if [self._backend.signature(one).dtype for one in values] == self._dtypes:
            return self._problem
        if self._wide is None:
            self._wide = self._problem.widened()
        return self._wide

    # -- pulls -----------------------------------------------------------------------------------

    def _pull(self, order: Order) -> MemberAnswer:
        backend = self._backend
        record = self._records[order.number]
        problem, inputs, outputs = record.problem, record.inputs, record.outputs
        cotangents = {}
        for k, one in enumerate(self._taken(order.given)):
            if one is not None or k in order.nothing:
                cotangents[k] = self._value(outputs[k]) * 0 if one is None else one
        if not cotangents:  # the way out of what is spread takes zeros, and nothing else
            cotangents = {k: self._value(outputs[k]) * 0 for k in record.spread}
        if order.again is not None:
            cotangents = {k: backend.leaf(one) for k, one in cotangents.items()}
        stamps = list(map(backend.stamp, cotangents.values()))
        attached = [
            k for k, one in enumerate(outputs) if one is not None and backend.is_attached(one)
        ]
        asked = [k for k in attached if k in cotangents]
        gradients: list[Array | None] = [None] * len(inputs)
        sources = [*inputs, *record.ends]  # a collective on the way to them is waited for elsewhere
        with problem.recalling(inputs[: len(problem.points)]):
            if asked:
                gradients = backend.pull(
                    [outputs[k] for k in asked],
                    sources,
                    [cotangents[k] for k in asked],
                    differentiable=order.again is not None,
                )
            elif attached:
                every = [outputs[k] for k in attached]
                try:
                    gradients = backend.pull_nothing(every, sources, range(len(every)))
                except Exception as error:
                    if not backend.processes.needs_cotangents(error):
                        raise
        gradients = gradients[: len(inputs)]
        if order.again is not None:
            again = [*inputs, *cotangents.values()]
            self._records[order.again] = _Record(problem, again, gradients, set())
        written = {
            k: backend.detached(one)
            for (k, one), stamp in zip(cotangents.items(), stamps, strict=True)
            if backend.stamp(one) != stamp
        }
        is_attached, arrays = [], list[Array | None]()
        for one in gradients:
            is_attached.append(one is not None and backend.is_attached(one))
            arrays.append(None if one is None else self._value(one))
        return MemberAnswer(is_attached, written=written, arrays=arrays)

    # -- pushes ----------------------------------------------------------------------------------

    def _push(self, order: Order) -> MemberAnswer:
        backend, record = self._backend, self._records[order.number]
        backend.modes.ready()
        rewind(self._random)

        def outputs(leaves: Sequence[Array]) -> list[Array]:
            answered, structure = record.problem.answer_at(dict(enumerate(leaves)))
            return [one.local for one in self._inexact(answered, output_paths(structure))]

        points = [backend.detached(one) for one in record.inputs]
        pushed = backend.push(outputs, points, self._taken(order.given))
        return MemberAnswer(arrays=[None if one is None else self._value(one) for one in pushed])
