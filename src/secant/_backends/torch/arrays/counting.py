"""Numbers at random from a counter, drawn on the device that they are for."""

from __future__ import annotations

import functools

import torch

from ...arithmetic.counting import FIRST, LAST, SECOND, Key, choices_of

_CHUNK = 1 << 22


def signed_magnitudes(
    key: Key, size: int, grain: float, device: torch.device, dtype: torch.dtype
) -> torch.Tensor:
    """Return the numbers of `arithmetic/counting.py`, by chunks; float32 holds them too."""
    numbers = torch.empty(size, dtype=dtype, device=device)
    choices = _choices(grain, device, dtype)
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
        torch.index_select(choices, 0, _shifted(bits, 16), out=chunk)
    return numbers


@functools.lru_cache(maxsize=8)
def _choices(grain: float, device: torch.device, dtype: torch.dtype) -> torch.Tensor:
    return torch.from_numpy(choices_of(grain)).to(device, dtype)


def _shifted(bits: torch.Tensor, count: int) -> torch.Tensor:
    """Shift without a sign: torch has no arithmetic on unsigned numbers of 32 bits."""
    shifted = bits >> count
    shifted &= (1 << 32 - count) - 1
    return shifted


def _signed(number: int) -> int:
    return number - (1 << 32) if number >= 1 << 31 else number
