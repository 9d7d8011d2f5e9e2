"""A question about one pair of leaves, and who asks it: reverse mode pulls, forward mode pushes.

Everything after this file works on questions alone and does not know which mode they came from.
"""

from __future__ import annotations

import abc
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._backends.base import Array
from .._claims.base import ClaimRaised
from .._claims.forward import ForwardClaim
from .._claims.reverse import Pulled, ReverseClaim
from .._measure.difference import Functional
from .._verdict.compare import Yardstick
from .base import Examination
from .jacobian import Batching, Matrix, claimed_columns, claimed_rows


@dataclass(frozen=True, slots=True)
class Question:
    """v'J u of one pair of leaves as claimed, ready to be held against the function."""

    part: int
    output: int
    weights: Array  # coordinates of v
    direction: Array  # coordinates of u
    functional: Functional
    yardstick: Yardstick
    claimed: float
    gradient: Array | None  # coordinates of Jᵀ v where the mode knows them; None claims zero
    pulled: Pulled | None
    is_absent: bool = False  # the framework says that there is no path between the two
    holes: Array | None = None  # the claim as it came, where it is not finite everywhere

    @property
    def has_holes(self) -> bool:
        """Say whether the claim is not finite everywhere; u or v avoids those entries."""
        return self.holes is not None


_ORDERS = ("", "", "second-order ", "third-order ")


class Asker(abc.ABC):
    """One mode of differentiation, turned into questions."""

    mode: str

    def __init__(self, examination: Examination) -> None:
        self.examination = examination
        self.batching = Batching()
        order = examination.order
        self.subject = (_ORDERS[order] if order < 4 else f"order-{order} ") + self.mode

    @abc.abstractmethod
    def prepare(self, weights: Sequence[Array]) -> None:
        """Take the cotangents, one per output, that `ask_prepared` will use."""

    @abc.abstractmethod
    def ask_prepared(self, part: int, direction: Array) -> list[Question]:
        """Ask every output's prepared cotangent along one direction of one leaf."""

    @abc.abstractmethod
    def ask(self, part: int, output: int, weights: Array, direction: Array) -> Question:
        """Ask one cotangent of one output along one direction of one leaf."""

    @abc.abstractmethod
    def ask_along(self, question: Question, direction: Array) -> Question:
        """Ask the same cotangent along another direction."""

    @abc.abstractmethod
    def claimed(self, output: int) -> list[Matrix]:
        """Return one output's claimed Jacobians, (outputs, inputs), one per leaf."""

    @abc.abstractmethod
    def claimed_mix(self, output: int, mix: Matrix) -> list[Matrix]:
        """Return mixtures (rows) of one output's claimed Jacobians, one matrix per leaf."""

    def accepts_only_all(self) -> bool:
        """Say whether the claim answers only if every output has a cotangent."""
        return False

    def ask_afresh(self, part: int, output: int) -> Question:
        """Ask about a pair of leaves with fresh, independent directions u and v."""
        problem, directions = self.examination.problem, self.examination.directions
        weights = directions.draw(problem.codomain.parts[output])
        return self.ask(part, output, weights, directions.draw(problem.domain.parts[part]))

    def unit(self, part: int, place: int) -> Array:
        """Return the direction of one coordinate."""
        return self.examination.problem.domain.parts[part].unit(place)


class ReverseAsker(Asker):
    """Questions answered by pulling cotangents back."""

    mode = "reverse-mode gradient"

    def __init__(self, examination: Examination, claim: ReverseClaim) -> None:
        super().__init__(examination)
        self.claim = claim
        self.pulleds: list[Pulled] = []

    def prepare(self, weights: Sequence[Array]) -> None:
        self.pulleds = [self.claim.pull_vector(k, vector) for k, vector in enumerate(weights)]

    def ask_prepared(self, part: int, direction: Array) -> list[Question]:
        return [self._question(part, pulled, direction) for pulled in self.pulleds]

    def ask(self, part: int, output: int, weights: Array, direction: Array) -> Question:
        return self._question(part, self.claim.pull_vector(output, weights), direction)

    def claimed_mix(self, output: int, mix: Matrix) -> list[Matrix]:
        examination = self.examination
        space = examination.problem.codomain.parts[output]
        rows = [
            self.claim.pull_vector(output, examination.backend.vector(row.copy(), space.reference))
            for row in mix
        ]
        return [
            np.stack(
                [
                    np.zeros(part.size)
                    if row.gradients[k] is None
                    else examination.backend.to_numpy(row.gradients[k])
                    for row in rows
                ]
            )
            for k, part in enumerate(examination.problem.domain.parts)
        ]

    def accepts_only_all(self) -> bool:
        spaces = self.examination.problem.codomain.parts
        if len(spaces) < 2:
            return False
        zeros = [
            space.assemble(v * 0) for space, v in zip(spaces, self.claim.trace.vectors, strict=True)
        ]
        try:
            self.claim.pull(zeros)
        except ClaimRaised:
            return False
        return True

    def ask_along(self, question: Question, direction: Array) -> Question:
        assert question.pulled is not None
        return self._question(question.part, question.pulled, direction)

    def claimed(self, output: int) -> list[Matrix]:
        return claimed_rows(self.examination, self.claim, output, self.batching)

    def _question(self, part: int, pulled: Pulled, direction: Array) -> Question:
        examination, backend = self.examination, self.examination.backend
        gradient, output = pulled.gradients[part], pulled.output
        if gradient is None:
            functional = examination.functional(part, output, pulled.cotangent, _zero, 0.0)
            yardstick = examination.yardstick(part, functional, 0.0)
            return Question(
                part, output, pulled.cotangent, direction, functional, yardstick, 0.0, None, pulled,
                is_absent=True,
            )  # fmt: skip
        terms = backend.norm_of_product(gradient, direction)
        holes = None
        if not math.isfinite(terms):
            holes = gradient
            direction = direction * backend.finite_mask(gradient)
            gradient = backend.where_finite(gradient)
            terms = backend.norm(gradient * direction)
        finite = gradient
        functional = examination.functional(
            part,
            output,
            pulled.cotangent,
            lambda displacements: backend.dot(finite, displacements[0]),
            backend.norm_of_product(gradient, examination.point(part)),
        )
        yardstick = examination.yardstick(part, functional, terms)
        claimed = backend.dot(gradient, direction)
        return Question(
            part, output, pulled.cotangent, direction, functional, yardstick, claimed, gradient,
            pulled, holes=holes,
        )  # fmt: skip


class ForwardAsker(Asker):
    """Questions answered by pushing tangents forward."""

    mode = "forward-mode derivative"

    def __init__(self, examination: Examination, claim: ForwardClaim) -> None:
        super().__init__(examination)
        self.claim = claim
        self._weights: list[Array] = []

    def prepare(self, weights: Sequence[Array]) -> None:
        self._weights = list(weights)

    def ask_prepared(self, part: int, direction: Array) -> list[Question]:
        pushed = self._push(part, direction)
        return [
            self._question(part, output, weights, direction, pushed[output])
            for output, weights in enumerate(self._weights)
        ]

    def ask(self, part: int, output: int, weights: Array, direction: Array) -> Question:
        pushed = self._push(part, direction)
        return self._question(part, output, weights, direction, pushed[output])

    def ask_along(self, question: Question, direction: Array) -> Question:
        return self.ask(question.part, question.output, question.weights, direction)

    def claimed(self, output: int) -> list[Matrix]:
        return claimed_columns(self.examination, self.claim, output)

    def claimed_mix(self, output: int, mix: Matrix) -> list[Matrix]:
        return [mix @ matrix for matrix in self.claimed(output)]

    def _push(self, part: int, direction: Array) -> list[Array]:
        space = self.examination.problem.domain.parts[part]
        return self.claim.push(part, space.assemble(direction))

    def _question(
        self, part: int, output: int, weights: Array, direction: Array, tangent: Array
    ) -> Question:
        """Contract J u with v; a displacement d of about 2t·u counts as 2t = ⟨d, u⟩/⟨u, u⟩."""
        examination, backend = self.examination, self.examination.backend
        claimed = backend.dot(weights, tangent)
        holes = None
        if not math.isfinite(claimed):
            holes = tangent
            weights = weights * backend.finite_mask(tangent)
            tangent = backend.where_finite(tangent)
            claimed = backend.dot(weights, tangent)
        square = backend.dot(direction, direction)
        terms = backend.norm(weights * tangent)
        functional = examination.functional(
            part,
            output,
            weights,
            lambda displacements: (
                claimed * backend.dot(displacements[0], direction) / (square or 1.0)
            ),
            terms * examination.steps(part).typical,
        )
        yardstick = examination.yardstick(part, functional, terms)
        return Question(
            part, output, weights, direction, functional, yardstick, claimed, None, None,
            holes=holes,
        )  # fmt: skip


def _zero(_displacements: Sequence[Array]) -> float:
    return 0.0
