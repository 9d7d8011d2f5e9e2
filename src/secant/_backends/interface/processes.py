"""Processes that work together: what secant needs of a framework to check what they compute.

A *wire* carries messages between the processes of a group, beside the group's own collectives. An
array may be *placed*: this process holds a part of it, or a copy. What the whole group answers is
an `Asked`, which can be pulled.
"""

from __future__ import annotations

import abc
import contextlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..._errors import InputError
from ..._records import quickly_made
from ..arithmetic.algebra import Array
from .modules import Unfolded


class Lost(Exception):
    """A process of the group has not answered, or has ended."""

    def __init__(self, rank: int, *, has_ended: bool) -> None:
        super().__init__(f"rank {rank} {'has ended' if has_ended else 'does not answer'}")
        self.rank = rank
        self.has_ended = has_ended


Message = tuple[Any, list[Array | None]]
"""What was said, and the arrays beside it."""


class Wire(abc.ABC):
    """Messages between the first process of a group and the others; arrays arrive as they were."""

    rank: int  # of this process, within the group
    size: int
    timeout: float  # seconds that a process may be behind the others

    @property
    def collective_timeout(self) -> float:
        """Seconds that a collective waits for a process: those who wait for it must be waited for.

        What one process raises is then told before anybody is given up.
        """
        return self.timeout / 2

    @abc.abstractmethod
    def enrol(self, said: Any, arrays: Sequence[Array] = ()) -> list[Message]:
        """Tell the first process something before all else; return what it has heard of the others.

        Raise an error that names `check` where one of them does not come.
        """

    @abc.abstractmethod
    def send(self, said: Any, to: int, arrays: Sequence[Array | None] = ()) -> None:
        """Send what can be pickled, and arrays; raise `Lost` if nobody takes it.

        It need not have arrived when this returns.
        """

    @abc.abstractmethod
    def tell(self, said: Any) -> None:
        """Send every other process what can be pickled; who is lost is not told."""

    @abc.abstractmethod
    def receive(self, sender: int) -> Message:
        """Wait for a message, as long as the timeout at most; raise `Lost` if none comes."""

    @abc.abstractmethod
    def keep(self) -> None:
        """Let the next check of the group have these lines: all was said, and all was heard."""

    @abc.abstractmethod
    def close(self) -> None:
        """Cut all lines, unless kept: whoever waits for a message learns that none will come."""

    @abc.abstractmethod
    def bounded(self) -> AbstractContextManager[None]:
        """Let collectives give up after the timeout for them, instead of waiting on."""

    @abc.abstractmethod
    def is_collateral(self, error: BaseException) -> bool:
        """Say whether an error comes from a collective that another process has not joined."""


class Placed(NamedTuple):
    """An array that is spread over processes, as this process holds it."""

    local: Array
    shard: tuple[int, ...]  # processes of equal shards hold copies; () is a copy of all
    among: int  # processes that have a part in it
    rebuilt: Callable[[Array], Array]  # from a local array to one that is placed


@quickly_made
@dataclass(frozen=True, slots=True)
class Asked:
    """What a group has answered: one array for each of its outputs, and how to pull it.

    `pull` takes a cotangent for each output, None where it is absent, and answers for each input of
    the group. With True after them the answer can be pulled again, in inputs and cotangents. `push`
    takes a tangent for each input, and answers for each output.
    """

    arrays: list[Array | None]
    attached: list[bool]  # which of them claim a derivative
    pull: Callable[[Sequence[Array | None], bool], Asked]
    push: Callable[[Sequence[Array | None]], list[Array | None]]


class Stack(NamedTuple):
    """Outputs of several processes that are one to a reader: the same output, rank by rank."""

    path: str
    places: tuple[int, ...]  # among the outputs of the group; one: it is no stack


Ask = Callable[[Sequence[Array]], Asked]


class Processes:
    """What a framework knows of groups of processes; most have none."""

    def wire(self, group: Any, timeout: float) -> Wire:
        """Return a wire between the processes of a group; all of them ask for it."""
        raise InputError(
            "expected arrays of torch with `group`, whose processes work together by "
            "torch.distributed; got arrays of another framework"
        )

    def launched(self) -> AbstractContextManager[tuple[Any, int]]:
        """Join the processes that a launcher has started: the group, and which of them this is.

        They leave together, so that none ends what another still has to say.
        """
        raise InputError("expected a target of torch with --group, started by torchrun")

    def shard_of(self, array: Array) -> Placed | None:
        """Return what this process holds of an array that is spread over many; None: it is whole.

        Of a sum that is left to be added up the whole is taken.
        """
        return None

    def devices_of(self, array: Array) -> int:
        """Return over how many devices of one process an array is spread, as over a mesh."""
        return 1

    def settled(self, array: Array) -> Array:
        """Return an array whose numbers are there: a collective may still be filling it."""
        return array

    def sharded(self, function: Callable[..., Any]) -> Unfolded | None:
        """Return a module that gathers its parameters for each call; None for any other.

        Their gradients are averaged over all processes that have a part in them.
        """
        return None

    def needs_cotangents(self, error: BaseException) -> bool:
        """Say whether it is the framework's own code that takes no absent cotangents."""
        return False

    def replicas_of(self, held: Any) -> Any:
        """Return the group whose processes hold copies of an array, or of a module's parameters.

        An array may be marked: True, every process holds one; False, none does. Gradients of such
        a module are added up after the backward. None: nothing is said.
        """
        return None

    def ranks_of(self, group: Any) -> tuple[int, ...]:
        """Return the processes of a group that a user names."""
        raise NotImplementedError

    def unreduced(self, function: Callable[..., Any]) -> AbstractContextManager[Any]:
        """Let nothing be added up after a backward meanwhile."""
        return contextlib.nullcontext()

    def loose_ends(self, outputs: Sequence[Array], inputs: Sequence[Array]) -> list[Array]:
        """Return the other leaves that the record behind outputs leads to."""
        return []

    def overwrite(self, array: Array, values: Array) -> None:
        """Write into an array, as another process has done with its copy."""
        raise NotImplementedError

    def joined(
        self,
        name: str,
        names: Sequence[str],
        values: Sequence[Array],
        ask: Ask,
        stacks: Callable[[], Sequence[Stack]],
    ) -> Unfolded:
        """Return a function of the leaves of a group; `stacks` are its outputs, after a call."""
        raise NotImplementedError

    def versions_here(self) -> tuple[str, ...]:
        """Name the versions of functions that calls made here are of: in float64, without casts."""
        return ()

    def in_versions(self, names: Sequence[str]) -> AbstractContextManager[Any]:
        """Let calls be of the versions that another process named."""
        return contextlib.nullcontext()
