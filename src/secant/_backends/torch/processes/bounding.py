"""Collectives that give up in time, where another process has not joined them.

Those of a group give up after its timeout. What is sent from one process to another does not: gloo
gives a connection the timeout that the group was made with, so each wait for it gets a timeout.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import torch.distributed as dist

from ...._errors import said_by

_COLLATERAL = (
    "Timed out waiting",
    "Operation timed out",
    "Connection closed by peer",
    "pair closure",
    "Connection reset by peer",
    "Broken pipe",
    "Socket closed",
    "remote worker crashing",
)


@contextlib.contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """Let every collective, and every wait for one process, give up after so long."""
    before, limit = [], timedelta(seconds=seconds)
    work: Any = dist.Work
    wait = work.wait

    def wait_within(one: Any, timeout: timedelta = limit) -> Any:
        return wait(one, timeout or limit)  # zero is no timeout at all

    try:
        for backend, known in _timeouts():
            if known > limit:
                before.append((backend, known))
                backend._set_default_timeout(limit)
        work.wait = wait_within
        yield
    finally:
        work.wait = wait
        for backend, known in before:
            backend._set_default_timeout(known)


def is_collateral(error: BaseException) -> bool:
    """Say whether an error comes from a collective that another process has not joined."""
    text = said_by(error)
    return isinstance(error, RuntimeError) and any(phrase in text for phrase in _COLLATERAL)


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
