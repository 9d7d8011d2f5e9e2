"""Messages between processes, over sockets of their own: no collective of the group's is used.

The first process of a group listens, the others connect; they find one another through the store
that the group itself was made with. Messages are pickled; tensors keep strides and overlaps.
"""

from __future__ import annotations

import contextlib
import copyreg
import io
import pickle
import weakref
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist

from ...._errors import EvaluationError, InputError, said_by
from ...processes import Lost, Wire
from .leaving import keep_store, store_here
from .sockets import Lines, Missing, greeted, hang_up, meet

_rounds: dict[tuple[int, ...], int] = {}  # checks that a group of these processes has begun
_kept: weakref.WeakKeyDictionary[Any, Lines] = (
    weakref.WeakKeyDictionary()
)  # after a check, by group
_COLLATERAL = (
    "Timed out waiting",
    "Connection closed by peer",
    "pair closure",
    "Connection reset by peer",
    "Broken pipe",
    "Socket closed",
    "remote worker crashing",
)


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
        name = f"secant/{'.'.join(map(str, ranks))}/{number}"
        self._is_kept = False
        try:
            lines = greeted(_kept.pop(self._group, None), self.rank, number, timeout)
            if lines is None:
                lines = meet(store_here(), name, self.rank, self.size, timeout)
        except Missing as missing:
            raise EvaluationError(
                f"expected all {self.size} processes of the group to call secant.check with it; "
                f"some have not within {timeout:g} s"
            ) from missing
        self._lines = lines

    def send(self, message: Any, to: int) -> None:
        with _lost(to):
            self._lines[to].send(_encoded(message), self.timeout)

    def receive(self, sender: int, patience: float | None) -> Any:
        with _lost(sender):
            body, *buffers = self._lines[sender].receive(patience)
            return pickle.loads(body, buffers=buffers)

    def keep(self) -> None:
        self._is_kept = True
        _kept[self._group] = self._lines

    def close(self) -> None:
        if not self._is_kept:
            hang_up(self._lines)

    @contextlib.contextmanager
    def bounded(self) -> Iterator[None]:
        before = []
        try:
            for backend, known in _timeouts():
                if known.total_seconds() > self.collective_timeout:
                    before.append((backend, known))
                    backend._set_default_timeout(timedelta(seconds=self.collective_timeout))
            yield
        finally:
            for backend, known in before:
                backend._set_default_timeout(known)

    def is_collateral(self, error: BaseException) -> bool:
        text = said_by(error)
        return isinstance(error, RuntimeError) and any(phrase in text for phrase in _COLLATERAL)


@contextlib.contextmanager
def _lost(rank: int) -> Iterator[None]:
    """Say which process is lost where its line gives no answer."""
    try:
        yield
    except TimeoutError as error:
        raise Lost(rank, has_ended=False) from error
    except OSError as error:
        raise Lost(rank, has_ended=True) from error


def _timeouts() -> Iterator[tuple[Any, timedelta]]:
    """Yield all that collectives of this process go through, and after how long they give up."""
    world: Any = dist.distributed_c10d._world
    member: Any = dist.GroupMember.NON_GROUP_MEMBER
    seen = set()
    for group in world.pg_map:
        for device in () if group is member else group._device_types:
            backend = group._get_backend(device)
            known = getattr(getattr(backend, "options", None), "_timeout", None)
            if isinstance(known, timedelta) and backend not in seen:
                seen.add(backend)
                yield backend, known


# -- tensors in messages ------------------------------------------------------------------------


_SMALL = 1 << 12  # bytes that are copied sooner than counted by themselves


def _reduced(value: torch.Tensor) -> Any:
    """Pickle a tensor as its bytes: a hundred times sooner than torch does."""
    if value.layout is not torch.strided:
        whole: Any = value
        return whole.__reduce_ex__(pickle.HIGHEST_PROTOCOL)
    plain = value.detach().resolve_conj().resolve_neg().cpu()
    sizes, strides = tuple(plain.shape), None
    if not plain.is_contiguous():
        strides = plain.stride()
        reach = 1 + sum((n - 1) * step for n, step in zip(sizes, strides, strict=True))
        plain = plain.as_strided((reach,), (1,))
    memory: Any = plain.reshape(-1).view(torch.uint8).numpy()
    raw = bytearray(memory) if memory.nbytes <= _SMALL else pickle.PickleBuffer(memory)
    return _tensor, (raw, value.dtype, sizes, strides, str(value.device))


def _tensor(
    raw: bytearray,
    dtype: torch.dtype,
    sizes: tuple[int, ...],
    strides: tuple[int, ...] | None,
    device: str,
) -> torch.Tensor:
    if not raw:
        return torch.empty(sizes, dtype=dtype, device=torch.device(device).type)
    flat = torch.frombuffer(raw, dtype=dtype)
    made = flat.reshape(sizes) if strides is None else flat.as_strided(sizes, strides)
    return made if device == "cpu" else made.to(torch.device(device).type)


_TABLE = copyreg.dispatch_table | {torch.Tensor: _reduced, torch.nn.Parameter: _reduced}


def _encoded(message: Any) -> list[Any]:
    """Return a message as bytes, and the memory of its tensors as it is."""
    stream, buffers = io.BytesIO(), list[pickle.PickleBuffer]()
    pickler = pickle.Pickler(stream, protocol=5, buffer_callback=buffers.append)
    pickler.dispatch_table = _TABLE
    pickler.dump(message)
    return [stream.getbuffer(), *(one.raw() for one in buffers)]
