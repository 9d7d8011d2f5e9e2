"""Spaces of sparse arrays: coordinates, the way back, and what each space ignores."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from secant._backends.torch.backend import TorchBackend
from secant._spaces.choose import space_of
from secant._spaces.directions import Directions

BACKEND = TorchBackend()
BLOCKS = {torch.sparse_bsr: (2, 3), torch.sparse_bsc: (2, 3)}
COMPRESSED = (torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc)
DTYPES = (torch.float64, torch.float32, torch.complex128, torch.bfloat16)


def holed(*shape, dtype=torch.float64, seed=0):
    """Return a dense tensor of which about half is zero."""
    generator = torch.Generator().manual_seed(seed)
    values = torch.randn(shape, dtype=torch.float64, generator=generator)
    if dtype.is_complex:
        values = torch.complex(values, torch.randn(shape, dtype=torch.float64, generator=generator))
    return (values * (torch.rand(shape, generator=generator) < 0.5)).to(dtype)


def sparse(layout, dense, dense_dim=0):
    if layout is torch.sparse_coo:
        return dense.to_sparse(dense.ndim - dense_dim)
    return dense.to_sparse(layout=layout, blocksize=BLOCKS.get(layout), dense_dim=dense_dim)


def uncoalesced(dtype=torch.float64):
    indices = torch.tensor([[0, 2, 0, 1, 2, 0], [1, 3, 1, 0, 3, 1]])
    values = torch.arange(1.0, 7.0).to(dtype)
    return torch.sparse_coo_tensor(indices, values, (4, 6), check_invariants=True)


def equal_per_batch(dtype=torch.float64):
    """Return a batch whose members store equally many entries, as compressed layouts demand."""
    one = holed(4, 6, dtype=dtype)
    return torch.stack([one, 2 * one, -one])


EXAMPLES = {
    "coo": lambda dtype: sparse(torch.sparse_coo, holed(4, 6, dtype=dtype)),
    "coo, one dense dimension": lambda dtype: sparse(
        torch.sparse_coo, holed(4, 6, 2, dtype=dtype), 1
    ),
    "coo, one sparse dimension": lambda dtype: sparse(
        torch.sparse_coo, holed(4, 6, dtype=dtype), 1
    ),
    "coo, uncoalesced": uncoalesced,
    "coo, nothing stored": lambda dtype: torch.zeros(4, 6, dtype=dtype).to_sparse(),
    **{
        str(layout)[13:]: lambda dtype, layout=layout: sparse(layout, holed(4, 6, dtype=dtype))
        for layout in COMPRESSED
    },
    **{
        f"{str(layout)[13:]}, batched": lambda dtype, layout=layout: sparse(
            layout, equal_per_batch(dtype)
        )
        for layout in COMPRESSED
    },
    **{
        f"{str(layout)[13:]}, one dense dimension": lambda dtype, layout=layout: sparse(
            layout, holed(4, 6, 1, dtype=dtype).expand(4, 6, 3).contiguous(), 1
        )
        for layout in COMPRESSED
    },
}

EXAMPLES |= {
    f"{layout}, no {word}": lambda dtype, layout=layout, shape=shape: getattr(
        torch.zeros(shape, dtype=dtype), f"to_sparse{layout}"
    )()
    for layout in ("", "_csr", "_csc")
    for word, shape in (("rows", (0, 6)), ("columns", (4, 0)), ("entries", (0, 0)))
}

LEAVES = pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
MASKED = pytest.mark.parametrize("masked", [True, False], ids=["masked", "unmasked"])


@LEAVES
@MASKED
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda one: str(one)[6:])
def test_an_array_comes_back_from_its_coordinates(example, masked, dtype):
    array = example(dtype)
    space = space_of(BACKEND, array, masked=masked)
    again = space.assemble(space.coordinates(array) + 0)
    assert (again.layout, again.dtype, again.shape) == (array.layout, array.dtype, array.shape)
    assert torch.equal(again.to_dense(), array.to_dense())
    assert again.sparse_dim() == array.sparse_dim()
    assert again.dense_dim() == array.dense_dim()
    if masked:
        assert space.admission()(again)


@LEAVES
@MASKED
def test_a_direction_comes_back_with_the_index_dtype_and_the_blocks_of_its_leaf(example, masked):
    array = example(torch.float64)
    space = space_of(BACKEND, array, masked=masked)
    direction = Directions(3).draw(space)
    made = space.assemble(direction)
    assert np.array_equal(space.coordinates(made), direction)
    if array.layout in COMPRESSED:
        first, second = (
            one.crow_indices() if one.layout in (torch.sparse_csr, torch.sparse_bsr)
            else one.ccol_indices()
            for one in (array, made)
        )  # fmt: skip
        assert first.dtype is second.dtype
        assert (
            array.values().shape[array.ndim - array.dense_dim() - 1 :]
            == (made.values().shape[array.ndim - array.dense_dim() - 1 :])
        )


@LEAVES
def test_there_is_a_coordinate_for_every_entry_stored_once_or_for_every_entry(example):
    array = example(torch.float64)
    stored = array.coalesce()._values() if array.layout is torch.sparse_coo else array.values()
    assert space_of(BACKEND, array, masked=True).size == stored.numel()
    assert space_of(BACKEND, array).size == array.numel()


@LEAVES
@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128], ids=lambda one: str(one)[6:])
def test_labels_are_the_indices_of_the_entries(example, dtype):
    array = example(dtype)
    space = space_of(BACKEND, array, masked=True)
    dense, coordinates = array.to_dense(), space.coordinates(array)
    for place in range(space.size):
        index, _, part = space.label(place).removeprefix("[").partition("]")
        entry = dense[tuple(map(int, index.split(", ")))]
        expected = getattr(entry, part.removeprefix(".")) if part else entry
        assert float(expected) == coordinates[place]


@LEAVES
@pytest.mark.parametrize(
    "layout", [torch.strided, torch.sparse_coo, torch.sparse_csr, "uncoalesced"]
)
def test_a_gradient_of_any_layout_has_the_coordinates_of_its_entries(example, layout):
    array = example(torch.float64)
    gradient = holed(*array.shape, seed=5)
    mask = torch.zeros(array.shape).double()
    flat = mask.view(-1)
    flat[torch.from_numpy(BACKEND.sparse.pattern(array).places())] = 1.0
    if layout == "uncoalesced":
        given = BACKEND.scattered(gradient.to_sparse())
    elif layout is torch.sparse_csr:
        if array.ndim != 2:
            pytest.skip("made from matrices")
        given = gradient.to_sparse_csr()
    else:
        given = gradient if layout is torch.strided else gradient.to_sparse()
    everything = space_of(BACKEND, array).coordinates(given)
    stored = space_of(BACKEND, array, masked=True)
    assert np.array_equal(everything, gradient.reshape(-1).numpy())
    again = stored.assemble(stored.coordinates(given)).to_dense()
    assert torch.equal(again, gradient * mask)


def test_duplicates_are_one_coordinate_that_holds_their_sum():
    space = space_of(BACKEND, uncoalesced(), masked=True)
    assert [space.label(k) for k in range(space.size)] == ["[0, 1]", "[1, 0]", "[2, 3]"]
    assert space.coordinates(uncoalesced()).tolist() == [10.0, 4.0, 7.0]
    moved = space.assemble(np.array([1.0, 2.0, 3.0]))
    assert not moved.is_coalesced()
    assert moved._nnz() == 6


def test_what_is_not_stored_is_stored_when_it_moves_and_zeros_stay_stored():
    array = torch.sparse_coo_tensor([[0, 1], [1, 2]], [0.0, 3.0], (2, 3), check_invariants=True)
    space = space_of(BACKEND, array.double())
    vector = np.zeros(6)
    vector[3] = 0.25
    made = space.assemble(vector)
    assert made._indices().T.tolist() == [[0, 1], [1, 0], [1, 2]]
    assert made._values().tolist() == [0.0, 0.25, 0.0]


def test_another_pattern_is_not_admitted_by_the_masked_space_alone():
    array = sparse(torch.sparse_coo, holed(4, 6))
    other = sparse(torch.sparse_coo, holed(4, 6, seed=1))
    assert space_of(BACKEND, array).admission()(other)
    assert not space_of(BACKEND, array, masked=True).admission()(other)
    assert space_of(BACKEND, array, masked=True).admission()(array * 2)
