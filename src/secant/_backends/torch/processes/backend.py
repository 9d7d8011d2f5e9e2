"""What the backend says about groups of processes; each part is loaded when it is first needed."""

from __future__ import annotations

import contextlib
import functools
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import torch

from ...arithmetic.algebra import Array
from ...interface.modules import Unfolded
from ...interface.processes import Ask, Placed, Processes, Stack, Wire
from ..autodiff.borrowed import loose_ends


@functools.cache  # asked before every call, where an import takes twenty microseconds
def _versions() -> Any:
    from ..processes import versions

    return versions


_count_functions: Any = torch._C._len_torch_function_stack
_count_dispatches: Any = torch._C._len_torch_dispatch_stack
_DTENSORS = str(Path(torch.__file__).parent / "distributed" / "tensor")


class TorchProcesses(Processes):
    """Groups of processes under torch.distributed."""

    def wire(self, group: Any, timeout: float) -> Wire:
        from .wire import SocketWire

        return SocketWire(group, timeout)

    def launched(self) -> AbstractContextManager[tuple[Any, int]]:
        from .launched import launched

        return launched()

    def shard_of(self, array: Array) -> Placed | None:
        if "torch.distributed.tensor" not in sys.modules:
            return None
        from .placements import placed

        return placed(array)

    def settled(self, array: Array) -> Array:
        if type(array) is torch.Tensor:
            return array
        wait = getattr(array, "wait", None)
        return array if wait is None else wait()

    def sharded(self, function: Callable[..., Any]) -> Unfolded | None:
        from .sharded import sharded

        return sharded(function)

    def needs_cotangents(self, error: BaseException) -> bool:
        innermost = traceback.extract_tb(error.__traceback__)[-1:]
        return any(one.filename.startswith(_DTENSORS) for one in innermost)

    def replicas_of(self, held: Any) -> Any:
        from torch.nn.parallel import DistributedDataParallel

        if isinstance(held, DistributedDataParallel):
            return held.process_group
        mark = getattr(held, "replicated", None) if isinstance(held, torch.Tensor) else None
        return mark if isinstance(mark, (bool, torch.distributed.ProcessGroup)) else None

    def ranks_of(self, group: Any) -> tuple[int, ...]:
        from .wire import group_of

        return tuple(torch.distributed.get_process_group_ranks(group_of(group)))

    def unreduced(self, function: Callable[..., Any]) -> AbstractContextManager[Any]:
        if self.replicas_of(function) is None:
            return contextlib.nullcontext()
        module: Any = function
        context: AbstractContextManager[Any] = module.no_sync()
        return context

    def loose_ends(self, outputs: Sequence[Array], inputs: Sequence[Array]) -> list[Array]:
        return loose_ends(outputs, inputs)

    def overwrite(self, array: Array, values: Array) -> None:
        with torch.no_grad():
            array.detach().copy_(values.detach().clone())

    def joined(
        self,
        name: str,
        names: Sequence[str],
        values: Sequence[Array],
        ask: Ask,
        stacks: Callable[[], Sequence[Stack]],
    ) -> Unfolded:
        from .joined import Joined, know_outputs

        know_outputs()
        return Joined(name, names, values, ask, stacks)

    def versions_here(self) -> tuple[str, ...]:
        if not (_count_functions() or _count_dispatches()):
            return ()
        here: tuple[str, ...] = _versions().versions_here()
        return here

    def in_versions(self, names: Sequence[str]) -> AbstractContextManager[Any]:
        context: AbstractContextManager[Any] = _versions().in_versions(names)
        return context
