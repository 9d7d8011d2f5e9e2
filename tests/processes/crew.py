"""Processes for tests: started once, asked many times.

Four of them are one world; the first two are a group of their own as well. What may leave a group
out of step is asked of processes that are started for it alone.
"""

from __future__ import annotations

import datetime
import functools
import importlib
import multiprocessing
import os
import socket
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

SIZE = 4
PRELOADED = [
    "torch.distributed.fsdp",
    "torch.distributed.tensor.parallel",
    "secant._processes.conduct",
    "secant._backends.torch.backend",
    "secant._backends.torch.processes.wire",
    "secant._commands.question.put",
    "secant.cli",
    "pytest",
]
_PATIENCE = 100.0  # seconds, for everything that one question may take on a busy machine


class Failure(Exception):
    """What a process raised that it should not have."""


def _live(rank: int, size: int, port: int, pipe: Connection) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    patience = datetime.timedelta(seconds=_PATIENCE)
    dist.init_process_group("gloo", rank=rank, world_size=size, timeout=patience)
    groups = {size: dist.group.WORLD}
    if size > 2:
        groups[2] = dist.new_group([0, 1], timeout=patience)
    while True:
        asked = pipe.recv()
        if asked is None:
            break
        module, name, count, arguments = asked
        try:
            function = getattr(importlib.import_module(module), name)
            pipe.send((True, function(groups[count], *arguments)))
        except BaseException:
            pipe.send((False, traceback.format_exc()))
    os._exit(0)  # whatever hangs in a group that is out of step


class Crew:
    """Some processes, and the way to ask them."""

    def __init__(self, size: int) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(PRELOADED)
        self._pipes: list[Any] = []
        self.processes: list[Any] = []
        for rank in range(size):
            ours, theirs = context.Pipe()
            process = context.Process(target=_live, args=(rank, size, port, theirs), daemon=True)
            process.start()
            self._pipes.append(ours)
            self.processes.append(process)

    def ask(self, function: Any, *arguments: Any, size: int = SIZE) -> list[Any]:
        """Call a function of a test module with the group on so many processes."""
        self.begin(function, *arguments, size=size)
        heard = [self._heard(rank) for rank in range(size)]  # all, so that the next question is new
        return [_good(rank, *one) for rank, one in enumerate(heard)]

    def begin(self, function: Any, *arguments: Any, size: int = SIZE) -> None:
        for pipe in self._pipes[:size]:
            pipe.send((function.__module__, function.__name__, size, arguments))

    def answer(self, rank: int) -> Any:
        return _good(rank, *self._heard(rank))

    def _heard(self, rank: int) -> tuple[bool, Any]:
        if not self._pipes[rank].poll(_PATIENCE):
            return False, "it does not answer"
        return self._pipes[rank].recv()

    def end(self) -> None:
        for process in self.processes:
            process.kill()
            process.join()


def _good(rank: int, is_good: bool, answer: Any) -> Any:
    if not is_good:
        raise Failure(f"rank {rank}: {answer}")
    return answer


@functools.cache
def crew() -> Crew:
    """The four processes that all tests share, started by whoever asks first."""
    return Crew(SIZE)


@functools.cache
def pair() -> Crew:
    """Two processes that are a world of their own, as torchrun starts them."""
    return Crew(2)


@contextmanager
def fresh(size: int) -> Iterator[Crew]:
    """Processes for one test that may lose them."""
    one = Crew(size)
    try:
        yield one
    finally:
        one.end()
