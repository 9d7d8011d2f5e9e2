"""Functions made of several steps: networks, iterations, test functions of optimisation.

Their derivatives carry a tangent through the steps by hand, in NumPy.
"""

from __future__ import annotations

import numpy as np
import torch

from .base import (
    ALL,
    VECTORS,
    Array,
    Derivative,
    Function,
    Known,
    Sampler,
    Shape,
    between,
    either_side,
    exact_matrix,
    exact_weights,
    returning_array,
)

HIDDEN = 8
OUTPUTS = 5


def composition(
    name: str,
    function: Function,
    derivative: Derivative,
    sample: Sampler,
    shapes: tuple[Shape, ...] = VECTORS,
) -> Known:
    """A function of a vector, in every dtype."""
    return Known(name, function, returning_array(derivative), sample, ALL, "composition", shapes)


def fan_in(inputs: int) -> float:
    """A power of two near 1/√inputs, so that hidden units do not saturate."""
    return float(2.0 ** -np.ceil(np.log2(inputs) / 2))


def network(x: torch.Tensor) -> torch.Tensor:
    """tanh(tanh(x A) B) C."""
    first = torch.tanh(x @ exact_weights(x.shape[0], HIDDEN, x) * fan_in(x.shape[0]))
    second = torch.tanh(first @ exact_weights(HIDDEN, HIDDEN, x) / 2)
    return second @ exact_weights(HIDDEN, OUTPUTS, x)


def network_tangent(x: Array, u: Array) -> Array:
    """The tangent through both layers, with tanh' = 1/cosh²."""
    weights = exact_matrix(x.size, HIDDEN) * fan_in(x.size)
    first = x @ weights
    tangent = u @ weights / np.cosh(first) ** 2
    second = np.tanh(first) @ exact_matrix(HIDDEN, HIDDEN) / 2
    tangent = tangent @ exact_matrix(HIDDEN, HIDDEN) / 2 / np.cosh(second) ** 2
    return np.asarray(tangent @ exact_matrix(HIDDEN, OUTPUTS))


def rosenbrock(x: torch.Tensor) -> torch.Tensor:
    """Σ 100 (x[i+1] - x[i]²)² + (1 - x[i])²."""
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def rosenbrock_tangent(x: Array, u: Array) -> Array:
    """The tangent of each term, summed."""
    valley = x[1:] - x[:-1] ** 2
    terms = 200 * valley * (u[1:] - 2 * x[:-1] * u[:-1]) - 2 * (1 - x[:-1]) * u[:-1]
    return np.asarray(terms.sum())


def ackley(x: torch.Tensor) -> torch.Tensor:
    """-16 exp(-‖x‖ / (4√n)) - exp(mean(cos 4x))."""
    radius = torch.sqrt((x * x).mean())
    return -16 * torch.exp(-radius / 4) - torch.exp(torch.cos(4 * x).mean())


def ackley_tangent(x: Array, u: Array) -> Array:
    """With r = √mean(x²): 4 exp(-r/4) r' + 4 exp(mean(cos 4x)) mean(u sin 4x)."""
    radius = np.sqrt((x * x).mean())
    bowl = 4 * np.exp(-radius / 4) * (x * u).mean() / radius
    ripples = 4 * np.exp(np.cos(4 * x).mean()) * (np.sin(4 * x) * u).mean()
    return np.asarray(bowl + ripples)


def newton_root(x: torch.Tensor) -> torch.Tensor:
    """Four steps y → (y + x/y) / 2 of Newton's square root, from y = 1."""
    y = torch.ones_like(x)
    for _ in range(4):
        y = (y + x / y) / 2
    return y


def newton_root_tangent(x: Array, u: Array) -> Array:
    """The tangent of each step, y' → (y' + (u - x y'/y)/y) / 2."""
    y, tangent = np.ones_like(x), np.zeros_like(x)
    for _ in range(4):
        tangent = (tangent + (u - x / y * tangent) / y) / 2
        y = (y + x / y) / 2
    return tangent


def attention(x: torch.Tensor) -> torch.Tensor:
    """softmax(x xᵀ / 2) x, for one feature."""
    return torch.softmax(torch.outer(x, x) / 2, -1) @ x


def attention_tangent(x: Array, u: Array) -> Array:
    """P' x + P u, with P the weights and P' = P (S' - Σ P S') for the scores' tangent S'."""
    scores = np.outer(x, x) / 2
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    scores_tangent = (np.outer(u, x) + np.outer(x, u)) / 2
    mean = (weights * scores_tangent).sum(axis=-1, keepdims=True)
    return np.asarray((weights * (scores_tangent - mean)) @ x + weights @ u)


def pendulum(x: torch.Tensor) -> torch.Tensor:
    """Eight leapfrog steps of pendulums that start at rest at the angles x."""
    angle, speed = x, torch.zeros_like(x)
    for _ in range(8):
        speed = speed - torch.sin(angle) / 4
        angle = angle + speed / 4
    return angle


def pendulum_tangent(x: Array, u: Array) -> Array:
    """The tangents of angle and speed, step by step."""
    angle, speed = x, np.zeros_like(x)
    angle_tangent, speed_tangent = u, np.zeros_like(u)
    for _ in range(8):
        speed_tangent = speed_tangent - np.cos(angle) * angle_tangent / 4
        speed = speed - np.sin(angle) / 4
        angle_tangent = angle_tangent + speed_tangent / 4
        angle = angle + speed / 4
    return angle_tangent


FUNCTIONS: tuple[Known, ...] = (
    composition("network", network, network_tangent, between(-1.5, 1.5)),
    composition("rosenbrock", rosenbrock, rosenbrock_tangent, between(0.5, 1.3), ((3,), (10,))),
    composition("ackley", ackley, ackley_tangent, either_side(0.3, 1.5)),
    composition("newton root", newton_root, newton_root_tangent, between(0.5, 3)),
    composition("attention", attention, attention_tangent, between(-1, 1), ((3,), (10,), (64,))),
    composition("pendulum", pendulum, pendulum_tangent, between(-2, 2)),
    composition(
        "exp(mean(sin x))",
        lambda x: torch.exp(torch.sin(x).mean()),
        lambda x, u: np.exp(np.sin(x).mean()) * (np.cos(x) * u).mean(),
        between(-3, 3),
    ),
)
