"""Who does the work: this process, processes of its own, or a Dask cluster.

All are a standard executor, and know what it looks like when a worker dies.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import threading
import time
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from functools import partial
from multiprocessing.connection import wait
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from .._errors import EvaluationError, InputError, expected, spell
from .patience import Limit, TookTooLong, end_worker_after, interrupt_after
from .plan import Item

_SCHEME = "dask://"
_ANSWER = 10.0  # seconds that a scheduler has for its first answer
_PATIENCE = 60.0  # seconds that a cluster may be without any worker


class Crew(ABC):
    """Workers behind an executor."""

    size: int  # workers
    most: int  # tasks in flight
    deaths: int  # how often a task by itself may lose its worker before it is blamed
    tells_late = True  # whether it is known who ended a worker

    @abstractmethod
    def submit(self, task: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Hand a task to some worker."""

    def is_death(self, error: BaseException) -> bool:
        """Say whether a task ended because its worker did."""
        return isinstance(error, BrokenExecutor)

    def limit(self, item: Item) -> Limit:  # noqa: ARG002 for those who leave a note
        """Return what a worker is to do about an input of an item that takes too long."""
        return end_worker_after

    def was_late(self, item: Item) -> bool:  # noqa: ARG002 for those who leave a note
        """Say whether that was done."""
        return False

    def mend(self) -> bool:
        """Go on after a death; say whether it took along all tasks in flight."""
        return False

    def watch(self) -> None:
        """Raise if nobody is left who could do the work."""
        return

    @abstractmethod
    def close(self) -> None:
        """Let the workers go."""


class OneProcess(Crew):
    """This process, one task after the other."""

    size, most, deaths = 1, 1, 1

    def limit(self, item: Item) -> Limit:  # noqa: ARG002 there is none but this
        return interrupt_after

    def submit(self, task: Callable[..., Any], *arguments: Any) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            done.set_result(task(*arguments))
        except (Exception, TookTooLong) as error:
            done.set_exception(error)
        return done

    def close(self) -> None:
        """Nothing was begun."""


class LocalProcesses(Crew):
    """Processes of this machine. The death of one breaks the pool, which is built anew."""

    deaths = 2

    def __init__(self, workers: int) -> None:
        self.size, self.most = workers, 2 * workers
        self._notes = TemporaryDirectory(prefix="secant-audit-")
        self._pool = self._made()

    def _made(self) -> Executor:
        # Spawned, not forked: frameworks have threads, which a fork leaves behind.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self.size, mp_context=context, initializer=_settle_in)

    def submit(self, task: Callable[..., Any], *arguments: Any) -> Future[Any]:
        try:
            return self._pool.submit(task, *arguments)
        except BrokenExecutor as error:  # it broke since the last answer
            broken: Future[Any] = Future()
            broken.set_exception(error)
            return broken

    def _note(self, item: Item) -> Path:
        return Path(self._notes.name) / f"{zlib.crc32(str(item).encode()):08x}"

    def limit(self, item: Item) -> Limit:
        return partial(end_worker_after, note=str(self._note(item)))

    def was_late(self, item: Item) -> bool:
        note = self._note(item)
        return note.exists() and note.stat().st_size > 0

    def mend(self) -> bool:
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._pool = self._made()
        return True

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._notes.cleanup()


class Cluster(Crew):
    """A Dask cluster, through its standard executor. Dask itself asks again when a worker dies."""

    deaths = 1  # Dask has tried several workers by then
    tells_late = False
    most = 1 << 20  # its scheduler spreads them

    def __init__(self, address: str) -> None:
        self._address = address
        try:
            self._dask: Any = importlib.import_module("distributed")
        except ImportError as error:
            raise InputError(
                f"expected Dask's `distributed` to be importable; {spell(error)}. "
                'Try: pip install "secant[dask]"'
            ) from error
        try:
            self._client = self._dask.Client(address, timeout=_ANSWER, set_as_default=False)
        except Exception as error:  # an odd address raises whatever its parts raise
            raise expected(
                "executor", "dask:// and the address of a Dask scheduler", _SCHEME + address
            ) from error
        self._pool = self._client.get_executor(pure=False)
        self._see_worker()
        self.size = max(1, len(self._client.nthreads()))

    def submit(self, task: Callable[..., Any], *arguments: Any) -> Future[Any]:
        done: Future[Any] = self._pool.submit(task, *arguments)
        done.add_done_callback(self._see_worker)  # somebody did it, or died of it
        return done

    def _see_worker(self, *_: object) -> None:
        self._seen = time.monotonic()

    def is_death(self, error: BaseException) -> bool:
        return isinstance(error, self._dask.KilledWorker)

    def watch(self) -> None:
        try:
            workers = self._client.nthreads()
        except (OSError, CancelledError) as error:
            raise EvaluationError(
                f"the Dask scheduler at {self._address} no longer answers; {spell(error)}"
            ) from error
        if workers:
            self._see_worker()
        elif time.monotonic() - self._seen > _PATIENCE:
            raise EvaluationError(
                f"the Dask cluster at {self._address} has had no worker for {_PATIENCE:.0f} s"
            )

    def close(self) -> None:
        self._client.close()


def crew_of(executor: str | None, workers: int | None) -> Crew:
    """Return the crew that a user asked for: by default, a process for every core."""
    if executor is not None:
        if workers is not None:
            raise InputError("expected `workers` or `executor`, not both: a cluster has its own")
        address = executor.removeprefix(_SCHEME)
        if address == executor or not address:
            raise expected("executor", "dask:// and the address of a Dask scheduler", executor)
        return Cluster(address)
    if workers is not None and workers < 0:
        raise expected("workers", "a whole number of at least 0", workers)
    if workers == 0:
        return OneProcess()
    return LocalProcesses(workers or _cores())


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _settle_in() -> None:
    """Make a new process a worker: interrupts are its parent's, and it ends when that does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
