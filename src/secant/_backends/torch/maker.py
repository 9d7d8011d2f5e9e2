"""torch's tensors for those who draw them: every layout is a view of a contiguous one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ..makers import Maker


class TorchMaker(Maker):
    """Makes torch's tensors, on the CPU."""

    dtypes = ("float64", "float32", "float16", "bfloat16", "complex128", "complex64")

    def default(self) -> str:
        return "float64"

    def make(
        self, numbers: np.ndarray[Any, Any], dtype: str, layout: str, shape: Sequence[int]
    ) -> Any:
        if layout == "transposed":
            return self._typed(numbers.T, dtype).permute(*range(numbers.ndim)[::-1])
        if layout == "sliced":
            return self._typed(np.repeat(numbers, 2, axis=-1), dtype)[..., ::2]
        if layout == "expanded":
            return self._typed(numbers, dtype).expand(tuple(shape))
        return self._typed(numbers, dtype)

    def _typed(self, numbers: np.ndarray[Any, Any], dtype: str) -> torch.Tensor:
        return torch.from_numpy(np.array(numbers, order="C")).to(getattr(torch, dtype))
