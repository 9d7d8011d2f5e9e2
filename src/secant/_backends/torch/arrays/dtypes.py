"""PyTorch's dtypes and devices: a value rounded, laid out or elsewhere, and its numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ...._errors import InputError, expected
from ...arithmetic.algebra import Array, Numbers


def is_inexact(array: Array) -> bool:
    """Say whether the dtype is floating or complex."""
    return bool(array.dtype.is_floating_point or array.dtype.is_complex)


def loses_digits(before: torch.dtype, after: torch.dtype) -> bool:
    """Say whether a cast from one inexact dtype to another leaves fewer digits."""
    for dtype in (before, after):
        if not (dtype.is_floating_point or dtype.is_complex):
            return False
    return torch.finfo(after).eps > torch.finfo(before).eps


def like_layout(array: Array, reference: Array) -> Array:
    """Return the array with the strides of `reference`."""
    if reference.layout != torch.strided or reference.is_nested:
        return array
    if array.stride() == reference.stride():
        return array
    if is_wrapper(reference) or _overlaps(reference):
        return array
    laid_out = torch.empty_strided(
        reference.shape, reference.stride(), dtype=array.dtype, device=array.device
    )
    return laid_out.copy_(array)


def cast(array: Array, dtype: Any) -> Array:
    """Return the array rounded to a floating dtype, given as torch's or by its name."""
    wanted = getattr(torch, dtype, None) if isinstance(dtype, str) else dtype
    if not isinstance(wanted, torch.dtype) or not wanted.is_floating_point:
        choices = "a floating dtype such as float32, float16 or bfloat16, or None"
        raise expected("dtype", choices, dtype)
    if array.dtype.is_complex:
        wanted = wanted.to_complex()
    return like_layout(array.detach().to(wanted), array)


class TorchDtypes:
    """The same values in other dtypes and on other devices, and what a dtype can tell apart."""

    is_inexact = staticmethod(is_inexact)
    like_layout = staticmethod(like_layout)
    cast = staticmethod(cast)

    def on_device(self, array: Array, device: Any) -> Array:
        try:
            return like_layout(array.detach().to(device), array)
        except (RuntimeError, AssertionError, TypeError) as error:
            choices = "a device that is there, or None for that of the inputs"
            raise expected("reference_device", choices, device) from error

    def numbers(self, array: Array) -> Numbers:
        plain = array.detach().cpu().resolve_conj().resolve_neg()
        if plain.dtype in (torch.bfloat16, torch.complex32):  # NumPy has neither
            plain = plain.to(torch.complex64 if plain.is_complex() else torch.float32)
        numbers: Numbers = plain.numpy()
        return numbers

    def from_numbers(self, numbers: Numbers, reference: Array | None) -> Array:
        return torch.from_numpy(numbers).to(None if reference is None else reference.device)

    def imported(self, numbers: Numbers, dtype: str) -> Array:
        wanted = getattr(torch, dtype, None)
        if not isinstance(wanted, torch.dtype):
            raise InputError(f"torch has no {dtype}")
        return torch.from_numpy(np.array(numbers)).to(wanted)

    def least(self, array: Array) -> float:
        dtype = array.dtype.to_real() if array.dtype.is_complex else array.dtype
        return float(torch.finfo(dtype).smallest_normal)


def set_version(tensor: torch.Tensor, version: int) -> None:
    """Put a version back: what was recorded with these entries, which are there again, holds."""
    set_counter: Any = torch._C._autograd._unsafe_set_version_counter
    try:
        set_counter((tensor,), (version,))
    except TypeError:  # before torch 2.7 it took one tensor
        set_counter(tensor, version)


def is_wrapper(array: torch.Tensor) -> bool:
    """Say whether a tensor is of a class that only knows of its entries by dispatch."""
    kind: Any = type(array)
    return kind is not torch.Tensor and kind.__torch_dispatch__ is not _NOT_DISPATCHED


_NOT_DISPATCHED: Any = torch.Tensor.__torch_dispatch__


def _overlaps(array: torch.Tensor) -> bool:
    """Say whether two entries may share memory (expanded, or strides that fold back)."""
    reach = 1
    for size, stride in sorted(zip(array.shape, array.stride(), strict=True), key=lambda p: p[1]):
        if size == 1:
            continue
        if stride < reach:
            return True
        reach = stride * (size - 1) + reach
    return False
