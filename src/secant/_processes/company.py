"""All processes of a group, as the first one sees them: one function that it calls and pulls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .._backends.base import Array, Backend
from .._backends.interface.processes import Asked, Stack
from .._errors import InputError
from .._problem.trace import Tally
from .copies import DifferingCopies, note_apart, share_apart
from .joints import Joint, Joints, joints_of, stacked
from .lockstep import Lockstep
from .member import MemberAnswer, Order, made
from .settings import GroupSettings


@dataclass(eq=False, slots=True)
class GroupRecord:
    """One call, or one pull that can be pulled again; processes remember it while this lives."""

    number: int
    inputs: Joints
    outputs: Joints
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
        leaves: Joints,
    ) -> None:
        self.name = lockstep.name
        self.lockstep = lockstep
        self.wire = lockstep.wire
        self.leaves = leaves
        self.outputs = Joints((), lockstep.wire.size)  # known after the first call
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
        for answer, held in zip(answers, self.leaves.held, strict=True):
            for place in answer.written:
                value = values[held[place]]
                self._backend.processes.overwrite(value, value)  # which is how a write shows
        return self._asked(record, answers)

    def called(self, values: Sequence[Array]) -> tuple[GroupRecord, list[MemberAnswer]]:
        """Call the function, and return what each process has answered."""
        is_first = not self.outputs
        number = self._number()
        orders = self._orders("call", number, self.leaves, values, is_first=is_first)
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
        size = self.wire.size
        self.outputs = Joints((Joint(one.path, one.holders) for one in outputs), size)
        for joint in self.outputs:
            for rank, place in joint.holders[1:]:
                share = share_apart(self._backend, joint, answers, rank, place)
                if share:
                    raise InputError(
                        f"expected {joint.path} to be the same on all ranks that hold a copy; rank "
                        f"{rank}'s differs from rank {joint.first[0]}'s by {share:.2g} of its "
                        "size. Is a reduction missing in the forward pass?"
                    )
        shapes = [self._backend.signature(self._claimed(one, answers)) for one in self.outputs]
        self._stacks = stacked(self.outputs, shapes, size)

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
        for answer, held in zip(answers, record.outputs.held, strict=True):
            for place, written in answer.written.items():
                cotangent = cotangents[held[place]]
                if cotangent is not None:
                    self._backend.processes.overwrite(cotangent, written)
        if number is not None:
            inputs = Joints((*record.inputs, *_cotangents(record, orders)), self.wire.size)
            again_record = GroupRecord(number, inputs, record.inputs, self._forgotten)
            return self._asked(again_record, answers)
        if record.inputs is self.leaves:
            note_apart(self._backend, self.leaves, answers, self.apart)
        arrays = [self._claimed(joint, answers) for joint in record.inputs]
        return Asked(arrays, [False] * len(arrays), _never, _never)

    def _push(self, record: GroupRecord, tangents: Sequence[Array | None]) -> list[Array | None]:
        orders = self._orders("push", record.number, record.inputs, tangents)
        answers = self.lockstep.ask(orders)
        note_apart(self._backend, record.outputs, answers, self.pushed_apart)
        return [self._claimed(joint, answers) for joint in record.outputs]

    # -- what all have answered ------------------------------------------------------------------

    def _asked(self, record: GroupRecord, answers: Sequence[MemberAnswer]) -> Asked:
        return Asked(
            [self._claimed(joint, answers) for joint in record.outputs],
            _attached(record.outputs, answers),
            lambda cotangents, again: self._pull(record, cotangents, again=again),
            lambda tangents: self._push(record, tangents),
        )

    def _claimed(self, joint: Joint, answers: Sequence[MemberAnswer]) -> Array | None:
        """Return what the processes answer about a leaf or an output, by its convention."""
        rank, place = joint.holders[0]
        first = answers[rank].arrays[place]
        if joint.convention == "whole" and first is not None:
            return first
        known = []
        for rank, place in joint.holders:
            array = answers[rank].arrays[place]
            if array is not None:
                known.append(array)
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
        joints: Joints,
        values: Sequence[Array | None],
        again: int | None = None,
        *,
        is_first: bool = False,
    ) -> list[Order]:
        """Return an order for every process.

        Backward passes have collectives, too: an output that one process is asked about is asked
        about on all, with zeros where there is nothing to ask.
        """
        zeros = _zeros(joints, values)
        versions = self._backend.processes.versions_here()
        forgotten = tuple(self._forgotten)
        self._forgotten.clear()
        orders = []
        for held in joints.held:
            given = list(map(values.__getitem__, held))
            nothing = tuple([place for place, k in enumerate(held) if k in zeros]) if zeros else ()
            said = verb, number, nothing, versions, forgotten, again, is_first, given
            orders.append(made(Order, said))
        return orders


def _zeros(joints: Joints, values: Sequence[Array | None]) -> set[int]:
    """Return what is not given, of which some process is given its own under the same path."""
    absent = set()
    for k, value in enumerate(values):
        if value is None:
            absent.add(k)
    if not absent:
        return absent
    given = {one.path for k, one in enumerate(joints) if k not in absent}
    return {k for k in absent if joints[k].path in given}


def _attached(joints: Joints, answers: Sequence[MemberAnswer]) -> list[bool]:
    """Return of which leaves or outputs some process has claimed a derivative."""
    attached = []
    for joint in joints:
        found = False
        for rank, place in joint.holders:
            found = found or answers[rank].attached[place]
        attached.append(found)
    return attached


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


def _never(*given: object) -> Any:
    raise NotImplementedError("what was pulled once is not differentiable")
