"""Lockstep: all processes do one thing at a time, and agree on what came of it before the next.

What one raises is an error of all. Where another then waits in a collective that is left alone,
that gives up after the timeout: the group is out of step, and the check ends.
"""

from __future__ import annotations

from collections.abc import Sequence

from .._backends.processes import Lost, Wire
from .._errors import EvaluationError, FunctionRaised
from .member import Answer, Member, Order

DONE = "done"
"""What the first process tells the others when it has done itself what it asked them."""


class Lockstep:
    """The first process asks, itself and the others."""

    def __init__(self, name: str, wire: Wire, own: Member) -> None:
        self.name = name
        self.wire = wire
        self.broken: EvaluationError | None = None  # processes are out of step, or one is lost
        self._own = own

    def ask(self, orders: Sequence[Order]) -> list[Answer]:
        """Let all processes do what they are asked, and agree on what came of it."""
        if self.broken is not None:
            raise self.broken
        wire, others = self.wire, range(1, self.wire.size)
        try:
            for rank in others:
                wire.send(orders[rank], rank)
            own = self._own.obey(orders[0])
            for rank in others:
                wire.send(DONE, rank)  # so that they know whom they wait for
            answers = [own, *(wire.receive(rank, wire.timeout) for rank in others)]
        except Lost as lost:
            self.broken = lost_error(self.name, lost, wire.timeout)
            raise self.broken from lost
        self._agree(answers, orders[0].verb)
        return answers

    def _agree(self, answers: Sequence[Answer], verb: str) -> None:
        """Raise what some process has raised, on all: the cause of it, not what it has caused."""
        for rank, answer in enumerate(answers):
            if answer.interruption is not None:
                self.broken = EvaluationError(f"rank {rank} was interrupted")
                raise answer.interruption if rank == 0 else self.broken
        raised = [(rank, answer) for rank, answer in enumerate(answers) if answer.raised]
        if not raised:
            return
        causes = [(rank, answer) for rank, answer in raised if not answer.is_collateral]
        rank, answer = (causes or raised)[0]
        where = "" if len(causes) == len(answers) else f" on rank {rank}"
        said = f"{answer.raised}{where}"
        if len(causes) < len(raised):
            waited = f"{self.wire.collective_timeout:g} s"
            late = f"; other ranks waited for it for {waited} in a collective"
            self.broken = EvaluationError(said + late if causes else _left_alone(self.name, said))
            raise self.broken
        if answer.is_refused:
            raise EvaluationError(said)
        if verb == "call":
            raise FunctionRaised(said)
        raise (NotImplementedError if answer.is_unsupported else RuntimeError)(said)


def lost_error(name: str, lost: Lost, timeout: float) -> EvaluationError:
    """Say which process is lost, and what can be done."""
    if lost.has_ended:
        return EvaluationError(
            f"rank {lost.rank} has ended, or has left the check, while `{name}` was being checked"
        )
    return EvaluationError(
        f"rank {lost.rank} has not answered for {timeout:g} s while `{name}` was being checked: it "
        "is slow, or waits in a collective that the others have not called. `timeout` says how "
        "long to wait"
    )


def _left_alone(name: str, said: str) -> str:
    return (
        f"ranks wait for one another in `{name}`: {said}. Some rank has called another "
        "collective than the others, or was too slow; `timeout` says how long to wait"
    )
