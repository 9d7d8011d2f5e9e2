"""Second order is not a second code path: the gradient of a problem is a problem.

G(x, v) = J(x)ᵀ v, differentiated in x and in v. Reverse mode on it is reverse over reverse, forward
mode forward over reverse; the gradient of the gradient problem is third order, and so on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._backends.base import Array
from .leaves import widened
from .problem import Problem
from .trees import flatten_output


def gradient_at(problem: Problem, cotangents: Sequence[Array]) -> Problem:
    """Return the problem whose function is pull(v) at x, with the cotangents to begin with."""
    backend = problem.backend
    inputs = len(problem.points)

    def call(leaves: Sequence[Any]) -> list[Array]:
        values = list(leaves[:inputs])
        for place, value in enumerate(values):
            if not backend.is_attached(value):
                values[place] = backend.leaf(value)
        outputs: list[Array] = []
        given: list[Array] = []
        for output, cotangent in zip(problem.outputs(values), leaves[inputs:], strict=True):
            if backend.is_attached(output):
                outputs.append(output)
                given.append(cotangent)
        if not problem.recalls:
            gradients = backend.pull(outputs, values, given, differentiable=True)
        else:
            with problem.recalling(values):
                moved = problem.in_place(values)
                gradients = backend.pull(outputs, moved, given, differentiable=True)
        return [
            value * 0 if gradient is None else gradient
            for value, gradient in zip(values, gradients, strict=True)
        ]

    def paths() -> list[str]:
        own = [problem.domain.path(part) for part in range(inputs)]
        return own + [f"v({problem.codomain.path(part)})" for part in range(len(cotangents))]

    originals = [*problem.in_place(problem.points), *cotangents]
    places = range(len(originals))
    name = f"gradient of {problem.name}"
    gradient = GradientProblem(
        name,
        call,
        backend,
        originals,
        places,
        paths,
        lambda leaves: problem.recalling(leaves[:inputs]),
        masked=problem.masked,
    )
    gradient.below, gradient.cotangents = problem, cotangents
    structure = flatten_output(list(originals[:inputs]))[1]
    gradient.opened = lambda answer: (answer, structure)  # a flat list, each time
    if problem.behind is not None:
        gradient.read_behind(problem.behind)
    return gradient


class GradientProblem(Problem):
    """A gradient as a problem, which in float64 is the gradient of the problem in float64."""

    is_gradient = True
    below: Problem
    cotangents: Sequence[Array]

    def widened(self, dtype: str = "float64") -> Problem:
        """Return the gradient of the function in float64, or less; that is called once here."""
        wide = self.below.widened(dtype)
        wide.trace()
        self.tally.add(wide.tally)
        return gradient_at(wide, [widened(self.backend, one, dtype) for one in self.cotangents])
