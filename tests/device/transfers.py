"""What crosses between an accelerator and main memory while something runs, seen by two witnesses.

`Crossings` stands in torch's dispatcher and sees every operator that takes from one side and gives
on the other. `memory_copies` asks the accelerator's own profiler for the copies that it made,
whoever asked for them.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

TO_HOST, TO_DEVICE = "DtoH", "HtoD"
WIDEST_SCALAR = 16  # bytes of a complex128


@dataclass(frozen=True)
class Copy:
    """One transfer."""

    way: str  # TO_HOST or TO_DEVICE
    bytes: int
    by: str  # the operator or the profiler's event


@dataclass
class Crossings(TorchDispatchMode):
    """Notes every operator whose arguments lie on one side and whose answer lies on the other.

    A single number counts as a crossing of its own size, so that it can be told from an array. An
    operator that gives Python a number (`item`, `equal`) is one too: it reads from the device.
    """

    copies: list[Copy] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        answer = func(*args, **(kwargs or {}))
        self.copies += crossings(str(func), (args, kwargs), answer)
        return answer


def crossings(name: str, given: Any, answer: Any) -> Iterator[Copy]:
    """Yield what one operator carried across."""
    taken = [leaf for leaf in pytree.tree_leaves(given) if isinstance(leaf, torch.Tensor)]
    leaves = pytree.tree_leaves(answer)
    on_device = [one for one in taken if not one.is_cpu]
    # a single number in main memory is handed over as an argument of a kernel, not as an array
    on_host = [one for one in taken if one.is_cpu and one.ndim]
    for leaf in leaves:
        if isinstance(leaf, torch.Tensor):
            if leaf.is_cpu and on_device:
                yield Copy(TO_HOST, size_of(leaf), name)
        elif isinstance(leaf, (bool, int, float, complex)) and on_device and "aten" in name:
            yield Copy(TO_HOST, on_device[0].element_size(), name)
    if any(isinstance(leaf, torch.Tensor) and not leaf.is_cpu for leaf in leaves):
        for one in on_host:
            yield Copy(TO_DEVICE, size_of(one), name)


def size_of(tensor: torch.Tensor) -> int:
    """Bytes of a tensor's entries."""
    return tensor.numel() * tensor.element_size()


def memory_copies(call: Callable[[], object], folder: Path) -> list[Copy]:
    """Run a call under the profiler and return the copies that the accelerator made meanwhile."""
    from torch.profiler import ProfilerActivity, profile

    record = profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])
    with warnings.catch_warnings():  # the profiler says once a process that it forgets cycles
        warnings.simplefilter("ignore")
        record.start()
    try:
        call()
        torch.cuda.synchronize()
    finally:
        record.stop()
    file = folder / "trace.json"
    record.export_chrome_trace(str(file))
    events = json.loads(file.read_text(encoding="utf-8"))["traceEvents"]
    return [
        Copy(way, int(event["args"]["bytes"]), event["name"])
        for event in events
        if event.get("cat") == "gpu_memcpy"
        for way in (TO_HOST, TO_DEVICE)
        if way in event["name"]
    ]


def total(copies: list[Copy], way: str) -> int:
    """Bytes that went one way."""
    return sum(copy.bytes for copy in copies if copy.way == way)


def widest(copies: list[Copy], way: str) -> int:
    """Bytes of the largest single copy that went one way, 0 without any."""
    return max((copy.bytes for copy in copies if copy.way == way), default=0)
