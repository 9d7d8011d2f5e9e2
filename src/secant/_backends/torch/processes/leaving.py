"""Processes that were started together leave together: a launcher ends all when the first fails.

Whatever the others still have to say or to write is said and written then.
"""

from __future__ import annotations

import contextlib
import os
import time
from typing import Any

import torch.distributed as dist

_PATIENCE = 20.0  # seconds that the others may take
_A_MOMENT = 0.01
_kept: list[Any] = []  # the store of the last group that was checked; it outlives the group


def store_here() -> Any:
    """Return what all processes can read and write."""
    store: Any = dist.distributed_c10d._get_default_store()
    return store


def keep_store() -> None:
    """Remember where the processes of a check can meet once more."""
    _kept[:] = [store_here()]


def leave_together() -> None:
    """Wait for the processes that a launcher has started, where some function was checked on them.

    Asked at the end of a program, when groups may be gone.
    """
    if _kept and "RANK" in os.environ:
        with contextlib.suppress(RuntimeError, ValueError):  # who keeps the store is gone
            wait_for_all(_kept[0], int(os.environ.get("WORLD_SIZE", "1")))


def wait_for_all(store: Any, size: int) -> None:
    """Return when so many processes have asked."""
    done, until = store.add("secant/done", 1), time.monotonic() + _PATIENCE
    while done % size and time.monotonic() < until:
        time.sleep(_A_MOMENT)
        done = store.add("secant/done", 0)
