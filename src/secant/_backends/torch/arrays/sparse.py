"""PyTorch's sparse tensors: the way to dense ones and back, and what may be a gradient of one."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import torch

from ...arithmetic.algebra import Array
from ...interface.patterns import Pattern, SparseArrays
from .dtypes import is_wrapper
from .patterns import BLOCKED, BY_ROWS, COMPRESSED, SPARSE, indices_of, pattern_of


class TorchSparse(SparseArrays):
    """Which arrays are sparse, their patterns, and all their entries."""

    def is_sparse(self, array: Array) -> bool:
        return array.layout in SPARSE

    def pattern(self, array: Array) -> Pattern:
        return pattern_of(array)

    def filled(self, array: Array) -> Array:
        return array if array.layout is torch.strided else array.detach().to_dense()

    def emptied(self, array: Array, reference: Array) -> Array:
        return self.emptier(reference)(array)

    def emptier(self, reference: Array) -> Callable[[Array], Array]:
        is_coo = reference.layout is torch.sparse_coo
        make = _coordinates_from if is_coo else _compressed_from
        return functools.partial(_emptied, make, reference, _stored_by(reference))

    def wrong_layout(self, gradient: Array, leaf: Array) -> tuple[str, str, str] | None:
        if gradient.layout is torch.strided or leaf.layout not in SPARSE:
            return None  # autograd adds dense and sparse gradients of a dense tensor
        if gradient.layout is not leaf.layout:
            return "layout", f"layout {gradient.layout}", str(leaf.layout)
        found, wanted = ((one.sparse_dim(), one.dense_dim()) for one in (gradient, leaf))
        if found == wanted:
            return None
        what = f"{found[0]} sparse and {found[1]} dense dimensions"
        return "dimensions", what, f"{wanted[0]} and {wanted[1]}"

    def scattering(self, array: Array) -> str:
        return "coalesced" if array.layout is torch.sparse_coo else "contiguous"

    def what_is_broken(self, array: Array) -> str | None:
        try:
            if array.layout is torch.sparse_coo:
                indices, values = array._indices(), array._values()
                torch._validate_sparse_coo_tensor_args(indices, values, array.shape)
            else:
                torch._validate_sparse_compressed_tensor_args(
                    *indices_of(array), array.values(), array.shape, array.layout
                )
        except RuntimeError as error:
            return str(error).partition("\n")[0]
        return None


def _emptied(
    make: Callable[..., torch.Tensor],
    reference: torch.Tensor,
    is_stored: torch.Tensor,
    array: torch.Tensor,
) -> torch.Tensor:
    return make(array, reference, is_stored | (array != 0))


def uncoalesced(array: torch.Tensor) -> torch.Tensor:
    """Return the same COO tensor with every entry stored in two halves; others as they are."""
    if array.layout is not torch.sparse_coo:
        return array
    array = array.coalesce()
    indices, halves = array._indices(), array._values() / 2
    return torch.sparse_coo_tensor(
        torch.cat([indices, indices], 1),
        torch.cat([halves, halves]),
        array.shape,
        check_invariants=False,
    )


def address(array: torch.Tensor) -> int:
    """Return where the entries of a tensor begin; a wrapper has its own place."""
    if type(array) is not torch.Tensor and is_wrapper(array):
        return id(array)
    if array.layout is torch.strided:
        return array.data_ptr()
    if array.layout is torch.sparse_coo:
        return array._values().data_ptr()
    return (array.values() if array.layout in COMPRESSED else array).data_ptr()


def stored_everywhere(value: Any) -> Any:
    """Return a sparse tensor to differentiate with every entry stored, others as they are."""
    if not isinstance(value, torch.Tensor) or not value.requires_grad or value.layout not in SPARSE:
        return value
    array = value.detach()
    everywhere = torch.ones(array.shape, dtype=torch.bool, device=array.device)
    make = _coordinates_from if array.layout is torch.sparse_coo else _compressed_from
    return make(array.to_dense(), array, everywhere).requires_grad_()


def _coordinates_from(
    array: torch.Tensor, reference: torch.Tensor, is_stored: torch.Tensor
) -> torch.Tensor:
    """Return the flagged entries as COO, with the dense dimensions of the reference."""
    sparse = reference.sparse_dim()
    dense = math.prod(array.shape[sparse:])  # not left to reshape, which knows no empty tensors
    flags = is_stored.reshape(*array.shape[:sparse], dense).any(-1)
    indices = flags.nonzero().T
    return torch.sparse_coo_tensor(
        indices, array[tuple(indices)], array.shape, is_coalesced=True, check_invariants=False
    )


def _compressed_from(
    array: torch.Tensor, reference: torch.Tensor, is_stored: torch.Tensor
) -> torch.Tensor:
    """Return the flagged entries in the reference's compressed layout; batches share a pattern."""
    reference = reference.detach()
    layout = reference.layout
    compressed, plain = indices_of(reference)
    batches = plain.ndim - 1
    blocks = reference.values().shape[plain.ndim : plain.ndim + 2] if layout in BLOCKED else (1, 1)
    tiles = _tiled(array, batches, blocks)
    lines = tuple(tiles.shape[batches : batches + 2])
    tiled = _tiled(is_stored, batches, blocks)
    inside = math.prod(tiles.shape[batches + 2 :])
    flags = tiled.reshape(math.prod(tiles.shape[:batches]), *lines, inside).any(-1).any(0)
    if layout not in BY_ROWS:
        flags = flags.T
    major, minor = flags.nonzero().T
    row, column = (major, minor) if layout in BY_ROWS else (minor, major)
    values = tiles[(slice(None),) * batches + (row, column)]
    if layout not in BLOCKED:
        values = values.reshape(*values.shape[: batches + 1], *array.shape[batches + 2 :])
    counts = flags.sum(1).cumsum(0)
    pointers = torch.cat([counts.new_zeros(1), counts]).to(compressed.dtype)
    batch = array.shape[:batches]
    return torch.sparse_compressed_tensor(
        pointers.expand(*batch, -1).contiguous(),
        minor.to(plain.dtype).expand(*batch, -1).contiguous(),
        values,
        array.shape,
        layout=layout,
        check_invariants=False,
    )


def _tiled(array: torch.Tensor, batches: int, blocks: tuple[int, ...]) -> torch.Tensor:
    """Return (batch…, tile row, tile column, row in tile, column in tile, dense…)."""
    height, width = array.shape[batches : batches + 2]
    sizes = (height // blocks[0], blocks[0], width // blocks[1], blocks[1])
    split = array.reshape(*array.shape[:batches], *sizes, *array.shape[batches + 2 :])
    return split.transpose(batches + 1, batches + 2)


def _stored_by(reference: torch.Tensor) -> torch.Tensor:
    """Return where a tensor stores something, in its whole shape."""
    flags = torch.zeros(reference.numel(), dtype=torch.bool, device=reference.device)
    flags[torch.as_tensor(pattern_of(reference).places(), device=flags.device)] = True
    return flags.reshape(reference.shape)
