"""Running a function without the casts to lower precision that it makes inside.

`x.half().sin().double()` is a staircase: no short step sees it move, and yet its gradient is meant.
Within `Uncasting` such a cast copies and leaves the dtype as it is, in the function and in its
derivatives; tensors of low precision that then meet wider ones are widened.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .lift import Widening

_COPY = torch.ops.aten._to_copy.default


class Uncasting(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """While this is active, nothing is cast to fewer digits than it has."""

    def __init__(self, left_out: dict[str, float]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._left_out = left_out

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        keywords = dict(kwargs or {})
        if func is _COPY and _loses_digits(args[0].dtype, keywords.get("dtype")):
            dtype = keywords["dtype"]
            self._left_out[str(dtype).removeprefix("torch.")] = torch.finfo(dtype).eps / 2
            keywords["dtype"] = args[0].dtype
        return func(*args, **keywords)


@contextlib.contextmanager
def uncasting() -> Iterator[dict[str, float]]:
    """Leave casts to lower precision out; give the dtypes that were left out, and round-offs."""
    left_out: dict[str, float] = {}
    with Uncasting(left_out), Widening():
        yield left_out


def _loses_digits(before: torch.dtype, after: torch.dtype | None) -> bool:
    if after is None or not (_is_inexact(before) and _is_inexact(after)):
        return False
    return torch.finfo(after).eps > torch.finfo(before).eps


def _is_inexact(dtype: torch.dtype) -> bool:
    return dtype.is_floating_point or dtype.is_complex
