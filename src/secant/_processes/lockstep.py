"""Lockstep: all processes do one thing at a time, and agree on what came of it before the next.

What one raises is an error of all. Where another then waits in a collective that is left alone,
that gives up after the timeout: the group is out of step, and the check ends.

An order and its answer are all that is said: that nobody has raised is in the answers, before the
next order. While the first process thinks, a thread says so; where it hangs in the function,
the others hear nothing, and give it up. Starting a thread takes longer than a round of messages:
one lives on for the next check, and ends where none comes.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Sequence

from .._backends.interface.processes import Lost, Wire
from .._errors import EvaluationError, FunctionRaised, spell
from .member import Member, MemberAnswer, Order, made

THINKING = "thinking"
"""What the first process tells the others now and then while it does not call the function."""
_OFTEN = 4  # times within the timeout
_SECONDS = 1.0  # that the thread may outlive a check
_lock = threading.Lock()
_open: set[Lockstep] = set()
_pauses: set[float] = set()  # of the threads that live


class Lockstep:
    """The first process asks, itself and the others; until it is closed they know that it lives."""

    def __init__(self, name: str, wire: Wire, own: Member) -> None:
        self.name = name
        self.wire = wire
        self.broken: EvaluationError | None = None  # processes are out of step, or one is lost
        self.pause = min(wire.timeout / _OFTEN, _SECONDS)
        self._own = own
        self._speaking = threading.Lock()
        with _lock:
            _open.add(self)
            is_heard = self.pause in _pauses
            _pauses.add(self.pause)
        if not is_heard:
            threading.Thread(target=_keep_saying, args=(self.pause,), daemon=True).start()

    def close(self) -> None:
        """Say no more."""
        with self._speaking, _lock:
            _open.discard(self)

    def say_that_it_thinks(self) -> None:
        """Tell the others that this process lives, unless it is in the function."""
        with self._speaking, contextlib.suppress(Lost):
            for rank in range(1, self.wire.size if self in _open else 0):
                self.wire.send(THINKING, rank)

    def ask(self, orders: Sequence[Order]) -> list[MemberAnswer]:
        """Let all processes do what they are asked, and agree on what came of it."""
        if self.broken is not None:
            raise self.broken
        wire, others = self.wire, range(1, self.wire.size)
        try:
            with self._speaking:
                for rank in others:
                    wire.send(orders[rank][:-1], rank, orders[rank].given)
                own = self._own.obey(orders[0])
            answers = [own]
            for rank in others:
                said, arrays = wire.receive(rank)
                answers.append(made(MemberAnswer, (*said, arrays)))
        except Lost as lost:
            self.broken = lost_error(self.name, lost, wire.timeout)
            raise self.broken from lost
        except Exception as error:  # some have heard the order, others have not
            self.broken = EvaluationError(f"the ranks are out of step: {spell(error)}")
            raise self.broken from error
        for answer in answers:
            if answer.raised:
                self._agree(answers, orders[0].verb)
        return answers

    def _agree(self, answers: Sequence[MemberAnswer], verb: str) -> None:
        """Raise what some process has raised, on all: the cause of it, not what it has caused."""
        raised = [(rank, answer) for rank, answer in enumerate(answers) if answer.raised]
        for rank, answer in raised:
            if answer.is_interruption:
                self.broken = EvaluationError(f"rank {rank} was interrupted")
                raise self.broken if rank else self._own.interruption or KeyboardInterrupt
        causes = [(rank, answer) for rank, answer in raised if not answer.is_collateral]
        rank, answer = (causes or raised)[0]
        where = "" if len(causes) == len(answers) else f" on rank {rank}"
        said = f"{answer.raised}{where}"
        if len(causes) < len(raised):
            patience = f"{self.wire.collective_timeout:g} s"
            late = f"; other ranks waited for it in a collective, which gives up after {patience}"
            self.broken = EvaluationError(said + late if causes else _left_alone(self.name, said))
            raise self.broken
        if answer.is_refused:
            raise EvaluationError(said)
        if verb == "call":
            raise FunctionRaised(said)
        raise (NotImplementedError if answer.is_unsupported else RuntimeError)(said)


def _keep_saying(pause: float) -> None:
    """Say of every check that its first process thinks, until there is none."""
    while True:
        time.sleep(pause)
        with _lock:
            known = [one for one in _open if one.pause == pause]
            if not known:
                _pauses.remove(pause)
                return
        for one in known:
            one.say_that_it_thinks()


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
