"""Numbers at random from a counter, drawn on the device that they are for."""

from __future__ import annotations

import torch

from ..counting import FINEST, FIRST, LAST, SECOND, Key

_CHUNK = 1 << 22


def signed_magnitudes(
    key: Key, size: int, grain: float, device: torch.device, dtype: torch.dtype
) -> torch.Tensor:
    """Return the numbers of `_backends/counting.py`, a chunk at a time; float32 holds them too."""
    numbers = torch.empty(size, dtype=dtype, device=device)
    for start in range(0, size, _CHUNK):
        chunk = numbers[start : start + _CHUNK]
        bits = torch.arange(start, start + chunk.numel(), dtype=torch.int32, device=device)
        bits ^= _signed(key.before)
        bits ^= _shifted(bits, 16)
        bits *= _signed(FIRST)
        bits ^= _shifted(bits, 13)
        bits *= _signed(SECOND)
        bits ^= _shifted(bits, 16)
        bits ^= _signed(key.after)
        bits *= _signed(LAST)
        chunk.copy_(_shifted(bits, 16) & 0x7FFF)
        chunk *= FINEST
        chunk += 0.5
        chunk /= grain
        chunk.trunc_()
        chunk *= grain
        torch.where(bits < 0, -chunk, chunk, out=chunk)  # the sign is the uppermost bit
    return numbers


def _shifted(bits: torch.Tensor, count: int) -> torch.Tensor:
    """Shift without a sign: torch has no arithmetic on unsigned numbers of 32 bits."""
    return (bits >> count) & ((1 << 32 - count) - 1)


def _signed(number: int) -> int:
    return number - (1 << 32) if number >= 1 << 31 else number
