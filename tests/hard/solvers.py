"""Iterative solvers that stop at a tolerance, with backwards that do not.

`SOLVERS` gives each as a function of its tolerance, with the shape of what it takes. The backward
is that of the exact solution, by the implicit function theorem or in closed form: it differs from
the slope of what was computed by about as much as the solution does, which is some tolerances.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from hard.claims import DOUBLE, Function, Tensor
from planted import planted

__all__ = ["SOLVERS"]

SIZE, UNKNOWNS = 6, 24


def weights(size: int, scale: float) -> Tensor:
    """A random matrix of the given spectral norm."""
    matrix = torch.randn(size, size, dtype=DOUBLE, generator=torch.Generator().manual_seed(7))
    return scale * matrix / torch.linalg.matrix_norm(matrix, 2)


def iterated(tolerance: float) -> Function:
    """The solution z of z = tanh(W z + x), iterated until z moves by less than the tolerance."""
    matrix = weights(SIZE, 0.6)

    def function(x: Tensor) -> Tensor:
        z = torch.zeros_like(x)
        for _ in range(1000):
            following = torch.tanh(matrix.to(x.dtype) @ z + x)
            if (following - z).abs().max() < tolerance:
                return following
            z = following
        return z

    return function


def fixed_point(tolerance: float) -> Function:
    """The same with the gradient of the limit: dz = S (W dz + dx), so dz/dx = (1 - S W)⁻¹ S."""
    matrix, forward = weights(SIZE, 0.6), iterated(tolerance)

    def backward(saved: tuple[Tensor, ...], v: Tensor) -> Tensor:
        slope = 1 - forward(saved[0]) ** 2
        system = torch.eye(SIZE, dtype=v.dtype) - slope[:, None] * matrix.to(v.dtype)
        return slope * torch.linalg.solve(system.T, v)

    return planted("FixedPoint", forward, backward)


def cubic_slope(forward: Function) -> Function:
    """The slope of the root z of z³ + z = x."""
    return lambda saved, v: v / (3 * forward(saved[0]) ** 2 + 1)


def bisection(tolerance: float) -> Function:
    """The root z of z³ + z = x, entry by entry, from an interval halved to the tolerance."""

    def forward(x: Tensor) -> Tensor:
        low, high = torch.full_like(x, -4.0), torch.full_like(x, 4.0)
        while (high - low).max() > tolerance:
            middle = (low + high) / 2
            above = middle**3 + middle > x
            low, high = torch.where(above, low, middle), torch.where(above, middle, high)
        return (low + high) / 2

    return planted("Bisection", forward, cubic_slope(forward))


def newton(tolerance: float) -> Function:
    """The same root by Newton's method."""

    def forward(x: Tensor) -> Tensor:
        z = torch.zeros_like(x)
        for _ in range(100):
            step = (z**3 + z - x) / (3 * z * z + 1)
            z = z - step
            if step.abs().max() < tolerance:
                return z
        return z

    return planted("Newton", forward, cubic_slope(forward))


def conjugate_gradients(tolerance: float) -> Function:
    """The solution z of A z = x, until the residual is below the tolerance."""
    factor = weights(UNKNOWNS, 1.0)
    matrix = factor @ factor.T + 0.05 * torch.eye(UNKNOWNS, dtype=DOUBLE)

    def solve(x: Tensor) -> Tensor:
        system = matrix.to(x.dtype)
        z, residual = torch.zeros_like(x), x.clone()
        direction, square = residual.clone(), residual @ residual
        for _ in range(200):
            if square.sqrt() < tolerance:
                break
            image = system @ direction
            length = square / (direction @ image)
            z, residual = z + length * direction, residual - length * image
            following = residual @ residual
            direction, square = residual + following / square * direction, following
        return z

    def backward(_: tuple[Tensor, ...], v: Tensor) -> Tensor:
        return torch.linalg.solve(matrix.to(v.dtype), v)

    return planted("ConjugateGradients", solve, backward)


def integrator(tolerance: float) -> Function:
    """The value at time 1 of y' = y (1 - y), y(0) = x, with steps that follow the tolerance.

    A pair of orders 2 and 3. The solution is x e / (1 + x (e - 1)), its slope e / (1 + x (e - 1))².
    """

    def rate(y: Tensor) -> Tensor:
        return y * (1 - y)

    def forward(x: Tensor) -> Tensor:
        y, time, step = x.clone(), 0.0, 0.1
        while time < 1.0:
            step = min(step, 1.0 - time)
            first = rate(y)
            second = rate(y + step / 2 * first)
            third = rate(y + step * (2 * second - first))
            better = y + step / 6 * (first + 4 * second + third)
            error = float((better - (y + step * second)).abs().max())
            if error <= tolerance:
                y, time = better, time + step
            step *= min(4.0, max(0.2, 0.9 * (tolerance / max(error, 1e-300)) ** (1 / 3)))
        return y

    growth = float(torch.ones((), dtype=DOUBLE).exp())

    def backward(saved: tuple[Tensor, ...], v: Tensor) -> Tensor:
        return v * growth / (1 + saved[0] * (growth - 1)) ** 2

    return planted("Integrator", forward, backward)


def power_iteration(tolerance: float) -> Function:
    """The largest eigenvalue of a symmetric matrix, until it changes by less than the tolerance.

    Its slope is the outer product of the eigenvector with itself.
    """

    def symmetric(x: Tensor) -> Tensor:
        return x + x.T + 4 * torch.diag(torch.arange(SIZE, dtype=x.dtype))

    def forward(x: Tensor) -> Tensor:
        matrix, value = symmetric(x), torch.tensor(0.0, dtype=x.dtype)
        vector = torch.ones(SIZE, dtype=x.dtype)
        for _ in range(5000):
            image = matrix @ vector
            vector = image / torch.linalg.vector_norm(image)
            following = vector @ matrix @ vector
            if abs(float(following - value)) < tolerance:
                return following
            value = following
        return value

    def backward(saved: tuple[Tensor, ...], v: Tensor) -> Tensor:
        vector = torch.linalg.eigh(symmetric(saved[0])).eigenvectors[:, -1]
        return 2 * v * torch.outer(vector, vector)

    return planted("PowerIteration", forward, backward)


SOLVERS: dict[str, tuple[Callable[[float], Function], tuple[int, ...]]] = {
    "fixed point": (fixed_point, (SIZE,)),
    "fixed point, unrolled": (iterated, (SIZE,)),
    "bisection": (bisection, (SIZE,)),
    "newton": (newton, (SIZE,)),
    "conjugate gradients": (conjugate_gradients, (UNKNOWNS,)),
    "integrator": (integrator, (SIZE,)),
    "power iteration": (power_iteration, (SIZE, SIZE)),
}
