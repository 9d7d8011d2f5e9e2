"""How long one input of an operator may take, and what ends it when it takes longer.

A worker ends itself, by a thread that needs no interpreter: code that never comes back to Python
holds up nobody else. It leaves a note. Where there is no worker, this process is interrupted as
by Ctrl-C, which what never comes back to Python does not hear.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

PATIENCE = 120.0
"""Seconds: some ten times what the slowest input takes on a machine that is not busy."""

Limit = Callable[[float], AbstractContextManager[None]]
"""Ends what follows when it takes so many seconds."""


class TookTooLong(KeyboardInterrupt):
    """An input took longer than the patience for it."""


@contextmanager
def end_worker_after(seconds: float, note: str = os.devnull) -> Iterator[None]:
    """End this process, which is a worker, if what follows takes longer; say so in a file."""
    with open(note, "wb") as file:
        faulthandler.dump_traceback_later(seconds, exit=True, file=file)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()


@contextmanager
def interrupt_after(seconds: float) -> Iterator[None]:
    """Raise `Late` if what follows takes longer; only a main thread can be interrupted."""
    is_main = threading.current_thread() is threading.main_thread()
    if not (is_main and hasattr(signal, "pthread_kill")):  # Windows has none
        yield
        return
    turn, is_over, is_late = threading.Lock(), threading.Event(), threading.Event()

    def interrupt() -> None:
        with turn:
            if not is_over.is_set():
                is_late.set()
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    timer = threading.Timer(seconds, interrupt)
    timer.daemon = True
    timer.start()
    try:
        try:
            yield
        finally:
            with turn:  # from here on no interrupt is sent
                is_over.set()
            timer.cancel()
    except KeyboardInterrupt as error:
        if is_late.is_set():
            raise TookTooLong from error
        raise
