"""Reverse mode asks by pulling cotangents back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..._backends.base import Array
from ..._claims.base import ClaimRaised
from ..._claims.reverse import Pulled, ReverseClaim
from ..._measure.difference import Functional
from ..base import Examination
from .claimed import claimed_rows, stacked
from .columns import Matrix
from .question import Mode, Pushed, Question, adding_up


class ReverseMode(Mode):
    """Questions answered by pulling cotangents back."""

    words = "reverse-mode gradient"
    pulls = True

    def __init__(self, examination: Examination, claim: ReverseClaim) -> None:
        super().__init__(examination)
        self.claim = claim
        self.pulleds: list[Pulled] = []

    @classmethod
    def of(cls, examination: Examination, *, is_watched: bool = True) -> ReverseMode:
        """Return the mode of what the framework claims about an examination's function."""
        problem, trace = examination.problem, examination.trace
        return cls(examination, ReverseClaim(problem, trace, is_watched=is_watched))

    def prepare(self, weights: Sequence[Array]) -> None:
        self.pulleds = list(map(self.claim.pull_vector, range(len(weights)), weights))

    def ask_prepared(self, part: int, direction: Array) -> list[Question]:
        return [self._question(part, pulled, direction) for pulled in self.pulleds]

    def ask(self, part: int, output: int, weights: Array, direction: Array) -> Question:
        return self._question(part, self.claim.pull_vector(output, weights), direction)

    def claimed_mix(self, output: int, mix: Matrix) -> list[Matrix]:
        space, vector = (
            self.examination.problem.codomain.parts[output],
            self.examination.backend.vector,
        )
        rows = [vector(row.copy(), space.reference) for row in mix]
        pulled = [self.claim.pull_vector(output, row).gradients for row in rows]
        return stacked(self.examination, pulled)

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
        is_same = question.gradient is question.pulled.gradients[question.part]
        functional = question.functional if is_same else None
        return self._question(question.part, question.pulled, direction, functional)

    def ask_row(
        self,
        output: int,
        weights: Array,
        directions: Mapping[int, Array],
        pushed: Pushed,  # noqa: ARG002 forward mode's
    ) -> list[Question]:
        (first, direction), *others = directions.items()
        asked = self.ask(first, output, weights, direction)
        return [asked, *(self.ask_along(replace(asked, part=k), u) for k, u in others)]

    def ask_aligned(self, question: Question) -> Question:
        if question.gradient is None:
            return replace(question, is_aligned=True)
        if question.direction.shape[0] == 1:  # the same line, on which there is one term
            return adding_up(question)
        aligned = self.examination.backend.copysign(question.direction, question.gradient)
        return adding_up(self.ask_along(question, aligned))

    def claimed_of(self, question: Question, weights: Array, direction: Array) -> float:
        gradient = self.claim.pull_vector(question.output, weights).gradients[question.part]
        claimed = 0.0 if gradient is None else self.examination.backend.dot(gradient, direction)
        # what is not finite is left out of a question
        is_whole = math.isfinite(claimed)
        return claimed if is_whole else super().claimed_of(question, weights, direction)

    def claimed_at(
        self, question: Question, values: Sequence[Array], outputs: Sequence[Array] | None = None
    ) -> float:
        pulled = self.claim.pull_at(values, question.output, question.weights, outputs)
        gradient = pulled[question.part]
        backend = self.examination.backend
        return 0.0 if gradient is None else backend.dot(gradient, question.direction)

    def directions(self) -> Sequence[Array]:
        for space in self.examination.problem.domain.parts:
            self.examination.directions.skip(space)
        return ()

    def answers(
        self,
        weights: Sequence[Array],
        directions: Sequence[Array],  # noqa: ARG002 forward mode's
        values: Sequence[Array] | None = None,
        outputs: Sequence[Array] | None = None,
    ) -> dict[tuple[int, int], Array | None]:
        pull_at = self.claim.pull_at
        pulled = (
            [one.gradients for one in self.pulleds]
            if values is None
            else [pull_at(values, output, v, outputs) for output, v in enumerate(weights)]
        )
        return {
            (part, output): gradient
            for output, gradients in enumerate(pulled)
            for part, gradient in enumerate(gradients)
        }

    def claimed(self, output: int) -> list[Matrix]:
        return claimed_rows(self.examination, self.claim, output, self.batching)

    def _question(
        self, part: int, pulled: Pulled, direction: Array, functional: Functional | None = None
    ) -> Question:
        examination, backend = self.examination, self.examination.problem.backend
        gradient, output = pulled.gradients[part], pulled.output
        if gradient is None:
            functional = examination.functional(part, output, pulled.cotangent, ())
            yardstick = examination.yardstick(part, functional, 0.0, is_absent=True)
            return Question(
                part, output, pulled.cotangent, direction, functional, yardstick, 0.0, None, pulled,
                is_absent=True,
            )  # fmt: skip
        ((claimed, terms),) = backend.products([(gradient, direction)])
        holes = None
        if not math.isfinite(terms) and not backend.is_finite(gradient):
            holes = gradient
            direction = direction * backend.finite_mask(gradient)
            gradient = backend.where_finite(gradient)
            ((claimed, terms),) = backend.products([(gradient, direction)])
        if functional is None or holes is not None:
            linear = ((1.0, gradient),)
            functional = examination.functional(part, output, pulled.cotangent, linear)
        yardstick = examination.yardstick(part, functional, terms)
        return Question(
            part, output, pulled.cotangent, direction, functional, yardstick, claimed, gradient,
            pulled, holes=holes,
        )  # fmt: skip
