"""Messages between processes, over sockets of their own: no collective of the group's is used.

The first process of a group listens, the others connect; they find one another through the store
that the group itself was made with. Tensors travel as their memory, and keep strides and overlaps.
"""

from __future__ import annotations

import contextlib
import pickle
import weakref
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import torch
import torch.distributed as dist

from ...._errors import EvaluationError, InputError
from ...interface.processes import Lost, Message, Wire
from .bounding import bounded, is_collateral
from .leaving import keep_store, store_here
from .sockets import Connections, Missing, hang_up, meet

_rounds: dict[tuple[int, ...], int] = {}  # checks that a group of these processes has begun
_kept: weakref.WeakKeyDictionary[Any, Connections] = (
    weakref.WeakKeyDictionary()
)  # after a check, by group


def group_of(group: Any) -> dist.ProcessGroup:
    """Return the process group that a user names, or say what about it cannot be used."""
    if not (dist.is_available() and dist.is_initialized()):
        raise InputError(
            "expected torch.distributed to be ready where `group` is given: call "
            "torch.distributed.init_process_group first, and start the program by torchrun"
        )
    if isinstance(group, str) and group == "world":
        group = dist.group.WORLD
    if hasattr(group, "get_group"):  # a mesh
        if group.ndim != 1:
            raise InputError(
                f"expected a mesh of one dimension as `group`; got one of {group.ndim}: pass the "
                "group of all of its processes"
            )
        group = group.get_group()
    if not isinstance(group, dist.ProcessGroup):
        raise InputError(
            f'expected `group` to be a process group, a mesh or "world"; got {group!r}'
        )
    return group


class SocketWire(Wire):
    """A line from the first process to each of the others."""

    def __init__(self, group: Any, timeout: float) -> None:
        self._group = group_of(group)
        ranks = tuple(dist.get_process_group_ranks(self._group))
        self.rank, self.size = dist.get_rank(self._group), len(ranks)
        self.timeout = timeout
        number = _rounds[ranks] = _rounds.get(ranks, 0) + 1
        keep_store()
        self._name = f"secant/{'.'.join(map(str, ranks))}/{number}"
        self._lines = _kept.pop(self._group, {})
        self._unheard: list[Any] | None = None  # what was said first, on lines of another check
        self._is_kept = False

    def enrol(self, said: Any, arrays: Sequence[Any] = ()) -> list[Message]:
        first = encoded((self._name, said), arrays)
        with self._expected():
            heard = self._introduced(first) if self._lines else None
            if heard is None:
                return self._met(first)
        self._unheard = first if self.rank else None
        return heard

    def _introduced(self, first: list[Any]) -> list[Message] | None:
        """Say the first thing, and hear the others; None if the lines are not those of all."""
        lines, heard = self._lines, []
        try:
            if self.rank:
                lines[0].send(first, self.timeout)
            for rank in range(1, 1 if self.rank else self.size):
                (name, said), arrays = decoded(lines[rank].receive(self.timeout))
                if name != self._name:
                    return None
                heard.append((said, arrays))
        except ConnectionError:
            return None
        return heard

    def _met(self, first: list[Any]) -> list[Message]:
        """Say the first thing on new lines."""
        hang_up(self._lines)
        self._lines = meet(store_here(), self._name, self.rank, self.size, self.timeout)
        heard = self._introduced(first)
        if heard is None:
            raise Missing
        return heard

    @contextlib.contextmanager
    def _expected(self) -> Iterator[None]:
        """Say that not all processes came."""
        try:
            yield
        except (Missing, TimeoutError) as missing:
            raise EvaluationError(
                f"expected all {self.size} processes of the group to call secant.check with it; "
                f"some have not within {self.timeout:g} s"
            ) from missing

    def send(self, said: Any, to: int, arrays: Sequence[Any] = ()) -> None:
        self._send(encoded(said, arrays), to)

    def tell(self, said: Any) -> None:
        message = encoded(said, ())
        for rank in range(1, self.size):
            with contextlib.suppress(Lost):
                self._send(message, rank)

    def _send(self, message: Sequence[Any], to: int) -> None:
        try:
            self._lines[to].send(message, self.timeout)
        except OSError as error:
            raise _lost(to, error) from error

    def receive(self, sender: int) -> Message:
        if self._unheard is not None:
            return self._heard_first()
        try:
            return decoded(self._lines[sender].receive(self.timeout))
        except OSError as error:
            raise _lost(sender, error) from error

    def _heard_first(self) -> Message:
        """Hear from the first process, on new lines where somebody has lost the old ones."""
        first, self._unheard = self._unheard or [], None
        with self._expected():
            try:
                return decoded(self._lines[0].receive(self.timeout))
            except ConnectionError:
                self._met(first)
        return self.receive(0)

    def keep(self) -> None:
        self._is_kept = True
        _kept[self._group] = self._lines

    def close(self) -> None:
        if not self._is_kept:
            hang_up(self._lines)

    def bounded(self) -> AbstractContextManager[None]:
        return bounded(self.collective_timeout)

    def is_collateral(self, error: BaseException) -> bool:
        return is_collateral(error)


def _lost(rank: int, error: OSError) -> Lost:
    """Return which process is lost where its line gives no answer."""
    return Lost(rank, has_ended=not isinstance(error, TimeoutError))


# -- tensors in messages ------------------------------------------------------------------------


_ALIGNED = 16  # bytes, as memory of its own would be
_GAPS = [np.zeros(count, np.uint8) for count in range(_ALIGNED)]  # before the next memory
_PLAIN = {  # NumPy has them, and no bit says that they stand otherwise
    torch.float64: np.dtype(np.float64).str,
    torch.float32: np.dtype(np.float32).str,
}
_STAND_INS = {  # for numbers that NumPy does not have
    torch.bfloat16: torch.int16,
    torch.complex32: torch.int32,
    torch.float8_e4m3fn: torch.uint8,
    torch.float8_e5m2: torch.uint8,
}


def encoded(said: Any, arrays: Sequence[torch.Tensor | None]) -> list[Any]:
    """Return what is said, with how the arrays lie in memory, as bytes; then that memory as it is.

    Pickling the tensors themselves takes five times as long.
    """
    layouts, memories, offset = list[Any](), list[Any](), 0
    for array in arrays:
        if array is None or array.layout is not torch.strided:
            layouts.append(array)  # few are sparse: these travel as torch would have them
            continue
        plain = array.detach() if array.requires_grad else array
        kind, stands_for, device = _PLAIN.get(plain.dtype), None, None
        if kind is None or not plain.is_cpu or plain.is_neg():
            plain, kind, stands_for = _plainly(plain)
            device = None if array.is_cpu else array.device.type
        memory: Any = plain.numpy()
        sizes, strides = memory.shape, None
        if not plain.is_contiguous():
            strides = memory.strides
            reach = 1 + sum((n - 1) * step for n, step in zip(sizes, plain.stride(), strict=True))
            memory = plain.as_strided((reach,), (1,)).numpy()
        layouts.append((sizes, kind, strides, offset, stands_for, device))
        memories.append(memory)
        offset += memory.nbytes
        if offset % _ALIGNED:
            memories.append(_GAPS[-offset % _ALIGNED])
            offset += -offset % _ALIGNED
    return [pickle.dumps((said, layouts), pickle.HIGHEST_PROTOCOL), *memories]


def _plainly(array: torch.Tensor) -> tuple[torch.Tensor, str, torch.dtype | None]:
    """Return numbers as NumPy can have them, what it calls their kind, and what they stand for."""
    plain, stands_for = array.resolve_conj().resolve_neg().cpu(), None
    if plain.dtype in _STAND_INS:
        plain, stands_for = plain.view(_STAND_INS[plain.dtype]), plain.dtype
    return plain, plain.numpy().dtype.str, stands_for


def decoded(message: tuple[bytes | bytearray, bytearray]) -> Message:
    """Return what was said, and the arrays beside it."""
    body, memory = message
    said, layouts = pickle.loads(body)
    arrays = []
    for layout in layouts:
        array = layout
        if type(layout) is tuple:
            sizes, kind, strides, offset, stands_for, device = layout
            array = torch.from_numpy(np.ndarray(sizes, kind, memory, offset, strides))
            array = array if stands_for is None else array.view(stands_for)
            array = array if device is None else array.to(device)
        arrays.append(array)
    return said, arrays
