"""The operations of the matrix, each as a function of one sparse tensor and its strided partners.

An operation takes a tensor of some layout and kind and gives a `Case`: a function, and the leaves
it is differentiated in. Operations of strided leaves (conversions, masks) take the tensor's layout
and pattern; everything else about the call is fixed. What does not exist at all is not in the
table: what torch refuses is, because the refusal is what the matrix records.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from sparse.tensors import BLOCKS, convert, dense_numbers

__all__ = ["OPERATIONS", "Case", "case"]


@dataclass(frozen=True)
class Case:
    """A function and the leaves it is checked at."""

    function: Callable[..., Any]
    inputs: tuple[torch.Tensor, ...]


@dataclass(frozen=True)
class Tensor:
    """A tensor of the matrix, with what an operation may want to know of it."""

    x: torch.Tensor
    layout: str
    kind: str
    dtype: str

    @property
    def rows(self) -> int:
        """The dimension of the rows: the first after the batch."""
        return 1 if self.kind == "batched" else 0

    @property
    def sparse_shape(self) -> tuple[int, ...]:
        """The shape without dense dimensions."""
        return tuple(self.x.shape[:-1] if self.kind == "hybrid" else self.x.shape)

    def strided(self, *shape: int, name: str = "partner") -> torch.Tensor:
        """Return strided numbers of the tensor's dtype."""
        return dense_numbers(*shape, dtype=self.dtype, name=name)


Operation = Callable[[Tensor], Case]


def of_itself(function: Callable[[torch.Tensor], Any]) -> Operation:
    """Return the operation that applies a function to the tensor alone."""
    return lambda tensor: Case(function, (tensor.x,))


def converted(layout: str) -> Operation:
    """Return the conversion of the sparse tensor to another layout."""
    blocks = {"blocksize": BLOCKS} if layout in ("bsr", "bsc") else {}
    method = "to_sparse" if layout == "coo" else f"to_sparse_{layout}"
    return of_itself(lambda x: getattr(x, method)(**blocks))


def from_strided(tensor: Tensor) -> Case:
    """Convert a strided tensor that holds zeros into the tensor's layout."""
    hybrid = tensor.kind == "hybrid"
    return Case(lambda d: convert(d, tensor.layout, hybrid=hybrid), (tensor.x.to_dense(),))


def from_full(tensor: Tensor) -> Case:
    """Convert a strided tensor without zeros into the tensor's layout."""
    hybrid = tensor.kind == "hybrid"
    full = tensor.strided(*tensor.x.shape)
    return Case(lambda d: convert(d, tensor.layout, hybrid=hybrid), (full,))


def strided_masked(tensor: Tensor) -> Case:
    """Mask a strided tensor by the sparse one's pattern."""
    return Case(lambda d: d.sparse_mask(tensor.x), (tensor.strided(*tensor.x.shape),))


def sparse_masked(tensor: Tensor) -> Case:
    """Mask the sparse tensor by a pattern that keeps part of it: the tile that all have."""
    dense, rows = tensor.x.to_dense(), tensor.rows
    mask = torch.zeros_like(dense)
    tile = (*(slice(None) for _ in range(rows)), slice(2, 4), slice(2, 4))
    mask[tile] = dense[tile]
    other = convert(mask, tensor.layout, hybrid=tensor.kind == "hybrid")
    return Case(lambda x: x.sparse_mask(other), (tensor.x,))


def right_factor(tensor: Tensor) -> torch.Tensor:
    """Return a strided matrix that the tensor can be multiplied by, three columns wide."""
    *batch, _, columns = tensor.sparse_shape
    return tensor.strided(*batch, columns, 3)


def times_strided(tensor: Tensor) -> Case:
    """Multiply the sparse tensor by a strided one; both are differentiated."""
    return Case(lambda x, d: x @ d, (tensor.x, right_factor(tensor)))


def strided_times(tensor: Tensor) -> Case:
    """Multiply a strided tensor by the sparse one; both are differentiated."""
    *batch, rows, _ = tensor.sparse_shape
    return Case(lambda d, x: d @ x, (tensor.strided(*batch, 3, rows), tensor.x))


def constant_times_strided(tensor: Tensor) -> Case:
    """Multiply a sparse constant by a strided leaf."""
    return Case(lambda d: tensor.x @ d, (right_factor(tensor),))


def vector_product(tensor: Tensor) -> Case:
    """Multiply the sparse tensor by a strided vector; both are differentiated."""
    vector = tensor.strided(tensor.sparse_shape[-1])
    return Case(lambda x, d: x @ d, (tensor.x, vector))


def reduced(reduce: str) -> Operation:
    """Return the product with a strided matrix, reduced by something else than a sum."""
    return lambda tensor: Case(
        lambda x, d: torch.sparse.mm(x, d, reduce), (tensor.x, right_factor(tensor))
    )


def plain_mm(tensor: Tensor) -> Case:
    """Multiply by `torch.sparse.mm`, whose gradient is masked by default."""
    return Case(torch.sparse.mm, (tensor.x, right_factor(tensor)))


def sampled(tensor: Tensor) -> Case:
    """Add a product of strided matrices, sampled at the pattern; all are differentiated."""
    *batch, rows, columns = tensor.sparse_shape
    factors = tensor.strided(*batch, rows, 3), tensor.strided(*batch, 3, columns)
    return Case(
        lambda x, a, b: torch.sparse.sampled_addmm(x, a, b, beta=0.5, alpha=2.0),
        (tensor.x, *factors),
    )


def times_each(tensor: Tensor) -> Case:
    """Multiply the sparse tensor by a strided one, entry by entry; both are differentiated."""
    return Case(lambda x, d: x * d, (tensor.x, tensor.strided(*tensor.x.shape)))


def twin(tensor: Tensor) -> torch.Tensor:
    """Return the tensor with other numbers in the same pattern."""
    return tensor.x * 0.75 if tensor.kind == "empty" else tensor.x * -1.5


def times_sparse(tensor: Tensor) -> Case:
    """Multiply two sparse tensors of one pattern, entry by entry."""
    return Case(lambda x, y: x * y, (tensor.x, twin(tensor)))


def plus_sparse(tensor: Tensor) -> Case:
    """Add two sparse tensors of one pattern."""
    return Case(lambda x, y: x + y, (tensor.x, twin(tensor)))


def plus_strided(tensor: Tensor) -> Case:
    """Add the sparse tensor to a strided one."""
    return Case(lambda x, d: d + x, (tensor.x, tensor.strided(*tensor.x.shape)))


def along_columns(function: Callable[..., torch.Tensor]) -> Operation:
    """Return a function of the sparse tensor along its last sparse dimension."""
    return lambda tensor: Case(lambda x: function(x, tensor.rows + 1), (tensor.x,))


def stored_values(x: torch.Tensor) -> torch.Tensor:
    """Return the stored values; of COO those of the coalesced tensor, the others are not public."""
    return (x.coalesce() if x.layout is torch.sparse_coo else x).values()


def transposed(tensor: Tensor) -> Case:
    """Swap rows and columns."""
    rows = tensor.rows
    return Case(lambda x: x.transpose(rows, rows + 1), (tensor.x,))


OPERATIONS: dict[str, Operation] = {
    "to_dense": of_itself(lambda x: x.to_dense()),
    "to_dense(masked_grad=True)": of_itself(lambda x: x.to_dense(masked_grad=True)),
    "to_dense(masked_grad=False)": of_itself(lambda x: x.to_dense(masked_grad=False)),
    "to_sparse": converted("coo"),
    "to_sparse_csr": converted("csr"),
    "to_sparse_csc": converted("csc"),
    "to_sparse_bsr": converted("bsr"),
    "to_sparse_bsc": converted("bsc"),
    "strided with zeros to sparse": from_strided,
    "strided to sparse": from_full,
    "strided.sparse_mask": strided_masked,
    "sparse.sparse_mask": sparse_masked,
    "sparse @ strided": times_strided,
    "strided @ sparse": strided_times,
    "constant @ strided": constant_times_strided,
    "sparse @ vector": vector_product,
    "sparse.mm": plain_mm,
    "sparse.mm(sum)": reduced("sum"),
    "sparse.mm(mean)": reduced("mean"),
    "sparse.mm(amax)": reduced("amax"),
    "sampled_addmm": sampled,
    "sparse.sum": of_itself(torch.sparse.sum),
    "sparse.sum(dim)": along_columns(torch.sparse.sum),
    "sum": of_itself(torch.sum),
    "softmax": along_columns(torch.sparse.softmax),
    "log_softmax": along_columns(torch.sparse.log_softmax),
    "mul scalar": of_itself(lambda x: x * 1.25),
    "mul itself": of_itself(lambda x: x * x),
    "mul sparse": times_sparse,
    "mul strided": times_each,
    "add sparse": plus_sparse,
    "add strided": plus_strided,
    "sin": of_itself(torch.sin),
    "neg": of_itself(torch.neg),
    "transpose": transposed,
    "values": of_itself(stored_values),
}


def case(operation: str, x: torch.Tensor, layout: str, kind: str, dtype: str) -> Case:
    """Return one operation of one tensor."""
    return OPERATIONS[operation](Tensor(x, layout, kind, dtype))
