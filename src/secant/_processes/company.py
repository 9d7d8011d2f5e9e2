"""All processes of a group, as the first one sees them: one function that it calls and pulls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from .._backends.base import Array, Backend
from .._backends.interface.processes import Asked, Stack
from .._errors import InputError
from .._problem.trace import Tally
from .joints import Joint, is_same, joints_of, stacked
from .lockstep import Lockstep
from .member import MemberAnswer, Order
from .settings import GroupSettings

_LEAST = 1e-6  # share of their size that copies may differ by, and so many roundings
_ROUNDINGS = 2.0**16
_MOST = 0.25


@dataclass(frozen=True, slots=True)
class DifferingCopies:
    """A leaf whose copies have gradients that are not the same."""

    rank: int  # of the copy that is furthest from the first's
    other: int
    share: float  # of their size


@dataclass(eq=False, slots=True)
class GroupRecord:
    """One call, or one pull that can be pulled again; processes remember it while this lives."""

    number: int
    inputs: Sequence[Joint]
    outputs: Sequence[Joint]
    forgotten: list[int]  # numbers of records that are gone

    def __del__(self) -> None:
        self.forgotten.append(self.number)


class Company:
    """The processes of a group, called and pulled together."""

    def __init__(
        self,
        lockstep: Lockstep,
        backend: Backend,
        together: GroupSettings,
        leaves: Sequence[Joint],
    ) -> None:
        self.name = lockstep.name
        self.lockstep = lockstep
        self.wire = lockstep.wire
        self.leaves = leaves
        self.outputs: list[Joint] = []  # known after the first call
        self.apart: dict[int, DifferingCopies] = {}  # leaves whose copies disagree in the gradient
        self.pushed_apart: dict[
            int, DifferingCopies
        ] = {}  # outputs whose copies disagree in the tangent
        self.tally = Tally()  # of all calls and pulls
        self._backend = backend
        self._together = together
        self._stacks: list[Stack] = []
        self._made = 0
        self._forgotten: list[int] = []

    def stacks(self) -> list[Stack]:
        """Return the outputs as a reader sees them: the same one of all ranks, stacked."""
        return self._stacks

    # -- calls -----------------------------------------------------------------------------------

    def call(self, values: Sequence[Array]) -> Asked:
        """Call the function on all processes, each leaf with its value."""
        record, answers = self.called(values)
        for joint, value in zip(self.leaves, values, strict=True):
            if any(place in answers[rank].written for rank, place in joint.holders):
                self._backend.processes.overwrite(value, value)  # which is how a write shows
        return self._asked(record, answers)

    def called(self, values: Sequence[Array]) -> tuple[GroupRecord, list[MemberAnswer]]:
        """Call the function, and return what each process has answered."""
        is_first = not self.outputs
        number = self._number()
        orders = self._orders("call", number, self.leaves, values)
        if is_first:
            orders = [order._replace(is_first=True) for order in orders]
        self.tally.evaluations += 1
        answers = self.lockstep.ask(orders)
        if is_first:
            self._learn_outputs(answers)
        return GroupRecord(number, self.leaves, self.outputs, self._forgotten), answers

    def _learn_outputs(self, answers: Sequence[MemberAnswer]) -> None:
        declared = [answer.declared for answer in answers]
        paths = [joint.path for joint in self.leaves]
        self._together.refuse_unknown([*paths, *(one.path for every in declared for one in every)])
        arrays = [answer.arrays for answer in answers]
        outputs = joints_of(self._backend, declared, arrays, self._together)
        self.outputs = [replace(joint, convention="whole") for joint in outputs]
        for joint in self.outputs:
            for rank, place in joint.holders[1:]:
                share = self._share_apart(joint, answers, rank, place)
                if share:
                    raise InputError(
                        f"expected {joint.path} to be the same on all ranks that hold a copy; rank "
                        f"{rank}'s differs from rank {joint.first[0]}'s by {share:.2g} of its "
                        "size. Is a reduction missing in the forward pass?"
                    )
        shapes = [self._backend.signature(self._claimed(one, answers)) for one in self.outputs]
        self._stacks = stacked(self.outputs, shapes, self.wire.size)

    # -- pulls -----------------------------------------------------------------------------------

    def pulled(
        self, record: GroupRecord, cotangents: Sequence[Array | None], again: int | None = None
    ) -> tuple[list[Order], list[MemberAnswer]]:
        """Pull on all processes, and return what each of them was asked and has answered."""
        self.tally.pulls += 1
        orders = self._orders("pull", record.number, record.outputs, cotangents, again)
        return orders, self.lockstep.ask(orders)

    def _pull(
        self, record: GroupRecord, cotangents: Sequence[Array | None], *, again: bool
    ) -> Asked:
        number = self._number() if again else None
        orders, answers = self.pulled(record, cotangents, number)
        for joint, cotangent in zip(record.outputs, cotangents, strict=True):
            for rank, place in joint.holders:
                if cotangent is not None and place in answers[rank].written:
                    self._backend.processes.overwrite(cotangent, answers[rank].written[place])
        if number is not None:
            inputs = [*record.inputs, *_cotangents(record, orders)]
            again_record = GroupRecord(number, inputs, record.inputs, self._forgotten)
            return self._asked(again_record, answers)
        if record.inputs is self.leaves:
            self._note_apart(self.leaves, answers, self.apart)
        arrays = [self._claimed(joint, answers) for joint in record.inputs]
        return Asked(arrays, [False] * len(arrays), _never, _never)

    def _push(self, record: GroupRecord, tangents: Sequence[Array | None]) -> list[Array | None]:
        orders = self._orders("push", record.number, record.inputs, tangents)
        answers = self.lockstep.ask(orders)
        self._note_apart(record.outputs, answers, self.pushed_apart)
        return [self._claimed(joint, answers) for joint in record.outputs]

    def _note_apart(
        self,
        joints: Sequence[Joint],
        answers: Sequence[MemberAnswer],
        apart: dict[int, DifferingCopies],
    ) -> None:
        """See whether all copies have the same answer, where each has the whole."""
        for number, joint in enumerate(joints):
            if joint.convention == "share":
                continue
            for rank, place in joint.holders[1:]:
                share = self._share_apart(joint, answers, rank, place)
                known = apart.get(number)
                if share and (known is None or share > known.share):
                    apart[number] = DifferingCopies(rank, joint.first[0], share)

    def _share_apart(
        self, joint: Joint, answers: Sequence[MemberAnswer], rank: int, place: int
    ) -> float:
        """Return by what share of their size two copies differ, 0 if by no more than rounding."""
        backend = self._backend
        one, other = answers[joint.first[0]].arrays[joint.first[1]], answers[rank].arrays[place]
        if one is None and other is None:
            return 0.0
        if one is None or other is None:
            left = one if other is None else other
            return 1.0 if backend.largest(_flat(backend, left)) else 0.0
        if is_same(backend, one, other):
            return 0.0
        first, second = _flat(backend, one), _flat(backend, other)
        if first.shape != second.shape:
            return 1.0
        size = max(backend.largest(first), backend.largest(second))
        allowed = max(_LEAST, min(_ROUNDINGS * backend.roundoff(one), _MOST)) * size
        apart = backend.largest(first - second)
        return 0.0 if apart <= allowed else apart / size

    # -- what all have answered ------------------------------------------------------------------

    def _asked(self, record: GroupRecord, answers: Sequence[MemberAnswer]) -> Asked:
        return Asked(
            [self._claimed(joint, answers) for joint in record.outputs],
            [any(answers[r].attached[k] for r, k in joint.holders) for joint in record.outputs],
            lambda cotangents, again: self._pull(record, cotangents, again=again),
            lambda tangents: self._push(record, tangents),
        )

    def _claimed(self, joint: Joint, answers: Sequence[MemberAnswer]) -> Array | None:
        """Return what the processes answer about a leaf or an output, by its convention."""
        rank, place = joint.holders[0]
        first = answers[rank].arrays[place]
        if joint.convention == "whole" and first is not None:
            return first
        found = [answers[rank].arrays[place] for rank, place in joint.holders]
        known = [one for one in found if one is not None]
        if not known:
            return None
        if joint.convention == "share" and len(known) > 1:
            total = known[0]
            for one in known[1:]:
                total = total + one
            return total
        spoken = known[0] * 0 if first is None else first
        return spoken * joint.among if joint.convention == "mean" and joint.among > 1 else spoken

    # -- orders ----------------------------------------------------------------------------------

    def _number(self) -> int:
        self._made += 1
        return self._made

    def _orders(
        self,
        verb: str,
        number: int,
        joints: Sequence[Joint],
        values: Sequence[Array | None],
        again: int | None = None,
    ) -> list[Order]:
        """Return an order for every process.

        Backward passes have collectives, too: an output that one process is asked about is asked
        about on all, with zeros where there is nothing to ask.
        """
        backend, size = self._backend, self.wire.size
        given: list[list[Array | None]] = [[] for _ in range(size)]
        nothing: list[list[int]] = [[] for _ in range(size)]
        silent = _silent(joints, values)
        for joint, value in zip(joints, values, strict=True):
            for rank, place in joint.holders:
                own = value if rank or value is None else backend.copy(value)
                given[rank].append(own)  # joints lie by place
                if value is None and joint.path not in silent:
                    nothing[rank].append(place)
        versions, forgotten = backend.processes.versions_here(), tuple(self._forgotten)
        self._forgotten.clear()
        return [
            Order(
                verb,
                number,
                tuple(nothing[rank]),
                versions,
                forgotten,
                again,
                given=held,
            )
            for rank, held in enumerate(given)
        ]


def _silent(joints: Sequence[Joint], values: Sequence[Array | None]) -> set[str]:
    """Return the paths of which no process is given anything."""
    absent = {one.path for one, value in zip(joints, values, strict=True) if value is None}
    if absent:
        absent -= {one.path for one, value in zip(joints, values, strict=True) if value is not None}
    return absent


def _cotangents(record: GroupRecord, orders: Sequence[Order]) -> list[Joint]:
    """Return the cotangents of a pull as leaves that it depends on."""
    held = [
        1 + max((k for one in record.inputs for r, k in one.holders if r == rank), default=-1)
        for rank in range(len(orders))
    ]
    joints = []
    for joint in record.outputs:
        is_given = all(orders[rank].given[place] is not None for rank, place in joint.holders)
        if is_given:
            holders = tuple(
                (rank, held[rank] + orders[rank].position(place)) for rank, place in joint.holders
            )
            joints.append(Joint(joint.path, holders, joint.convention))
    return joints


def _flat(backend: Backend, array: Array) -> Array:
    return backend.flatten(backend.as_real(array) if backend.is_complex(array) else array)


def _never(*given: object) -> Any:
    raise NotImplementedError("what was pulled once is not differentiable")
