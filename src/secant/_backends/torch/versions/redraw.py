"""Random numbers of float64 that are those which the same function draws in float32.

Generators give other numbers in other dtypes: the dropout of a float32 network, run in float64,
drops other entries. Within `Redrawing` whatever fills a float64 tensor at random draws in float32
and is widened, so that a lifted function is the same function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_aten: Any = torch.ops.aten
_FILLING = {
    getattr(_aten, name)
    for name in (
        "bernoulli_",
        "uniform_",
        "normal_",
        "exponential_",
        "log_normal_",
        "cauchy_",
        "geometric_",
    )
}
_MAKING = {_aten.rand_like, _aten.randn_like, _aten.bernoulli}


class Redrawing(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """While this is active, random numbers of float64 are drawn in float32."""

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        keywords = dict(kwargs or {})
        packet = getattr(func, "overloadpacket", None)
        first = args[0] if args else None
        if not isinstance(first, torch.Tensor) or first.dtype is not torch.float64:
            return func(*args, **keywords)
        if packet in _FILLING:
            low = func(first.float(), *args[1:], **keywords)
            return first.copy_(low)
        if packet in _MAKING and keywords.get("dtype") in (None, torch.float64):
            keywords.pop("dtype", None)
            return func(first.float(), *args[1:], **keywords).double()
        return func(*args, **keywords)
