"""Running a function in float64 that was written for less: what it mixes in is widened on the way.

A function of float64 inputs may meet tensors of its own in lower precision: weights, tables and
buffers that it closes over. Elementwise operators promote by themselves, products and convolutions
raise. Within `Widening` every operator that is given a float64 tensor gets all of them in float64.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

_WIDE = (torch.float64, torch.complex128)


def widened(tensor: torch.Tensor) -> torch.Tensor:
    """Return the tensor in float64, or in complex128 if it is complex."""
    if tensor.layout is torch._mkldnn:  # type: ignore[attr-defined]
        tensor = tensor.to_dense()  # a layout of its own, in single precision only
    return tensor.to(torch.complex128 if tensor.dtype.is_complex else torch.float64)


class Widening(TorchFunctionMode):
    """While this is active, no operator mixes float64 with less."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        given = (*args, *(kwargs or {}).values())
        if _holds(given, _is_wide) and _holds(given, _is_narrow):
            args = [_raised(one) for one in args]
            kwargs = {name: _raised(one) for name, one in (kwargs or {}).items()}
        return func(*args, **(kwargs or {}))


def _is_wide(tensor: torch.Tensor) -> bool:
    return tensor.dtype in _WIDE


def _is_narrow(tensor: torch.Tensor) -> bool:
    dtype = tensor.dtype
    return (dtype.is_floating_point or dtype.is_complex) and dtype not in _WIDE


def _holds(values: Sequence[Any], is_it: Callable[[torch.Tensor], bool]) -> bool:
    return any(
        is_it(one)
        if isinstance(one, torch.Tensor)
        else isinstance(one, (list, tuple)) and _holds(one, is_it)
        for one in values
    )


def _raised(value: Any) -> Any:
    """Return a value with every tensor of low precision in it widened."""
    if isinstance(value, torch.Tensor):
        return widened(value) if _is_narrow(value) else value
    if type(value) in (list, tuple):
        return type(value)(_raised(one) for one in value)
    return value
