"""Ten ways of computing something to a tolerance, each beside the same thing computed exactly.

`SOLVERS` has them by name: a point, `solve(x, tolerance)` with the value and how often it went
round, `exact(x)`, which is differentiable, `missing(x)` with its gradient but for one term, and
`transposed(x)` with the adjoint's matrix transposed where there is one. All in float64.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

from _inexact_integrals import (
    adaptive_steps,
    integral,
    integral_of_one,
    looked_up,
    quadrature,
    relaxed,
    relaxed_without_start,
    sine_of_a_cell,
    transport,
    transport_exactly,
    transport_of_a_fixed_plan,
)
from _inexact_systems import (
    bisection,
    conjugate_gradients,
    cubic_root,
    cubic_root_wrong,
    cut_short,
    eigenvector,
    eigenvector_of_two,
    fixed_point,
    fixed_point_one_round,
    fixed_point_transposed,
    iterated,
    newton,
    power_iteration,
    solved,
    solved_without_adjoint,
)
from _program_text import numbers

__all__ = ["SOLVERS", "Solver"]

Tensor = torch.Tensor


@dataclass(frozen=True)
class Solver:
    """What is solved, how, and what its derivative is read from."""

    point: Callable[[], Tensor]
    solve: Callable[[Tensor, float], tuple[Tensor, int]]
    exact: Callable[[Tensor], Tensor]
    missing: Callable[[Tensor], Tensor]
    transposed: Callable[[Tensor], Tensor] | None = None
    finest: float = 0.0  # tolerance that it reaches in a bearable time


SOLVERS = {
    "conjugate gradients": Solver(
        lambda: 0.5 * numbers(4, (8,)), conjugate_gradients, solved, solved_without_adjoint
    ),
    "fixed point": Solver(
        lambda: 0.5 * numbers(5, (6,)),
        iterated,
        fixed_point,
        fixed_point_one_round,
        fixed_point_transposed,
    ),
    "fixed point, cut short": Solver(
        lambda: 0.5 * numbers(5, (6,)),
        cut_short,
        fixed_point,
        fixed_point_one_round,
        fixed_point_transposed,
    ),
    "Newton": Solver(lambda: numbers(7, (6,)), newton, cubic_root, cubic_root_wrong),
    "bisection": Solver(lambda: numbers(7, (6,)), bisection, cubic_root, cubic_root_wrong),
    "adaptive steps": Solver(
        lambda: torch.tensor([0.8, 3.0, 1.3], dtype=torch.float64),
        adaptive_steps,
        relaxed,
        relaxed_without_start,
        finest=1e-9,
    ),
    "adaptive quadrature": Solver(
        lambda: torch.tensor([0.7, 2.0], dtype=torch.float64), quadrature, integral, integral_of_one
    ),
    "Sinkhorn": Solver(
        lambda: numbers(8, (16,)).abs(), transport, transport_exactly, transport_of_a_fixed_plan
    ),
    "table": Solver(lambda: numbers(9, (5,)), looked_up, torch.sin, sine_of_a_cell),
    "power iteration": Solver(
        lambda: 0.5 * numbers(10, (5,)), power_iteration, eigenvector, eigenvector_of_two
    ),
}
