"""PyTorch's dtypes and devices: a value rounded or elsewhere, and the gaps a dtype leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ..._errors import InputError, expected
from ..algebra import Array


class TorchDtypes:
    """The same values in other dtypes and on other devices, and what a dtype can tell apart."""

    like_layout: Any  # the backend's own

    def cast(self, array: Array, dtype: Any) -> Array:
        wanted = getattr(torch, dtype, None) if isinstance(dtype, str) else dtype
        if not isinstance(wanted, torch.dtype) or not wanted.is_floating_point:
            choices = "a floating dtype such as float32, float16 or bfloat16, or None"
            raise expected("dtype", choices, dtype)
        if array.dtype.is_complex:
            wanted = wanted.to_complex()
        return self.like_layout(array.detach().to(wanted), array)

    def on_device(self, array: Array, device: Any) -> Array:
        try:
            return self.like_layout(array.detach().to(device), array)
        except (RuntimeError, AssertionError, TypeError) as error:
            choices = "a device that is there, or None for that of the inputs"
            raise expected("reference_device", choices, device) from error

    def exported(self, array: Array) -> np.ndarray[Any, Any]:
        plain = array.detach().cpu().resolve_conj().resolve_neg()
        if plain.dtype in (torch.bfloat16, torch.complex32):  # NumPy has neither
            plain = plain.to(torch.complex64 if plain.is_complex() else torch.float32)
        return np.array(plain.numpy())

    def imported(self, numbers: np.ndarray[Any, Any], dtype: str) -> Array:
        wanted = getattr(torch, dtype, None)
        if not isinstance(wanted, torch.dtype):
            raise InputError(f"torch has no {dtype}")
        return torch.from_numpy(np.array(numbers)).to(wanted)

    def spacing(self, vector: Array, reference: Array) -> Array:
        dtype = reference.dtype.to_real() if reference.dtype.is_complex else reference.dtype
        limits = torch.finfo(dtype)
        if isinstance(vector, np.ndarray):
            _, exponents = np.frexp(np.maximum(abs(vector), limits.smallest_normal))
            return np.ldexp(limits.eps, exponents - 1)
        _, exponents = torch.frexp(abs(vector).clamp_min(limits.smallest_normal))
        return torch.ldexp(torch.full_like(vector, limits.eps), exponents - 1)

    def place_of_largest(self, vector: Array) -> int:
        return int(vector.argmax())
