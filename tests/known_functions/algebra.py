"""Linear algebra: products, quadratic forms, inverses, determinants, decompositions."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from scipy import linalg

from .base import (
    ALL,
    FULL,
    VECTORS,
    Array,
    Derivative,
    Function,
    Known,
    Sampler,
    Shape,
    between,
    exact_matrix,
    exact_weights,
    near_identity,
)

SQUARES: tuple[Shape, ...] = ((3, 3), (8, 8))
COLUMNS = 7
WELL_CONDITIONED = near_identity(3, 0.5)
KERNEL = np.array([1.0, -2.0, 0.5])


def of_vector(
    name: str, function: Function, derivative: Derivative, shapes: tuple[Shape, ...] = VECTORS
) -> Known:
    """A function of a vector, in every dtype."""
    return Known(name, function, derivative, between(-1.5, 1.5), ALL, "algebra", shapes)


def of_matrix(
    name: str,
    function: Function,
    derivative: Derivative,
    sample: Sampler = WELL_CONDITIONED,
    *,
    dtypes: tuple[torch.dtype, ...] = FULL,
    shapes: tuple[Shape, ...] = SQUARES,
) -> Known:
    """A function of a square matrix, in the dtypes LAPACK has unless told otherwise."""
    return Known(name, function, derivative, sample, dtypes, "algebra", shapes)


def times_matrix(x: torch.Tensor) -> torch.Tensor:
    """X A."""
    return x @ exact_weights(x.shape[0], COLUMNS, x)


def quadratic_form(x: torch.Tensor) -> torch.Tensor:
    """X A x."""
    return x @ exact_weights(x.shape[0], x.shape[0], x) @ x


def quadratic_form_tangent(x: Array, u: Array) -> Array:
    """U A x + x A u."""
    matrix = exact_matrix(x.size, x.size)
    return np.asarray(u @ matrix @ x + x @ matrix @ u)


def convolution(x: torch.Tensor) -> torch.Tensor:
    """Correlation with three fixed numbers."""
    kernel = torch.from_numpy(KERNEL).to(x.dtype)
    return F.conv1d(x[None, None], kernel[None, None])[0, 0]


def sandwich(x: torch.Tensor) -> torch.Tensor:
    """X A X."""
    return x @ exact_weights(x.shape[0], x.shape[0], x) @ x


def sandwich_tangent(x: Array, u: Array) -> Array:
    """U A X + X A U."""
    matrix = exact_matrix(len(x), len(x))
    return u @ matrix @ x + x @ matrix @ u


def solution(x: torch.Tensor) -> torch.Tensor:
    """X⁻¹ B."""
    return torch.linalg.solve(x, exact_weights(x.shape[0], 2, x))


def solution_tangent(x: Array, u: Array) -> Array:
    """-X⁻¹ U X⁻¹ B."""
    return -np.linalg.solve(x, u @ np.linalg.solve(x, exact_matrix(x.shape[0], 2)))


def cofactor_determinant(x: torch.Tensor) -> torch.Tensor:
    """The determinant of a 3 × 3 matrix as a triple product, which every dtype computes."""
    return (x[0] * torch.linalg.cross(x[1], x[2])).sum()


def adjugate_inverse(x: torch.Tensor) -> torch.Tensor:
    """The inverse of a 2 × 2 matrix by formula, which every dtype computes."""
    (a, b), (c, d) = x
    return torch.stack((d, -b, -c, a)).reshape(2, 2) / (a * d - b * c)


def inverse_tangent(x: Array, u: Array) -> Array:
    """-X⁻¹ U X⁻¹."""
    inverse = np.linalg.inv(x)
    return -inverse @ u @ inverse


def determinant_tangent(x: Array, u: Array) -> Array:
    """det(X) tr(X⁻¹ U), Jacobi's formula."""
    return np.asarray(np.linalg.det(x) * np.trace(np.linalg.solve(x, u)))


def cholesky_of_gram(x: torch.Tensor) -> torch.Tensor:
    """The Cholesky factor of X Xᵀ + I."""
    return torch.linalg.cholesky(x @ x.mT + torch.eye(x.shape[0], dtype=x.dtype))


def cholesky_of_gram_tangent(x: Array, u: Array) -> Array:
    """L Φ(L⁻¹ M' L⁻ᵀ), with M' = U Xᵀ + X Uᵀ and Φ the lower half with half the diagonal."""
    factor = np.linalg.cholesky(x @ x.T + np.eye(len(x)))
    inverse = np.linalg.inv(factor)
    inner = inverse @ (u @ x.T + x @ u.T) @ inverse.T
    return factor @ (np.tril(inner) - np.diag(np.diag(inner)) / 2)


def far_apart(generator: np.random.Generator, shape: Shape) -> Array:
    """Draw matrices whose eigenvalues and singular values are about 2, 4, 6, …"""
    return np.diag(2.0 * np.arange(1, shape[0] + 1)) + generator.uniform(-0.2, 0.2, shape)


def eigenvalues_tangent(x: Array, u: Array) -> Array:
    """qᵀ U q for every eigenvector q of the symmetric part."""
    vectors = np.linalg.eigh((x + x.T) / 2)[1]
    return np.einsum("ik,ij,jk->k", vectors, u, vectors)


def singular_values_tangent(x: Array, u: Array) -> Array:
    """pᵀ U q for every pair of singular vectors."""
    left, _, right = np.linalg.svd(x)
    return np.einsum("ik,ij,kj->k", left, u, right)


VECTOR_FUNCTIONS = (
    of_vector("x A", times_matrix, lambda x, u: u @ exact_matrix(x.size, COLUMNS)),
    of_vector("x A x", quadratic_form, quadratic_form_tangent, ((3,), (10,), (64,))),
    of_vector(
        "outer product",
        lambda x: torch.outer(x, x),
        lambda x, u: np.outer(u, x) + np.outer(x, u),
        ((3,), (10,)),
    ),
    of_vector("conv1d", convolution, lambda x, u: np.correlate(u, KERNEL, "valid")),
)

MATRIX_FUNCTIONS = (
    of_matrix("X²", lambda x: x @ x, lambda x, u: u @ x + x @ u, between(-1, 1), dtypes=ALL),
    of_matrix(
        "XᵀX", lambda x: x.mT @ x, lambda x, u: u.T @ x + x.T @ u, between(-1, 1), dtypes=ALL
    ),
    of_matrix("X A X", sandwich, sandwich_tangent, between(-1, 1), dtypes=ALL),
    of_matrix(
        "trace(X²)",
        lambda x: torch.trace(x @ x),
        lambda x, u: np.asarray(2 * np.sum(x * u.T)),
        between(-1, 1),
        dtypes=ALL,
    ),
    of_matrix(
        "determinant by cofactors",
        cofactor_determinant,
        determinant_tangent,
        near_identity(2, 0.5),
        dtypes=ALL,
        shapes=((3, 3),),
    ),
    of_matrix(
        "inverse by adjugate",
        adjugate_inverse,
        inverse_tangent,
        near_identity(2, 0.5),
        dtypes=ALL,
        shapes=((2, 2),),
    ),
    of_matrix("inverse", torch.linalg.inv, inverse_tangent),
    of_matrix("determinant", torch.linalg.det, determinant_tangent),
    of_matrix(
        "log determinant",
        torch.logdet,
        lambda x, u: np.asarray(np.trace(np.linalg.solve(x, u))),
    ),
    of_matrix("solve", solution, solution_tangent),
    of_matrix(
        "matrix exponential",
        torch.linalg.matrix_exp,
        lambda x, u: linalg.expm_frechet(x, u, compute_expm=False),
        between(-0.5, 0.5),
    ),
    of_matrix("cholesky", cholesky_of_gram, cholesky_of_gram_tangent, between(-1, 1)),
    of_matrix(
        "eigenvalues",
        lambda x: torch.linalg.eigvalsh((x + x.mT) / 2),
        eigenvalues_tangent,
        far_apart,
    ),
    of_matrix(
        "singular values",
        torch.linalg.svdvals,
        singular_values_tangent,
        far_apart,
    ),
)

FUNCTIONS: tuple[Known, ...] = (*VECTOR_FUNCTIONS, *MATRIX_FUNCTIONS)
