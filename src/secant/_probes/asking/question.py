"""A question about one pair of leaves, and what it takes to ask it, whatever the mode.

Reverse mode pulls, forward mode pushes, each in a file of its own. Everything else works on
questions alone and does not know which mode they came from.
"""

from __future__ import annotations

import abc
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..._backends.base import Array
from ..._claims.reverse import Pulled
from ..._judge.yardstick import Yardstick
from ..._measure.difference import Functional
from ..._records import quickly_made
from ..base import Examination
from .columns import Batching, Matrix


@quickly_made
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
    is_aligned: bool = False  # all terms of the claim add up
    holes: Array | None = None  # the claim as it came, where it is not finite everywhere

    @property
    def has_holes(self) -> bool:
        """Say whether the claim is not finite everywhere; u or v avoids those entries."""
        return self.holes is not None


Pushed = dict[int, list[Array]]  # by leaf, the tangents of all outputs

_ORDERS = ("", "", "second-order ", "third-order ")


class Mode(abc.ABC):
    """One mode of differentiation, turned into questions."""

    words: str  # what is judged, as findings say it
    pulls: bool  # cotangents, to vectors of inputs; else it pushes tangents to outputs

    def __init__(self, examination: Examination) -> None:
        self.examination = examination
        order = examination.order
        self.subject = (_ORDERS[order] if order < 4 else f"order-{order} ") + self.words

    @functools.cached_property
    def batching(self) -> Batching:
        """Whether the framework's batching still works here; only `full` ever asks."""
        return Batching.of(self.examination.problem)

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
    def ask_row(
        self, output: int, weights: Array, directions: Mapping[int, Array], pushed: Pushed
    ) -> list[Question]:
        """Ask one cotangent of several leaves, along a direction each.

        Reverse mode pulls once for all of them. Forward mode pushes only what is not in `pushed`
        yet, which the caller keeps for as long as the directions are the same.
        """

    @abc.abstractmethod
    def ask_aligned(self, question: Question) -> Question:
        """Ask along signs that make all terms of the claim add up: nothing cancels in the sum."""

    def claimed_of(self, question: Question, weights: Array, direction: Array) -> float:
        """Return what is claimed about a question's leaves with other cotangents and directions."""
        return self.ask(question.part, question.output, weights, direction).claimed

    @abc.abstractmethod
    def claimed_at(
        self, question: Question, values: Sequence[Array], outputs: Sequence[Array] | None = None
    ) -> float:
        """Return what is claimed about the same question at other values of the leaves.

        `outputs` are what the function has answered there, where it was called already.
        """

    @abc.abstractmethod
    def answers(
        self,
        weights: Sequence[Array],
        directions: Sequence[Array],
        values: Sequence[Array] | None = None,
        outputs: Sequence[Array] | None = None,
    ) -> dict[tuple[int, int], Array | None]:
        """Return the claimed vectors by (part, output), at the point or at other values.

        Reverse mode pulls the weights, through the call that gave `outputs` if there was one;
        forward mode pushes the directions.
        """

    @abc.abstractmethod
    def claimed(self, output: int) -> list[Matrix]:
        """Return one output's claimed Jacobians, (outputs, inputs), one per leaf."""

    @abc.abstractmethod
    def claimed_mix(self, output: int, mix: Matrix) -> list[Matrix]:
        """Return mixtures (rows) of one output's claimed Jacobians, one matrix per leaf."""

    def accepts_only_all(self) -> bool:
        """Say whether the claim answers only if every output has a cotangent."""
        return False

    def dtype_name(self) -> str:
        """Return the coarsest dtype involved, as the user writes it."""
        problem = self.examination.problem
        spaces = [*problem.domain.parts, *problem.codomain.parts]
        coarsest = max(spaces, key=lambda space: space.roundoff)
        return self.examination.backend.dtype_name(coarsest.reference)

    def ask_afresh(self, part: int, output: int) -> Question:
        """Ask about a pair of leaves with fresh, independent directions u and v."""
        problem, directions = self.examination.problem, self.examination.directions
        weights = directions.draw(problem.codomain.parts[output])
        return self.ask(part, output, weights, directions.draw(problem.domain.parts[part]))

    def directions(self) -> Sequence[Array]:
        """Return directions of all leaves for `answers`, where the mode pushes them."""
        drawn = self.examination.directions
        return [drawn.draw(space) for space in self.examination.problem.domain.parts]


def adding_up(question: Question) -> Question:
    """Return an aligned question; what is forgiven is then a share of the sum itself."""
    terms = max(question.yardstick.terms, abs(question.claimed))
    yardstick = replace(question.yardstick, terms=terms, norm=question.yardstick.terms)
    return replace(question, yardstick=yardstick, is_aligned=True)
