"""Forward mode asks by pushing tangents forward."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ..._backends.base import Array
from ..._claims.forward import ForwardClaim
from ..base import Examination
from .claimed import claimed_columns
from .columns import Matrix
from .question import Mode, Pushed, Question, adding_up


class ForwardMode(Mode):
    """Questions answered by pushing tangents forward."""

    words = "forward-mode derivative"
    pulls = False

    def __init__(self, examination: Examination, claim: ForwardClaim) -> None:
        super().__init__(examination)
        self.claim = claim
        self._weights: list[Array] = []

    @classmethod
    def of(cls, examination: Examination) -> ForwardMode:
        """Return the mode of what the framework claims about an examination's function."""
        return cls(examination, ForwardClaim(examination.problem))

    def prepare(self, weights: Sequence[Array]) -> None:
        self._weights = list(weights)

    def ask_prepared(self, part: int, direction: Array) -> list[Question]:
        pushed = self._push(part, direction)
        return [
            self._question(part, output, weights, direction, pushed[output])
            for output, weights in enumerate(self._weights)
        ]

    def ask(self, part: int, output: int, weights: Array, direction: Array) -> Question:
        pushed, weights = self._push(part, direction), self.examination.backend.whole(weights)
        return self._question(part, output, weights, direction, pushed[output])

    def ask_along(self, question: Question, direction: Array) -> Question:
        return self.ask(question.part, question.output, question.weights, direction)

    def ask_row(
        self, output: int, weights: Array, directions: Mapping[int, Array], pushed: Pushed
    ) -> list[Question]:
        row = []
        for part, direction in directions.items():
            if part not in pushed:
                pushed[part] = self._push(part, direction)
            row.append(self._question(part, output, weights, direction, pushed[part][output]))
        return row

    def ask_aligned(self, question: Question) -> Question:
        part, output, direction = question.part, question.output, question.direction
        pushed = self._push(part, direction)[output]
        weights = self.examination.backend.copysign(question.weights, pushed)
        return adding_up(self._question(part, output, weights, direction, pushed))

    def claimed_at(
        self,
        question: Question,
        values: Sequence[Array],
        outputs: Sequence[Array] | None = None,  # noqa: ARG002 a push calls by itself
    ) -> float:
        tangent = self._push(question.part, question.direction, values)[question.output]
        return self.examination.backend.dot(question.weights, tangent)

    def answers(
        self,
        weights: Sequence[Array],
        directions: Sequence[Array],
        values: Sequence[Array] | None = None,
        outputs: Sequence[Array] | None = None,  # noqa: ARG002 a push calls by itself
    ) -> dict[tuple[int, int], Array | None]:
        pushed = [self._push(part, u, values) for part, u in enumerate(directions)]
        return {
            (part, output): pushed[part][output]
            for output in range(len(weights))
            for part in range(len(directions))
        }

    def claimed(self, output: int) -> list[Matrix]:
        return claimed_columns(self.examination, self.claim, output)

    def claimed_mix(self, output: int, mix: Matrix) -> list[Matrix]:
        return [mix @ matrix for matrix in self.claimed(output)]

    def _push(
        self, part: int, direction: Array, values: Sequence[Array] | None = None
    ) -> list[Array]:
        space = self.examination.problem.domain.parts[part]
        return self.claim.push(part, space.assemble(direction), values)

    def _question(
        self, part: int, output: int, weights: Array, direction: Array, tangent: Array
    ) -> Question:
        """Contract J u with v; a displacement d of about 2t·u counts as 2t = ⟨d, u⟩/⟨u, u⟩."""
        examination, backend = self.examination, self.examination.backend
        claimed = backend.dot(weights, tangent)
        holes = None
        if not math.isfinite(claimed) and not backend.is_finite(tangent):
            holes = tangent
            weights = weights * backend.finite_mask(tangent)
            tangent = backend.where_finite(tangent)
            claimed = backend.dot(weights, tangent)
        square = backend.dot(direction, direction)
        terms = backend.norm(weights * tangent)
        linear = ((claimed / (square or 1.0), direction),)
        functional = examination.functional(part, output, weights, linear)
        yardstick = examination.yardstick(part, functional, terms)
        return Question(
            part, output, weights, direction, functional, yardstick, claimed, None, None,
            holes=holes,
        )  # fmt: skip
