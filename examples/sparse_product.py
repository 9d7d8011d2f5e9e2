"""A sparse matrix times a vector, written by hand: which entries does its gradient speak about?

The backward below computes the gradient of the stored entries alone, as sparse layers do. Whether
that is right depends on the question. Asked about every entry, it is wrong: an entry that is not
stored moves the product as soon as it is. Asked about the stored ones (`masked=True`), there is one
more mistake left, an index that was taken from the wrong side.

Run it: python examples/sparse_product.py
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

import secant


class Product(Function):
    """matrix @ vector for a COO matrix; the planted mistake: the columns' cotangent is used."""

    @staticmethod
    def forward(ctx: Any, matrix: Tensor, vector: Tensor) -> Tensor:
        ctx.save_for_backward(matrix, vector)
        rows, columns = matrix.indices()
        return vector.new_zeros(matrix.shape[0]).index_add(
            0, rows, matrix.values() * vector[columns]
        )

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> tuple[Tensor, Tensor]:
        return gradients(*ctx.saved_tensors, grad_output, is_swapped=True)


class FixedProduct(Product):
    """The same, with the rows' cotangent."""

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> tuple[Tensor, Tensor]:
        return gradients(*ctx.saved_tensors, grad_output, is_swapped=False)


def gradients(
    matrix: Tensor, vector: Tensor, v: Tensor, *, is_swapped: bool
) -> tuple[Tensor, Tensor]:
    """Return the gradients of the matrix, stored as the matrix is, and of the vector."""
    rows, columns = matrix.indices()
    values = v[columns] * vector[rows] if is_swapped else v[rows] * vector[columns]
    gradient = torch.sparse_coo_tensor(
        matrix.indices(), values, matrix.shape, is_coalesced=True, check_invariants=False
    )
    return gradient, torch.zeros_like(vector).index_add(0, columns, matrix.values() * v[rows])


def main() -> None:
    """Find the mistake among the stored entries, fix it, and ask about all of them, then again."""
    indices = torch.tensor([[0, 0, 1, 2, 3, 3], [1, 3, 0, 2, 0, 3]])
    values = torch.tensor([1.0, -2.0, 0.5, 3.0, 1.5, -1.0], dtype=torch.float64)
    matrix = torch.sparse_coo_tensor(indices, values, (4, 4), check_invariants=True).coalesce()
    vector = torch.tensor([0.3, -1.2, 0.7, 2.0], dtype=torch.float64)
    print(secant.check(Product.apply, matrix, vector, masked=True), "\n")
    print(secant.check(FixedProduct.apply, matrix, vector), "\n")
    print(secant.check(FixedProduct.apply, matrix, vector, masked=True))


if __name__ == "__main__":
    main()
