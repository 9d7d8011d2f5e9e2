"""Claims of a library that differentiates functions: asked of the function itself, each time anew.

The gradient of such a function is such a function, so that second order needs nothing more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._backends.base import Array
from .._backends.interface.transforms import NotTraceable, Transforms
from .._errors import InputError, SecantError, said_by
from .._problem.problem import Problem
from .base import ClaimRaised, Gradient, backward_pass
from .rules import Rule

HOW_TO_GIVE = (
    "pass one of `gradient` (for one real number), `jacobian`, `pull` or `push`: functions that "
    "take the same inputs"
)


class TransformRule(Rule):
    """What autodiff says about a function of arrays that record nothing."""

    words = ""  # the mode's own

    def __init__(self, transforms: Transforms) -> None:
        self.transforms = transforms

    def pull(
        self, problem: Problem, values: Sequence[Array] | None, cotangents: Sequence[Array]
    ) -> Gradient:
        here = problem.copies() if values is None else values
        given = problem.answers, here, cotangents
        return self._asked(backward_pass(problem.backend), self.transforms.pull, problem, given)

    def push(
        self, problem: Problem, values: Sequence[Array] | None, tangents: Sequence[Array]
    ) -> list[Array | None]:
        here = problem.copies() if values is None else values
        given = problem.answers, here, tangents
        return self._asked("the forward-mode pass", self.transforms.push, problem, given)

    def _asked(self, verb: str, ask: Any, problem: Problem, arguments: Any) -> list[Any]:
        try:
            answer: list[Any] = ask(*arguments)
        except NotTraceable as error:
            cause = error.__cause__
            cause = cause.__cause__ or cause if isinstance(cause, SecantError) else cause
            raise InputError(
                f"expected a derivative of `{problem.name}`, which {self.transforms.name} cannot "
                f"trace ({type(cause).__name__}: {_first_line(cause)}); {HOW_TO_GIVE}"
            ) from cause
        except Exception as error:
            raise ClaimRaised(verb, error) from error
        return answer

    def gradient_at(self, problem: Problem, cotangents: Sequence[Array]) -> Problem:
        """Return the problem whose function is pull(v) at x, with the cotangents to begin with."""
        inputs = len(problem.points)

        def call(leaves: Sequence[Any]) -> list[Array]:
            return self.transforms.pull(problem.answers, leaves[:inputs], leaves[inputs:])

        def paths() -> list[str]:
            own = [problem.domain.path(part) for part in range(inputs)]
            return own + [f"v({problem.codomain.path(part)})" for part in range(len(cotangents))]

        every, name = [*problem.points, *cotangents], f"gradient of {problem.name}"
        return Problem(name, call, problem.backend, every, range(len(every)), paths)


def _first_line(error: BaseException | None) -> str:
    return "" if error is None else said_by(error).partition("\n")[0]
