"""Functions that are computed to a tolerance: solvers, integrators, tables, with exact gradients.

Each `Solver` has a way to compute its value that stops at a tolerance, and a differentiable
function that computes it to the last digits, by a closed form, a direct solve or many iterations.
`Inexact` is one of them at one tolerance behind an autograd.Function: the value is the inexact one,
the gradient that of the exact function, right, or wrong in a known way. `shape_of` says whether the
computed function is rough (its values jump nearby) or smooth and off, by walking along lines, and
by how much its slopes are off.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from _inexact_solvers import SOLVERS, Solver

__all__ = ["MISTAKES", "SHAPES", "TOLERANCES", "Inexact", "inexact", "shape_of"]

TOLERANCES = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-9, 1e-11)
MISTAKES = ("right", "3 % off", "missing term", "transposed")
SHAPES = ("rough", "smooth, far off", "smooth, off", "smooth")
VISIBLE = 1e-10  # a slope that is off by less is as good as right
SLIGHT = 0.01  # one that is off by more is another slope, whatever its values are off by
POINTS = 65  # on a line, between which an error may jump
NOISE = 1e-13  # of a computed value
FAR_LESS = 16.0
JUMP = 8.0  # times what it changes by between most of them


class Solved(torch.autograd.Function):
    """The value to a tolerance, the gradient exact or wrong."""

    @staticmethod
    def forward(
        ctx: Any, name: str, tolerance: float, mistake: str, x: torch.Tensor
    ) -> torch.Tensor:
        """Solve, and stop at the tolerance."""
        ctx.name, ctx.mistake = name, mistake
        ctx.save_for_backward(x)
        return SOLVERS[name].solve(x.detach(), tolerance)[0]

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> tuple[Any, ...]:  # type: ignore[override]
        """Pull through the exact function, or through one that lacks something."""
        (x,) = ctx.saved_tensors
        leaf = x.detach().requires_grad_()
        with torch.enable_grad():
            value = claimed_by(SOLVERS[ctx.name], ctx.mistake)(leaf)
        (gradient,) = torch.autograd.grad(value, leaf, cotangent)
        return None, None, None, gradient * (1.03 if ctx.mistake == "3 % off" else 1.0)


def claimed_by(solver: Solver, mistake: str) -> Callable[[torch.Tensor], torch.Tensor]:
    """The differentiable function whose gradient is claimed."""
    other = {"missing term": solver.missing, "transposed": solver.transposed}.get(mistake)
    return solver.exact if other is None else other


@dataclass(frozen=True)
class Inexact:
    """One solver at one tolerance, with a right gradient or a wrong one."""

    solver: str
    tolerance: float
    mistake: str

    @property
    def name(self) -> str:
        """What finds it again."""
        return f"{self.solver}:{self.tolerance:g}:{self.mistake}"

    @property
    def inputs(self) -> tuple[torch.Tensor]:
        """The point."""
        return (SOLVERS[self.solver].point().requires_grad_(),)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        """The function to check."""
        value: torch.Tensor = Solved.apply(self.solver, self.tolerance, self.mistake, x)
        return value


def inexact() -> list[Inexact]:
    """Every solver at every tolerance, right and with every mistake that it can make."""
    return [
        Inexact(name, tolerance, mistake)
        for name, solver in SOLVERS.items()
        for tolerance in TOLERANCES
        for mistake in MISTAKES
        if tolerance >= solver.finest and (mistake != "transposed" or solver.transposed is not None)
    ]


@functools.cache
def shape_of(name: str, tolerance: float) -> tuple[str, float]:
    """One of SHAPES, and by what share the slopes of the computed function are off from the exact.

    Slopes are differences over steps so short that the count of iterations stays. A function is
    rough if its values jump so near that a difference over that distance shows its trend: the
    exact function's own difference is off by far less there than the computed one's slope is.
    """
    solver = SOLVERS[name]
    x = solver.point()
    draw = np.random.default_rng(11)
    is_rough, off = False, 0.0
    for _ in range(3):
        along = torch.as_tensor(draw.choice([-1.0, 1.0], x.shape) * draw.uniform(0.5, 1.5, x.shape))
        along = along * float(x.abs().max())
        own = slope_off(solver, tolerance, x, along)
        is_rough = is_rough or jumps_within(
            solver, tolerance, x, along, worth(solver, x, along, own)
        )
        off = max(off, own)
    if is_rough and off > VISIBLE:
        return "rough", off
    if off > SLIGHT:
        return "smooth, far off", off
    return ("smooth, off" if off > VISIBLE else "smooth"), off


def worth(solver: Solver, x: torch.Tensor, along: torch.Tensor, off: float) -> float:
    """The longest step at which the exact function's difference is off by far less than a share."""
    exact = torch.autograd.functional.jvp(solver.exact, x.clone(), along)[1]
    size = float(torch.linalg.vector_norm(exact))
    for power in range(1, 14):
        step = 4.0**-power
        with torch.no_grad():
            slope = (solver.exact(x + step * along) - solver.exact(x - step * along)) / (2 * step)
        if float(torch.linalg.vector_norm(slope - exact)) <= off * size / FAR_LESS:
            return step
    return 4.0**-14


def jumps_within(
    solver: Solver, tolerance: float, x: torch.Tensor, along: torch.Tensor, reach: float
) -> bool:
    """Whether the error of the computed function jumps between neighbours on a line."""
    places = np.linspace(-reach, reach, POINTS)
    with torch.no_grad():
        errors = [
            solver.solve(x + float(t) * along, tolerance)[0] - solver.exact(x + float(t) * along)
            for t in places
        ]
    moves = [b - a for a, b in itertools.pairwise(errors)]
    bends = [b - a for a, b in itertools.pairwise(moves)]
    sizes, turns = (
        [float(torch.linalg.vector_norm(one)) for one in many] for many in (moves, bends)
    )
    is_torn = float(np.median(turns)) > float(np.median(sizes)) / 2  # it jumps everywhere
    return (is_torn and max(sizes) > NOISE) or max(sizes) > JUMP * float(np.median(sizes)) + NOISE


def slope_off(solver: Solver, tolerance: float, x: torch.Tensor, along: torch.Tensor) -> float:
    """How far the computed function's slope is from the exact one's, at its best short step."""
    leaf = x.clone().requires_grad_()
    exact = torch.autograd.functional.jvp(solver.exact, leaf, along)[1]
    size = float(torch.linalg.vector_norm(exact))
    gaps = []
    for step in (1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6):
        far, near = (
            solver.solve(x + move * along, tolerance)[0]
            - solver.solve(x - move * along, tolerance)[0]
            for move in (2 * step, step)
        )
        slope = (8 * near - far) / (12 * step)
        gaps.append(float(torch.linalg.vector_norm(slope - exact)) / size)
    return min(gap for gap in gaps if not math.isnan(gap))
