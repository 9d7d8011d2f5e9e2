"""Sums over a device's vectors, in float64 at the last.

The entries of a long vector of float32 are added up by rows in float32 first: what that rounds is
less than their own rounding, and to widen them all takes longer than a kernel does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import torch

_WORK = torch.float64
_CHUNK = 1 << 24  # entries of a device's vector that are worked on at a time
_LONG = 1 << 18  # entries of a vector that is added up by rows
_ROW = 1 << 10
_SAFE = 2.0**-56, 2.0**56  # typical entries whose squares float32 holds


def chunks(vector: torch.Tensor) -> Iterator[slice]:
    """Yield the parts of a vector that are worked on at a time."""
    return (slice(k, k + _CHUNK) for k in range(0, vector.shape[0], _CHUNK))


def root_of_squares(part: Callable[[slice], torch.Tensor], vector: torch.Tensor) -> float:
    """Return the norm of a vector that is never there as a whole."""
    found = _joined([_norm(part(c)) for c in chunks(vector)])
    typical = found / math.sqrt(vector.shape[0] or 1)
    if not _is_long(vector) or _SAFE[0] < typical < _SAFE[1]:
        return found
    return _joined([torch.linalg.vector_norm(part(c), dtype=_WORK) for c in chunks(vector)])


def total(vector: torch.Tensor) -> torch.Tensor:
    """Return the sum of a vector's entries."""
    if not _is_long(vector):
        return vector.sum(dtype=_WORK)
    rows, rest = _rows(vector)
    return torch.cat([rows.sum(1), rest]).sum(dtype=_WORK)


def dot(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Return the sum of products of two vectors' entries."""
    sums = [total(one[c] * other[c]) for c in chunks(one)]
    return torch.stack(sums).sum() if sums else one.new_zeros(())


def _joined(norms: Sequence[torch.Tensor]) -> float:
    return float(torch.linalg.vector_norm(torch.stack(list(norms)))) if norms else 0.0


def _norm(vector: torch.Tensor) -> torch.Tensor:
    if _is_long(vector):
        rows, rest = _rows(vector)
        vector = torch.cat([torch.linalg.vector_norm(rows, dim=1), rest])
    norm: torch.Tensor = torch.linalg.vector_norm(vector, dtype=_WORK)
    return norm


def _is_long(vector: torch.Tensor) -> bool:
    return vector.shape[0] >= _LONG and vector.dtype is not _WORK


def _rows(vector: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a vector as rows, and what does not fill one."""
    whole = vector.shape[0] // _ROW * _ROW
    return vector[:whole].reshape(-1, _ROW), vector[whole:]
