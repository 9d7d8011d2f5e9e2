"""Casts to lower precision inside a function: seen while it runs, or left out.

`x.half().sin().double()` is a staircase: no short step sees it move, and yet its gradient is meant.
Such casts are noted where they are made (`watch.py`). Within `uncasting` each copies and leaves the
dtype as it is, in the function and in its derivatives; tensors of low precision that then meet
wider ones are widened.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from ..arrays.dtypes import loses_digits
from .lift import Widening

_COPY = torch.ops.aten._to_copy.default
_frames: Any = torch._C._dynamo.eval_frame
_can_skip = hasattr(_frames, "set_code_exec_strategy") and hasattr(_frames, "_FrameExecStrategy")


class Casts(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """While this is active, casts to fewer digits than there are are noted, or left out as well."""

    supports_higher_order_operators = True  # they are called as they are

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Do without torch's wrapper, which loads its compiler: seconds in every first check."""
        return not _can_skip

    def __init__(
        self, noted: dict[str, float], *, is_left_out: bool, only: Collection[str] = ()
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._noted = noted
        self.is_left_out = is_left_out
        self.only = only

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        if func is not _COPY or not kwargs:
            return func(*args, **(kwargs or {}))
        dtype = kwargs.get("dtype")
        if dtype is not None and loses_digits(args[0].dtype, dtype):
            name = str(dtype).removeprefix("torch.")
            self._noted[name] = torch.finfo(dtype).eps / 2
            if self.is_left_out and (not self.only or name in self.only):
                kwargs = {**kwargs, "dtype": args[0].dtype}
        return func(*args, **kwargs)


def skip_compiling(function: Any) -> None:
    """Let a compiler that runs meanwhile leave a function alone, and what it calls."""
    if _can_skip:
        skip: Any = _frames._FrameAction.SKIP
        _frames.set_code_exec_strategy(function.__code__, _frames._FrameExecStrategy(skip, skip))


skip_compiling(Casts.__torch_dispatch__)


@contextlib.contextmanager
def uncasting(only: Collection[str] = ()) -> Iterator[None]:
    """Leave casts to lower precision out: all in float64, or only those to some dtypes."""
    widening = contextlib.nullcontext() if only else Widening()
    with Casts({}, is_left_out=True, only=only), widening:
        yield
