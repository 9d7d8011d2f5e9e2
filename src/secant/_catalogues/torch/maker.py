"""torch's tensors for those who draw them: every layout is a view of a contiguous one."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ..makers import Maker, unrepeated


class TorchMaker(Maker):
    """Makes torch's tensors, on the CPU unless another device is named."""

    def __init__(self, device: str = "cpu") -> None:
        self._device = device

    dtypes = ("float64", "float32", "float16", "bfloat16", "complex128", "complex64")

    def default(self) -> str:
        return "float64"

    def make(self, numbers: np.ndarray[Any, Any], dtype: str, layout: str) -> Any:
        if layout == "transposed":
            return self._typed(numbers.T, dtype).permute(*range(numbers.ndim)[::-1])
        if layout == "sliced":
            return self._typed(np.repeat(numbers, 2, axis=-1), dtype)[..., ::2]
        if layout == "expanded":
            return self._typed(unrepeated(numbers), dtype).expand(numbers.shape)
        return self._typed(numbers, dtype)

    def read(self, value: Any) -> tuple[np.ndarray[Any, Any], str] | None:
        is_plain = isinstance(value, torch.Tensor) and value.layout is torch.strided
        name = str(value.dtype).removeprefix("torch.") if is_plain else ""
        if name not in ("float64", "float32", "complex128", "complex64"):
            return None  # NumPy has no bfloat16, and little of float16 survives a change
        return value.detach().resolve_conj().resolve_neg().cpu().numpy(), name

    def _typed(self, numbers: np.ndarray[Any, Any], dtype: str) -> torch.Tensor:
        return torch.from_numpy(np.array(numbers, order="C")).to(
            self._device, getattr(torch, dtype)
        )
