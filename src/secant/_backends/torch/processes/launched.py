"""The processes that torchrun has started, joined for one command."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import torch.distributed as dist

from ...._errors import InputError
from .leaving import store_here, wait_for_all


@contextlib.contextmanager
def launched() -> Iterator[tuple[Any, int]]:
    """Yield the group of all processes, and the rank of this one; leave when all are done.

    The launcher ends all processes when the first one fails, whatever the others are about to say.
    """
    is_ours = not dist.is_initialized()
    if is_ours:
        if "RANK" not in os.environ or "WORLD_SIZE" not in os.environ:
            raise InputError(
                "expected --group under torchrun, as in: torchrun --nproc-per-node 2 -m secant "
                "check layers.py:column --group"
            )
        dist.init_process_group()
    try:
        yield dist.group.WORLD, dist.get_rank()
    finally:
        with contextlib.suppress(RuntimeError):  # who keeps the store is gone
            wait_for_all(store_here(), dist.get_world_size())
        if is_ours:
            dist.destroy_process_group()
