"""Where PyTorch's sparse tensors store entries: COO, CSR, CSC, BSR and BSC.

Indices are turned into flat places of the whole shape, with batch, block and dense dimensions spelt
out, so that tensors of different layouts can be compared without making any of them dense.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import torch

from ...arithmetic.algebra import Array
from ...interface.patterns import Pattern

BY_ROWS = (torch.sparse_csr, torch.sparse_bsr)
BLOCKED = (torch.sparse_bsr, torch.sparse_bsc)
COMPRESSED = (*BY_ROWS, torch.sparse_csc, torch.sparse_bsc)
SPARSE = (torch.sparse_coo, *COMPRESSED)


def pattern_of(array: torch.Tensor) -> Pattern:
    """Return the places that a sparse tensor stores."""
    is_coo = array.layout is torch.sparse_coo
    return _CoordinatePattern(array) if is_coo else _CompressedPattern(array)


class _CoordinatePattern(Pattern):
    """The places of a COO tensor; of duplicates the first slot holds the sum."""

    def __init__(self, array: torch.Tensor) -> None:
        array = array.detach()
        self._shape = array.shape
        self._indices = array._indices()
        self._is_coalesced = array.is_coalesced()
        whole = array if self._is_coalesced else array.coalesce()
        self._unique = whole._indices()
        self.example = whole._values()

    def values(self, array: Array) -> Array:
        array = array.detach()
        if array.layout is torch.sparse_coo:
            whole = array.coalesce()
            if torch.equal(whole._indices(), self._unique):
                return whole._values()
        return _entries_at(array, self._flat, self.example.shape)

    def array(self, values: Array) -> Array:
        if not self._is_coalesced:
            slots = values.new_zeros((self._indices.shape[1], *values.shape[1:]))
            slots[self._first] = values
            values = slots
        return torch.sparse_coo_tensor(
            self._indices,
            values,
            self._shape,
            is_coalesced=self._is_coalesced or None,
            check_invariants=False,
        )

    def is_kept_by(self, array: Array) -> bool:
        indices = array.detach()._indices()
        if torch.equal(indices, self._indices):
            return True
        return torch.equal(array.detach().coalesce()._indices(), self._unique)

    def places(self) -> np.ndarray[Any, Any]:
        return self._flat.cpu().numpy()

    @functools.cached_property
    def _flat(self) -> torch.Tensor:
        return _coordinate_places(self._unique, self._shape, self.example.shape[1:])

    @functools.cached_property
    def _first(self) -> torch.Tensor:
        """The slot of each place's first duplicate."""
        rows = _coordinate_places(self._indices, self._shape[: self._indices.shape[0]], ())
        known = _coordinate_places(self._unique, self._shape[: self._indices.shape[0]], ())
        slots = torch.arange(len(rows), device=rows.device)
        first = torch.full_like(known, len(rows))
        return first.scatter_reduce(0, torch.searchsorted(known, rows), slots, "amin")


class _CompressedPattern(Pattern):
    """The places of a CSR, CSC, BSR or BSC tensor."""

    def __init__(self, array: torch.Tensor) -> None:
        array = array.detach()
        self._shape, self._layout = array.shape, array.layout
        self._compressed, self._plain = indices_of(array)
        self.example = array.values()

    def values(self, array: Array) -> Array:
        array = array.detach()
        if array.layout is self._layout and self.is_kept_by(array):
            return array.values()
        return _entries_at(array, self._flat, self.example.shape)

    def array(self, values: Array) -> Array:
        return torch.sparse_compressed_tensor(
            self._compressed,
            self._plain,
            values,
            self._shape,
            layout=self._layout,
            check_invariants=False,
        )

    def is_kept_by(self, array: Array) -> bool:
        compressed, plain = indices_of(array.detach())
        return (
            array.values().shape == self.example.shape
            and torch.equal(compressed, self._compressed)
            and torch.equal(plain, self._plain)
        )

    def places(self) -> np.ndarray[Any, Any]:
        return self._flat.cpu().numpy()

    @functools.cached_property
    def _flat(self) -> torch.Tensor:
        return _compressed_places(
            self._compressed, self._plain, self._shape, self.example.shape, self._layout
        )


def indices_of(array: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the compressed and the plain indices of a compressed tensor."""
    if array.layout in BY_ROWS:
        return array.crow_indices(), array.col_indices()
    return array.ccol_indices(), array.row_indices()


# -- places ---------------------------------------------------------------------------------------


def _coordinate_places(
    indices: torch.Tensor, shape: tuple[int, ...], dense: tuple[int, ...]
) -> torch.Tensor:
    """Return the flat places of COO entries, dense dimensions spelt out."""
    sparse = shape[: indices.shape[0]]
    rows = torch.zeros(indices.shape[1], dtype=torch.int64, device=indices.device)
    for size, index in zip(sparse, indices, strict=True):
        rows = rows * size + index
    return _with_dense(rows, dense)


def _with_dense(rows: torch.Tensor, dense: tuple[int, ...]) -> torch.Tensor:
    inside = torch.arange(math.prod(dense), device=rows.device)
    return (rows.reshape(-1, 1) * math.prod(dense) + inside).reshape(-1)


def _compressed_places(
    compressed: torch.Tensor,
    plain: torch.Tensor,
    shape: tuple[int, ...],
    values_shape: tuple[int, ...],
    layout: torch.layout,
) -> torch.Tensor:
    """Return the flat places of compressed entries, blocks and dense dimensions spelt out."""
    batch = plain.shape[:-1]
    height, width = shape[len(batch) : len(batch) + 2]
    blocks = values_shape[plain.ndim : plain.ndim + 2] if layout in BLOCKED else (1, 1)
    dense = shape[len(batch) + 2 :]
    counts = compressed.diff(dim=-1).reshape(-1).to(torch.int64)
    lines = torch.arange(compressed.shape[-1] - 1, device=plain.device)
    major = lines.repeat(math.prod(batch)).repeat_interleave(counts).reshape(plain.shape)
    row, column = (major, plain) if layout in BY_ROWS else (plain, major)
    row, column = row.to(torch.int64) * blocks[0], column.to(torch.int64) * blocks[1]
    inside_row = torch.arange(blocks[0], device=plain.device)[:, None]
    inside_column = torch.arange(blocks[1], device=plain.device)
    rows = row[..., None, None] + inside_row
    columns = column[..., None, None] + inside_column
    member = torch.arange(math.prod(batch), device=plain.device).reshape(*batch, 1, 1, 1)
    return _with_dense(((member * height + rows) * width + columns).reshape(-1), dense)


def _entries_at(array: torch.Tensor, places: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor:
    """Return the entries of a tensor of any layout at flat places, zero where none is stored."""
    if array.layout is torch.strided:
        found: torch.Tensor = array.reshape(-1)[places]
        return found.reshape(shape)
    pattern = pattern_of(array)
    known, order = torch.as_tensor(pattern.places(), device=places.device).sort()
    stored = pattern.example.reshape(-1)[order]
    if not len(known):
        return torch.zeros(shape, dtype=stored.dtype, device=stored.device)
    slots = torch.searchsorted(known, places).clamp_max(len(known) - 1)
    found = torch.where(known[slots] == places, stored[slots], 0)
    return found.reshape(shape)
