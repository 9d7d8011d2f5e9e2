"""Integrals, transport and tables computed to a tolerance, beside their exact values.

Each `…(x, tolerance)` gives the value and a number that changes where the path of the computation
does; beside it stands the same thing computed exactly and differentiably, and a twin whose
derivative lacks something.
"""

from __future__ import annotations

import numpy as np
import torch

Tensor = torch.Tensor
Found = tuple[Tensor, int]


def adaptive_steps(x: Tensor, tolerance: float) -> Found:
    """Integrate y' = -x₀ y + cos(x₁ t) from y(0) = x₂ to t = 2, with steps of its own choice."""
    decay, speed, y = (float(one) for one in x)
    time, step, count, path = 0.0, 0.1, 0, 0

    def slope(at: float, value: float) -> float:
        return -decay * value + float(np.cos(speed * at))

    while time < 2 and count < 200_000:
        step = min(step, 2 - time)
        first = slope(time, y)
        second = slope(time + step, y + step * first)
        third = slope(time + step / 2, y + step * (first + second) / 4)
        better = y + step * (first + second + 4 * third) / 6
        error = abs(better - y - step * (first + second) / 2)
        if error <= tolerance:
            time, y = time + step, better
        else:
            path += 1
        step *= min(2.0, max(0.3, 0.9 * (tolerance / max(error, 1e-300)) ** (1 / 3)))
        count += 1
    return torch.tensor(y, dtype=torch.float64), 1000 * count + path


def relaxed(x: Tensor) -> Tensor:
    """The same equation's solution in closed form."""
    decay, speed, start = x
    denominator = decay**2 + speed**2
    forced = (decay * torch.cos(2 * speed) + speed * torch.sin(2 * speed)) / denominator
    return forced + (start - decay / denominator) * torch.exp(-2 * decay)


def relaxed_without_start(x: Tensor) -> Tensor:
    """The initial value's contribution to the gradient is missing."""
    return relaxed(torch.stack([x[0], x[1], x[2].detach()]))


def quadrature(x: Tensor, tolerance: float) -> Found:
    """∫ exp(-x₀ t²) cos(x₁ t) dt from 0 to 3 by adaptive Simpson."""
    decay, speed = (float(one) for one in x)

    def integrand(at: float) -> float:
        return float(np.exp(-decay * at * at) * np.cos(speed * at))

    total, count = 0.0, 0
    stack = [(0.0, 3.0, integrand(0.0), integrand(1.5), integrand(3.0), tolerance)]
    while stack and count < 200_000:
        low, high, left, centre, right, allowed = stack.pop()
        count += 1
        middle = (low + high) / 2
        first, second = integrand((low + middle) / 2), integrand((middle + high) / 2)
        whole = (high - low) / 6 * (left + 4 * centre + right)
        halves = (high - low) / 12 * (left + 4 * first + 2 * centre + 4 * second + right)
        if abs(halves - whole) <= 15 * allowed:
            total += halves
        else:
            stack.append((low, middle, left, first, centre, allowed / 2))
            stack.append((middle, high, centre, second, right, allowed / 2))
    return torch.tensor(total, dtype=torch.float64), count


NODES, MASSES = (torch.as_tensor(one) for one in np.polynomial.legendre.leggauss(60))


def integral(x: Tensor) -> Tensor:
    """The same by sixty Gauss points."""
    at = 1.5 * (NODES + 1)
    return 1.5 * (MASSES * torch.exp(-x[0] * at**2) * torch.cos(x[1] * at)).sum()


def integral_of_one(x: Tensor) -> Tensor:
    """The second parameter's contribution is missing."""
    return integral(torch.stack([x[0], x[1].detach()]))


def transport(x: Tensor, tolerance: float) -> Found:
    """The cost of moving one distribution to another, by Sinkhorn's iteration in logarithms."""
    return balanced(x, tolerance, 5000)


def balanced(x: Tensor, tolerance: float, most: int) -> Found:
    """Sinkhorn's rounds until the rows' sums are right to the tolerance."""
    costs = x.reshape(4, 4)
    uniform = torch.full((4,), -np.log(4.0), dtype=x.dtype)
    columns = torch.zeros(4, dtype=x.dtype)
    plan, count = costs, 0
    while count < most:
        rows = uniform - torch.logsumexp(columns[None, :] - costs / 0.5, 1)
        columns = uniform - torch.logsumexp(rows[:, None] - costs / 0.5, 0)
        plan, count = torch.exp(rows[:, None] + columns[None, :] - costs / 0.5), count + 1
        if (plan.sum(1) - 0.25).abs().sum() <= tolerance:
            break
    return (plan * costs).sum(), count


def transport_exactly(x: Tensor) -> Tensor:
    """The same after three hundred rounds, differentiated through."""
    return balanced(x, -1.0, 300)[0]


def transport_of_a_fixed_plan(x: Tensor) -> Tensor:
    """The plan's own dependence on the costs is missing."""
    costs = x.reshape(4, 4)
    leaf = x.detach().clone().requires_grad_()
    with torch.enable_grad():
        uniform = torch.full((4,), -np.log(4.0), dtype=x.dtype)
        rows = columns = torch.zeros(4, dtype=x.dtype)
        for _ in range(300):
            rows = uniform - torch.logsumexp(columns[None, :] - leaf.reshape(4, 4) / 0.5, 1)
            columns = uniform - torch.logsumexp(rows[:, None] - leaf.reshape(4, 4) / 0.5, 0)
        plan = torch.exp(rows[:, None] + columns[None, :] - leaf.reshape(4, 4) / 0.5).detach()
    return (plan * costs).sum()


def looked_up(x: Tensor, tolerance: float) -> Found:
    """The sine from a table, by straight lines between its entries."""
    width = np.sqrt(8 * tolerance)
    cell = torch.floor(x / width)
    share = x / width - cell
    value = (1 - share) * torch.sin(cell * width) + share * torch.sin((cell + 1) * width)
    return value, hash(cell.numpy().tobytes())


def sine_of_a_cell(x: Tensor) -> Tensor:
    """The wrong function's derivative: that of a cosine's table."""
    return torch.sin(x) + 0.2 * torch.cos(x)
