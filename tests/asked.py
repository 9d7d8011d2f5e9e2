"""One question about a function, taken as far as a test needs: posed, traced, asked, measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from secant._backends.base import Array
from secant._claims.reverse import ReverseClaim
from secant._measure.difference import Reading, quick
from secant._measure.line import Line
from secant._probes.asking.question import Question
from secant._probes.asking.reverse import ReverseMode
from secant._probes.base import Examination, Judged
from secant._probes.closer.look import look_closer
from secant._problem.pose import gather, pose
from secant._problem.problem import Problem
from secant._settings import settle
from secant._spaces.directions import Directions


@dataclass
class Asked:
    """A function along one direction of its only input."""

    mode: ReverseMode
    question: Question

    @property
    def examination(self) -> Examination:
        return self.mode.examination

    @property
    def line(self) -> Line:
        return self.examination.line(0, self.question.direction)

    def read(self) -> Reading | None:
        """Take the four evaluations of the opening."""
        readings = quick(self.line, [self.question.functional], self.examination.step(0))
        return None if readings is None else readings[0]

    def look(self) -> Judged:
        """Walk the ladder."""
        one = self.question
        return look_closer(self.examination, 0, self.line, one.functional, one.yardstick)


def posed(function: Callable[..., Any], *inputs: Any) -> Problem:
    """Pose a function of positional inputs."""
    return pose(function, *gather(function, inputs, {}))


def ask(
    function: Callable[..., Any],
    x: torch.Tensor,
    direction: Array | None = None,
    weights: Array | None = None,
    **settings: Any,
) -> Asked:
    """Ask about a function of one input and one output; directions not given are random."""
    problem = posed(function, x)
    chosen = settle(settings)
    examination = Examination(problem, problem.trace(), chosen, Directions(chosen.seed))
    mode = ReverseMode(examination, ReverseClaim(problem, examination.trace))
    if weights is None:
        weights = examination.directions.draw(problem.codomain.parts[0])
    if direction is None:
        direction = examination.directions.draw(problem.domain.parts[0])
    return Asked(mode, mode.ask(0, 0, weights, direction))
