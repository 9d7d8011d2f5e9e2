"""Lifting: the same function at the same point, run in float64 as well.

Low precision hides errors; many functions that are used in it can also be run in float64. That is
tried, and trusted only if every output then is of float64 and agrees with the low-precision one as
far as rounding explains. What the function closes over is widened where that is needed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from .._errors import SecantError
from .problem import Problem
from .trace import Trace

_ROUNDINGS = 64.0  # that outputs may differ by, and half of their digits at the least
_MOST = 0.25


@dataclass(frozen=True, slots=True)
class Lifted:
    """A problem in float64; everything about it is asked within `context`."""

    problem: Problem
    trace: Trace
    context: Callable[[], AbstractContextManager[Any]]


def can_be_lifted(problem: Problem) -> bool:
    """Say whether some leaf is of less than float64, and some output moves with it."""
    is_exact = all(space.is_exact for space in problem.domain.parts)
    return bool(problem.codomain.parts) and not is_exact


def lift(problem: Problem, trace: Trace) -> Lifted | str:
    """Return the problem in float64, or why that cannot be had."""
    reason = ""
    for context in _contexts(problem):
        try:
            wide = problem.widened()
            with context():
                lifted = Lifted(wide, wide.trace(), context)
        except SecantError as error:
            reason = reason or f"it does not run in float64: {error}"
            continue
        said = why_not(problem, trace, lifted)
        if not said or not problem.is_random:
            return said or lifted
        reason = reason or said
    return reason


def _contexts(problem: Problem) -> list[Callable[[], AbstractContextManager[Any]]]:
    """Return what is tried in turn: as it is, with the same random numbers, all widened."""
    backend = problem.backend
    if not problem.is_random:
        return [contextlib.nullcontext, backend.widening]

    @contextlib.contextmanager
    def both() -> Iterator[None]:
        with backend.redrawing(), backend.widening():
            yield

    return [contextlib.nullcontext, backend.redrawing, both]


def lift_gradient(problem: Problem, trace: Trace, wide: Problem, below: Lifted) -> Lifted | str:
    """Return the gradient of a lifted problem, if it is the gradient's own lifted self."""
    try:
        with below.context():
            lifted = Lifted(wide, wide.trace(), below.context)
    except SecantError as error:
        return f"its gradient does not run in float64: {error}"
    return why_not(problem, trace, lifted) or lifted


def why_not(problem: Problem, trace: Trace, lifted: Lifted, inside: float = 0.0) -> str:
    """Return what speaks against trusting a lifted problem; nothing if it is the same function.

    `inside` is the round-off of what the function computes in, where its leaves do not show it.
    """
    backend = problem.backend
    low, wide = problem.codomain.parts, lifted.problem.codomain.parts
    if [space.signature.shape for space in low] != [space.signature.shape for space in wide]:
        return "its outputs have other shapes in float64"
    if lifted.trace.is_differentiable != trace.is_differentiable:
        return "it claims a derivative in one of the two precisions only"
    for part, (space, one, other) in enumerate(
        zip(low, trace.vectors, lifted.trace.vectors, strict=True)
    ):
        if not wide[part].is_exact:
            return f"{problem.codomain.path(part)} is not of float64 even if all inputs are"
        roundoff = max([inside, space.roundoff, *(leaf.roundoff for leaf in problem.domain.parts)])
        share = min(max(_ROUNDINGS * roundoff, roundoff**0.5), _MOST)
        if not backend.distance(one, 1.0, other) <= share * backend.norm(other):
            return f"{problem.codomain.path(part)} has other values in float64"
    return ""
