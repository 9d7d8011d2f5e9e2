"""Jacobians that are given whole, as matrices between real coordinates.

A block belongs to one output and one input. It comes in the shape output.shape + input.shape, or as
a matrix of one row for each entry of the output and one column for each of the input: dense, sparse
or an operator. In real coordinates a complex block A + iB is A ⊗ 1 + B ⊗ i, 1 and i being 2 × 2.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._backends.base import Array, Backend
from .._spaces.base import Space, count
from .base import ClaimMisfit, ClaimRaised, refuse_unusable_answer

Numbers = np.ndarray[Any, Any]
_ONE, _I = np.eye(2), np.array([[0.0, -1.0], [1.0, 0.0]])


@dataclass(frozen=True, slots=True)
class GivenBlock:
    """∂output/∂input in real coordinates: NumPy's matrix, or SciPy's sparse one or operator."""

    matrix: Any
    is_sparse: bool
    narrow: str = ""  # the dtype in which it came, where that has fewer digits than the leaves

    def pull(self, cotangents: Numbers) -> Numbers:
        """Return Jᵀ v, for one v or for each column of several."""
        try:
            return np.asarray(self.matrix.T @ cotangents)
        except Exception as error:  # an operator is an author's function, too
            raise ClaimRaised("`jacobian`", error) from error

    def push(self, tangent: Numbers) -> Numbers:
        """Return J u."""
        try:
            return np.asarray(self.matrix @ tangent)
        except Exception as error:
            raise ClaimRaised("`jacobian`", error) from error

    def stored(self, rows: Numbers, columns: Numbers) -> Numbers:
        """Say of each entry whether the sparsity pattern holds it; a dense one holds all."""
        if not self.is_sparse:
            return np.ones(len(rows), dtype=bool)
        pattern, width = self.matrix.tocoo(), self.matrix.shape[1]
        return np.isin(rows * width + columns, pattern.row.astype(np.int64) * width + pattern.col)

    def apart(self, other: GivenBlock) -> float:
        """Return the largest difference to another matrix, as a share of the largest entry."""
        if _is_operator(self.matrix):  # which is told from another by what it does
            along = np.cos(np.arange(self.matrix.shape[1]))
            mine, theirs = self.push(along), other.push(along)
        else:
            mine, theirs = self.matrix, other.matrix
        apart = _largest(mine - theirs)
        if np.isnan(apart):  # holes in the same places are no difference
            is_same = np.array_equal(_dense(mine), _dense(theirs), equal_nan=True)
            return 0.0 if is_same else np.inf
        return apart / (_largest(mine) or 1.0)


def _largest(matrix: Any) -> float:
    return float(abs(matrix).max()) if math.prod(matrix.shape) else 0.0


def _dense(matrix: Any) -> Numbers:
    return np.asarray(matrix.toarray() if _is_sparse(matrix) else matrix)


def block_of(
    backend: Backend, value: Any, output: Space, part: Space, of: str, spelt: str
) -> GivenBlock | None:
    """Return a block as it was given, in real coordinates; None claims zero.

    `of` names it, "∂out / ∂x", and `spelt` is who gave it.
    """
    if value is None:
        return None
    sizes = count(output.signature.shape), count(part.signature.shape)
    if any(space.size not in (n, 2 * n) for space, n in zip((output, part), sizes, strict=True)):
        raise ClaimMisfit(f"{spelt} is given for {of}, of which stored entries count; pass `pull`")
    is_sparse, is_operator = _is_sparse(value), _is_operator(value)
    if (is_sparse or is_operator) and tuple(value.shape) != sizes:
        raise ClaimMisfit(_misshapen(spelt, value.shape, of, [sizes]))
    if is_operator:
        if backend.is_complex(output.reference) or backend.is_complex(part.reference):
            raise ClaimMisfit(
                f"{spelt} returned an operator as {of}, which is complex: pass `pull`"
            )
        return GivenBlock(value, is_sparse=False)
    if is_sparse:
        entries, kind = value.tocsr(), value.dtype
        roundoff = float(np.finfo(kind).eps) / 2 if kind.kind in "fc" else 0.0
    else:
        array = _array(backend, value, output, part, of, spelt)
        roundoff = backend.roundoff(array) if backend.is_inexact(array) else 0.0
        entries, kind = _numbers(backend, array).reshape(sizes), backend.dtype_name(array)
    is_narrow = roundoff > max(output.roundoff, part.roundoff)
    matrix = _in_coordinates(backend, entries, output, part, of, spelt)
    return GivenBlock(matrix, is_sparse, str(kind) if is_narrow else "")


def _array(backend: Backend, value: Any, output: Space, part: Space, of: str, spelt: str) -> Array:
    array = backend.as_array(value)
    if array is None:
        raise ClaimMisfit(f"{spelt} returned a {type(value).__name__} as {of}")
    refuse_unusable_answer(backend, array, spelt, of)
    shape = tuple(backend.signature(array).shape)
    own, other = tuple(output.signature.shape), tuple(part.signature.shape)
    allowed = list(dict.fromkeys([(*own, *other), (count(own), count(other))]))
    if shape not in allowed:
        raise ClaimMisfit(_misshapen(spelt, shape, of, allowed))
    return array


def _numbers(backend: Backend, array: Array) -> Numbers:
    """Return all entries of a value in main memory, real or complex, in one row."""
    if not backend.is_complex(array):
        return backend.to_numpy(backend.flatten(array))
    parts = backend.to_numpy(backend.flatten(backend.as_real(array)))
    return np.ascontiguousarray(parts).view(np.complex128)


def _misshapen(spelt: str, shape: Any, of: str, allowed: list[tuple[int, ...]]) -> str:
    choices = " or ".join(map(str, allowed))
    return f"{spelt} returned a matrix of shape {tuple(shape)} as {of}; expected {choices}"


def _in_coordinates(
    backend: Backend, entries: Any, output: Space, part: Space, of: str, spelt: str
) -> Any:
    is_from, is_to = backend.is_complex(part.reference), backend.is_complex(output.reference)
    is_complex = entries.dtype.kind == "c"
    if not (is_complex or is_from or is_to):
        return entries.astype(np.float64)
    if not is_to:
        what = "complex numbers" if is_complex else "one number for each entry"
        raise ClaimMisfit(
            f"{spelt} returned {what} as {of}, whose output is real"
            + (
                " and whose input is complex: that takes two; pass `pull` instead"
                if is_from
                else ""
            )
        )
    one, i = (_ONE, _I) if is_from else (_ONE[:, :1], _I[:, :1])
    if not _is_sparse(entries):
        return np.kron(entries.real, one) + np.kron(entries.imag, i)
    kron: Any = sys.modules["scipy.sparse"].kron
    return (kron(entries.real, one) + kron(entries.imag, i)).tocsr()


def _is_operator(value: Any) -> bool:
    """Say whether a value is one of SciPy's linear operators."""
    linear: Any = sys.modules.get("scipy.sparse.linalg")
    return linear is not None and isinstance(value, linear.LinearOperator)


def _is_sparse(value: Any) -> bool:
    """Say whether a value is one of SciPy's sparse matrices; SciPy is not imported for it."""
    sparse: Any = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(value))
