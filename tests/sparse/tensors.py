"""Small sparse tensors: every layout × kind that exists, the same numbers every time.

A kind says what is particular about how a tensor is stored. Blocks are 2 × 2, the matrix 4 × 6 or
square, a hybrid tensor has one dense dimension of 2, a batched one two members with patterns of
their own. Every one of them stores zero or more of its entries, never all.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import torch

__all__ = [
    "BLOCKS",
    "COMPRESSED",
    "DTYPES",
    "KINDS",
    "LAYOUTS",
    "convert",
    "dense_numbers",
    "existing",
    "make",
]

LAYOUTS = {
    "coo": torch.sparse_coo,
    "csr": torch.sparse_csr,
    "csc": torch.sparse_csc,
    "bsr": torch.sparse_bsr,
    "bsc": torch.sparse_bsc,
}
DTYPES = {
    "float64": torch.float64,
    "complex128": torch.complex128,
    "float32": torch.float32,
}
ANY_LAYOUT = ("plain", "hybrid", "batched", "empty")
KINDS = (*ANY_LAYOUT, "uncoalesced", "duplicates")
COMPRESSED = ("csr", "csc", "bsr", "bsc")
BLOCKED = ("bsr", "bsc")
BLOCKS = (2, 2)

# Which 2 × 2 tiles of a matrix hold stored entries, by member of the batch, and which entries of
# such a tile a layout without blocks stores. The members store equally many.
TILES = (((0, 0), (0, 1), (1, 1)), ((0, 1), (1, 0), (1, 1)))
INSIDE = ((0, 1), (1, 0), (1, 1))


def existing() -> Iterator[tuple[str, str]]:
    """Yield every (layout, kind) that exists: only COO can be uncoalesced or hold duplicates."""
    for layout in LAYOUTS:
        for kind in KINDS:
            if layout == "coo" or kind in ANY_LAYOUT:
                yield layout, kind


def make(layout: str, kind: str, dtype: str, *, columns: int = 6) -> torch.Tensor:
    """Return the tensor of one layout, kind and dtype, 4 × columns, detached."""
    if kind in ("uncoalesced", "duplicates"):
        return _scattered(make(layout, "plain", dtype, columns=columns), kind)
    batch = (2,) if kind == "batched" else ()
    dense = (2,) if kind == "hybrid" else ()
    shape = (*batch, 4, columns)
    stored = torch.zeros(shape, dtype=torch.bool)
    if kind != "empty":
        for member, matrix in enumerate(stored.reshape(-1, 4, columns)):
            _store(matrix, TILES[member], whole=layout in BLOCKED)
    stored = stored.reshape(*shape, *(1 for _ in dense))
    numbers = dense_numbers(*shape, *dense, dtype=dtype, name=f"{layout} {kind}")
    return convert(torch.where(stored, numbers, 0), layout, hybrid=kind == "hybrid")


def convert(strided: torch.Tensor, layout: str, *, hybrid: bool = False) -> torch.Tensor:
    """Return a strided tensor in a layout; a hybrid one keeps its last dimension dense."""
    dense = int(hybrid)
    if layout == "coo":
        return strided.to_sparse(strided.ndim - dense)
    if layout in BLOCKED:
        return strided.to_sparse(layout=LAYOUTS[layout], blocksize=BLOCKS, dense_dim=dense)
    return strided.to_sparse(layout=LAYOUTS[layout], dense_dim=dense)


def dense_numbers(*shape: int, dtype: str, name: str = "") -> torch.Tensor:
    """Return strided numbers of both signs with magnitudes from 1/4 to 3/4."""
    generator = torch.Generator().manual_seed(zlib.crc32(f"{name} {shape}".encode()))

    def draw() -> torch.Tensor:
        sizes = torch.rand(shape, generator=generator, dtype=torch.float64) * 0.5 + 0.25
        signs = torch.randint(2, shape, generator=generator) * 2 - 1
        return sizes * signs

    numbers = torch.complex(draw(), draw()) if dtype == "complex128" else draw()
    return numbers.to(DTYPES[dtype])


def _store(matrix: torch.Tensor, tiles: tuple[tuple[int, int], ...], *, whole: bool) -> None:
    """Mark what is stored of one matrix."""
    for row, column in tiles:
        tile = matrix[2 * row : 2 * row + 2, 2 * column : 2 * column + 2]
        if whole:
            tile[:] = True
        else:
            tile[INSIDE[0]] = tile[INSIDE[1]] = tile[INSIDE[2]] = True


def _scattered(matrix: torch.Tensor, kind: str) -> torch.Tensor:
    """Return the same COO matrix with its entries out of order, or some of them in two parts."""
    indices, values = matrix.indices().flip(1), matrix.values().flip(0)
    if kind == "duplicates":
        indices = torch.cat([indices, indices[:, 2:5]], 1)
        values = torch.cat([values, values[2:5] * 3 / 4])
        values[2:5] /= 4
    return torch.sparse_coo_tensor(indices, values, matrix.shape, check_invariants=True)
