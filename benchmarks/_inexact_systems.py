"""Equations solved to a tolerance: linear ones, fixed points, roots, an eigenvector.

Each `…(x, tolerance)` gives the value and how often it went round; beside it stands the same thing
computed exactly and differentiably, and twins whose derivative lacks something.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from _program_text import numbers

Tensor = torch.Tensor
Found = tuple[Tensor, int]

BASE = numbers(1, (8, 8))
STIFF = BASE @ BASE.mT / 8 + torch.eye(8, dtype=torch.float64)
RIGHT_SIDE = numbers(2, (8,))


def matrix(x: Tensor) -> Tensor:
    """A positive definite matrix that depends on x."""
    return STIFF + torch.diag(x.exp())


def conjugate_gradients(x: Tensor, tolerance: float) -> Found:
    """Solve A(x) y = b until the residual is small."""
    system, y = matrix(x), torch.zeros_like(RIGHT_SIDE)
    residual = RIGHT_SIDE - system @ y
    along, square, count = residual.clone(), residual @ residual, 0
    while square.sqrt() > tolerance * torch.linalg.vector_norm(RIGHT_SIDE) and count < 100:
        image = system @ along
        length = square / (along @ image)
        y, residual = y + length * along, residual - length * image
        following = residual @ residual
        along, square, count = residual + following / square * along, following, count + 1
    return y, count


def solved(x: Tensor) -> Tensor:
    """The same by a direct solve."""
    return torch.linalg.solve(matrix(x), RIGHT_SIDE)


def solved_without_adjoint(x: Tensor) -> Tensor:
    """The adjoint system is solved with its diagonal only."""
    y = solved(x.detach())
    return y + (RIGHT_SIDE - matrix(x) @ y) / matrix(x.detach()).diagonal()


WEIGHTS = 0.9 * numbers(3, (6, 6)) / torch.linalg.matrix_norm(numbers(3, (6, 6)), 2)


def iterated(x: Tensor, tolerance: float) -> Found:
    """Iterate y = tanh(W y + x), from zero, until it moves no more than the tolerance."""
    y, count = torch.zeros_like(x), 0
    while count < 1000:
        following = torch.tanh(WEIGHTS @ y + x)
        step, y, count = torch.linalg.vector_norm(following - y), following, count + 1
        if step <= tolerance:
            break
    return y, count


def cut_short(x: Tensor, tolerance: float) -> Found:
    """The same with a fixed number of rounds: smooth, and off by about the tolerance."""
    y, count = torch.zeros_like(x), round(-np.log(tolerance) / np.log(1.6))
    for _ in range(count):
        y = torch.tanh(WEIGHTS @ y + x)
    return y, count


def fixed_point(x: Tensor) -> Tensor:
    """The fixed point to the last digit, with the implicit function theorem's derivative."""
    return implicit(x, lambda inner: inner)


def fixed_point_transposed(x: Tensor) -> Tensor:
    """The adjoint's matrix transposed."""
    return implicit(x, lambda inner: inner.mT)


def fixed_point_one_round(x: Tensor) -> Tensor:
    """The derivative of one round, as if the iterate before did not depend on x."""
    y = settled(x.detach())
    return torch.tanh(WEIGHTS @ y + x)


def settled(x: Tensor) -> Tensor:
    """The fixed point after so many rounds that nothing moves."""
    y = torch.zeros_like(x)
    for _ in range(500):
        y = torch.tanh(WEIGHTS @ y + x)
    return y


def implicit(x: Tensor, turn: Callable[[Tensor], Tensor]) -> Tensor:
    """The value of the fixed point with the derivative (I - D W)⁻¹ D, the inverse turned."""
    y = settled(x.detach())
    slopes = 1 - y * y
    inner = torch.eye(len(y), dtype=y.dtype) - slopes[:, None] * WEIGHTS
    return y + turn(torch.linalg.inv(inner)) @ (slopes * (x - x.detach()))


def newton(x: Tensor, tolerance: float) -> Found:
    """The root of y³ + y = x for every entry."""
    y, count = torch.zeros_like(x), 0
    while (y**3 + y - x).abs().max() > tolerance and count < 100:
        y, count = y - (y**3 + y - x) / (3 * y**2 + 1), count + 1
    return y, count


def bisection(x: Tensor, tolerance: float) -> Found:
    """The same by halving an interval: a staircase whose steps are as wide as the tolerance."""
    low, high = torch.full_like(x, -4.0), torch.full_like(x, 4.0)
    while (high - low).max() > tolerance:
        middle = (low + high) / 2
        above = middle**3 + middle > x
        low, high = torch.where(above, low, middle), torch.where(above, middle, high)
    middle = (low + high) / 2
    return middle, hash(middle.numpy().tobytes())  # what it settles on is the path it took


def cubic_root(x: Tensor) -> Tensor:
    """The root by Newton's rounds, many of them."""
    y = newton(x.detach(), 1e-15)[0]
    return y - (y**3 + y - x) / (3 * y**2 + 1)


def cubic_root_wrong(x: Tensor) -> Tensor:
    """The derivative of y³ loses its factor of three."""
    y = newton(x.detach(), 1e-15)[0]
    return y - (y**3 + y - x) / (y**2 + 1)


SYMMETRIC = numbers(6, (5, 5)) + numbers(6, (5, 5)).mT


def power_iteration(x: Tensor, tolerance: float) -> Found:
    """The eigenvector of a symmetric matrix's largest eigenvalue, until it settles."""
    system = SYMMETRIC / 4 + torch.diag(x) + 3 * torch.eye(5, dtype=x.dtype)
    vector, count = torch.ones(5, dtype=x.dtype) / np.sqrt(5), 0
    while count < 5000:
        following = system @ vector
        following = following / torch.linalg.vector_norm(following)
        step, vector, count = torch.linalg.vector_norm(following - vector), following, count + 1
        if step <= tolerance:
            break
    return vector.square(), count


def eigenvector(x: Tensor) -> Tensor:
    """The same by a direct method."""
    system = SYMMETRIC / 4 + torch.diag(x) + 3 * torch.eye(5, dtype=x.dtype)
    return torch.linalg.eigh(system)[1][:, -1].square()


def eigenvector_of_two(x: Tensor) -> Tensor:
    """The last entries' contribution is missing."""
    return eigenvector(torch.cat([x[:2], x[2:].detach()]))
