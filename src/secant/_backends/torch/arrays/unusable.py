"""Tensors that hold no numbers, and places where none can be measured: each in a few words."""

from __future__ import annotations

import sys
from typing import Any

import torch
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

from ...arithmetic.algebra import Array

_level: Any = torch._C._functorch.maybe_current_level
_depth: Any = torch._C._len_torch_dispatch_stack


class TorchUnusable:
    """What about a tensor, or about where secant is called, leaves nothing to measure."""

    def unusable(self, array: Array) -> str:
        if array.is_nested:
            return "is a nested tensor, which has no shape: pass its parts as a list of tensors"
        if array.is_meta:
            return "is on the meta device, which holds no numbers"
        if type(array) is not torch.Tensor and _is_fake(array):
            return "is a fake tensor, which holds no numbers"
        return ""

    def unusable_here(self) -> str:
        if _level() is not None:
            return "a transform of torch.func (vmap, grad, jvp)"
        if not _depth():
            return ""
        modes: list[Any] = _get_current_dispatch_mode_stack()
        return "a FakeTensorMode" if any(map(_is_fake_mode, modes)) else ""


def _is_fake(array: Array) -> bool:
    fakes: Any = sys.modules.get("torch._subclasses.fake_tensor")
    return fakes is not None and isinstance(array, fakes.FakeTensor)


def _is_fake_mode(mode: Any) -> bool:
    fakes: Any = sys.modules.get("torch._subclasses.fake_tensor")
    return fakes is not None and isinstance(mode, fakes.FakeTensorMode)
