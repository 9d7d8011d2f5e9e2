"""Private copies of tensors and arrays for calls to write into, and tensors watched in place.

A copy is used again until a call has written into it. Torch counts writes, except those through
`.data` or through NumPy; after the first call values are compared, and what such a write has
changed gets a fresh copy for every call. Tensors that share memory are copied together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ..arrays.dtypes import set_version


class Copy:
    """Copies of tensors that share their memory; mostly of one alone."""

    def __init__(self, originals: Sequence[torch.Tensor]) -> None:
        self.originals = originals
        self.made: list[torch.Tensor] = []
        self._versions: list[int] = []
        self._is_restless = False

    def renew(self) -> None:
        """Make copies, unless those at hand are untouched."""
        if self.made and not self._is_restless:
            for one, version in zip(self.made, self._versions, strict=True):
                if one._version != version:
                    break
            else:
                return
        self.made = _copied(self.originals)
        self._versions = [one._version for one in self.made]

    def look(self) -> None:
        """See whether a call has written into them behind torch's back."""
        for one, version, original in zip(self.made, self._versions, self.originals, strict=False):
            if one._version == version and not _is_equal(one, original):
                self._is_restless = True


class ArrayCopy:
    """A copy of a NumPy array."""

    def __init__(self, original: np.ndarray[Any, Any]) -> None:
        self.originals = [original]
        self.made: list[np.ndarray[Any, Any]] = []
        self._is_restless = False

    def renew(self) -> None:
        """Make a copy, unless calls leave it as it is."""
        if not self.made or self._is_restless:
            self.made = [self.originals[0].copy(order="K")]

    def look(self) -> None:
        """See whether a call has written into it."""
        is_same = [one.tobytes() == self.originals[0].tobytes() for one in self.made]
        self._is_restless |= not all(is_same)


class Watched:
    """A tensor that stays where it is: its values are put back, its gradient and its mark."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self._tensor = tensor
        self._is_marked = tensor.requires_grad
        self._gradient = tensor.grad
        self._gradient_values = None if tensor.grad is None else tensor.grad.detach().clone()
        self._save()

    def _save(self) -> None:
        self._values = self._tensor.detach().clone()
        self._version = self._tensor._version

    def look(self) -> None:
        """Before a call: somebody may have moved it since."""
        if self._tensor._version != self._version:
            self._save()

    def put_back(self, *, is_sure: bool) -> None:
        """Put back what a call has changed; with `is_sure`, values are compared as well."""
        tensor = self._tensor
        has_moved = tensor._version != self._version
        if has_moved or (is_sure and not _is_equal(tensor, self._values)):
            _write(tensor, self._values, self._version)
        if tensor.requires_grad != self._is_marked:
            tensor.requires_grad_(self._is_marked)
        if tensor.grad is not self._gradient:
            tensor.grad = self._gradient
        gradient, values = self._gradient, self._gradient_values
        if gradient is not None and values is not None and not _is_equal(gradient, values):
            _write(gradient, values, gradient._version)


def shared_memory(tensors: Sequence[torch.Tensor]) -> list[list[torch.Tensor]]:
    """Return the tensors in groups that share memory."""
    groups: dict[Any, list[torch.Tensor]] = {}
    for tensor in tensors:
        groups.setdefault(_memory(tensor), []).append(tensor)
    return list(groups.values())


def _memory(tensor: torch.Tensor) -> Any:
    """Return what is equal for tensors in the same memory, something else for every other."""
    if tensor.layout is not torch.strided or tensor.device.type == "meta":
        return id(tensor)
    try:
        storage = tensor.untyped_storage()
    except NotImplementedError:  # a class without any
        return id(tensor)
    address = storage.data_ptr()
    return (tensor.device, address) if address else id(tensor)


def _copied(originals: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    if len(originals) == 1:
        made = [originals[0].detach().clone()]
    else:
        whole: Any = originals[0].untyped_storage()
        storage = whole.clone()
        made = [
            torch.empty(0, dtype=one.dtype, device=one.device).set_(
                storage, one.storage_offset(), one.size(), one.stride()
            )
            for one in originals
        ]
    return [_alike(one, original) for one, original in zip(made, originals, strict=True)]


def _alike(made: torch.Tensor, original: torch.Tensor) -> torch.Tensor:
    if isinstance(original, torch.nn.Parameter):
        made = torch.nn.Parameter(made, requires_grad=False)
    if original.__dict__:
        made.__dict__.update(original.__dict__)
    return made


def _is_equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    try:
        return torch.equal(one.detach(), other.detach())
    except (NotImplementedError, RuntimeError):  # a layout or dtype that torch cannot compare
        return False


def _write(tensor: torch.Tensor, values: torch.Tensor, version: int) -> None:
    """Put values and version back: what a user has recorded with this tensor still holds."""
    if tensor.shape != values.shape:
        tensor.data = values.clone()
    else:
        tensor.data.copy_(values)
    set_version(tensor, version)
