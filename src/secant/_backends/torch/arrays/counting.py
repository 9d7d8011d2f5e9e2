"""Numbers at random from a key, looked up on the device that they are for."""

from __future__ import annotations

import functools

import torch

from ...arithmetic.counting import ROW, StreamKey, starts, table


def signed_magnitudes(
    key: StreamKey, size: int, grain: float, device: torch.device, dtype: torch.dtype
) -> torch.Tensor:
    """Return the numbers of `arithmetic/counting.py`; float32 holds them too."""
    places = torch.from_numpy(starts(key, size)).to(device)
    return _rows_of(grain, device, dtype)[places].reshape(-1)[:size]


@functools.lru_cache(maxsize=8)
def _rows_of(grain: float, device: torch.device, dtype: torch.dtype) -> torch.Tensor:
    return torch.from_numpy(table(grain)).to(device, dtype).unfold(0, ROW, 1)  # a view
