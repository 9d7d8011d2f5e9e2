"""What every probe shares: the point under examination, and one judged pair of leaves."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from .._backends.base import Array, Backend
from .._findings import Evidence, Verdict
from .._judge.judge import judge
from .._judge.yardstick import Tolerance, Yardstick, screening_for, tolerance_for
from .._measure.difference import Functional, Linear, Reading
from .._measure.line import Line, MovingLeaf
from .._measure.noise import company
from .._measure.steps import Range, steps_for
from .._problem.problem import Problem
from .._problem.trace import Trace
from .._records import quickly_made
from .._settings import GLANCE, Settings
from .._spaces.directions import Directions
from .._words.reason import Reason
from .recent import Known, Recent

if TYPE_CHECKING:
    from .._verdict.kinks import Corner
    from .failing.columns import ColumnReader
    from .failing.locate import Located
    from .full.suspects import FullPair

_MANY_LEAVES = 8  # or pairs of an output and a leaf
_ENOUGH = 3  # failures that are explained of so many leaves
_LOOKS = 128  # evaluations that looking into a failure may take then
_MANY_LOOKS = 1000  # that all failures of a problem may take together, where entries are many
_MANY_ENTRIES = 1 << 12
_LINES_TOLD = 3  # long lines of which the first rung stays known: one fails, two confirm
_PLENTY = 1 << 29  # numbers moved, evaluation by evaluation: with ten million of them, fifty calls


@dataclass(slots=True)
class Examination:
    """One problem under examination: its trace, its stream of directions, its cost limit."""

    problem: Problem
    trace: Trace
    settings: Settings
    directions: Directions
    order: int = 1
    used: float = 0.0  # the round-off that the function is used in, where it was lifted
    not_lifted: str = ""  # why it was not, where that was tried
    started: float = field(default_factory=time.perf_counter)
    explained: int = 0  # failures that were looked into so far
    explained_from: int = 0  # evaluations before the first of them was
    limit: int | None = None  # evaluations, while a failure of a large problem is looked into
    unasked: int = 0  # leaves of a large problem that were left alone after others had failed
    compared: list[FullPair] = field(default_factory=list)  # whole Jacobians that failures needed
    _steps: dict[int, Range] = field(default_factory=dict)
    _jitter: list[Array] | None = None
    scatter: list[Array] | None = None  # of the values, a rounding of the inputs away
    _bases: Known = field(default_factory=Known)  # ‖v∘F‖, by output
    _norms: Known = field(default_factory=Known)
    lines: Recent[tuple[int, Array, Line]] = field(default_factory=Recent)
    readers: Recent[ColumnReader] = field(default_factory=partial(Recent, 1))
    _units: Recent[Array] = field(default_factory=Recent)
    _others: Recent[Array] = field(default_factory=Recent)

    @property
    def backend(self) -> Backend:
        """The framework whose arrays these are."""
        return self.problem.backend

    def is_over_budget(self) -> bool:
        """Say whether the user's limit forbids looking any closer."""
        spent, seconds = self.problem.tally.evaluations, self.settings.max_seconds
        for most in (self.limit, self.settings.max_evaluations):
            if most is not None and spent >= most:
                return True
        return seconds is not None and time.perf_counter() - self.started >= seconds

    def has_done_plenty(self) -> bool:
        """Say whether so much was spent that one failure, looked into, must do for the others."""
        return self.problem.tally.evaluations * self.problem.domain.size > _PLENTY

    @property
    def only_glances(self) -> bool:
        """Say whether only what the first look settles counts: nothing is looked at closer."""
        return self.settings.probe == GLANCE

    def has_seen_enough(self, failed: int) -> bool:
        """Say whether so many leaves have failed that the others need not be asked one by one."""
        if self.only_glances:
            return failed > 0
        has_many = len(self.problem.domain.parts) > _MANY_LEAVES
        if has_many and not self.settings.explain and failed >= _ENOUGH:
            return True  # only the verdict is wanted, and it stands
        return failed > 0 and self.has_done_plenty()

    def look_into_failure(self) -> bool:
        """Say whether a failure is to be explained, and within what; the first one always is.

        Of many leaves that fail, as those of a network do together, a reader is shown a few.
        """
        is_first, has_time = self.explained == 0, not self.has_done_plenty()
        domain, codomain = self.problem.domain.parts, self.problem.codomain.parts
        has_many = len(domain) * len(codomain) > _MANY_LEAVES
        self.explained += 1
        now = self.problem.tally.evaluations
        if is_first:
            self.explained_from = now
        self.limit = None
        if not has_time:
            self.limit = now + _LOOKS
        elif self.problem.domain.size > _MANY_ENTRIES:
            self.limit = max(self.explained_from + _MANY_LOOKS, now + _LOOKS)
        return is_first or (has_time and not (has_many and self.explained > _ENOUGH))

    def leave_some_looks(self) -> None:
        """Let the search for entries not use up what the search for a cause needs."""
        if self.limit is not None:
            self.limit = max(self.limit, self.problem.tally.evaluations + _LOOKS)

    def steps(self, part: int) -> Range:
        """Return the steps that make sense for a leaf."""
        steps = self._steps.get(part)
        if steps is None:
            problem = self.problem
            space, vector = problem.domain.parts[part], problem.coordinates_of_point(part)
            sizes, outputs = problem.sizes.of_leaf(part, vector), problem.codomain.parts
            steps = steps_for(space, vector, sizes, outputs, self.settings.step)
            self._steps[part] = steps
        return steps

    def steps_of(self, part: int, place: int) -> Range:
        """Return the steps that make sense for one coordinate of a leaf that moves alone."""
        return self.steps(part).for_coordinate(place, self.point(part), self.backend)

    def step(self, part: int) -> float:
        """Return the step at which measurements of a leaf begin."""
        return self.steps(part).first

    def scale(self, part: int) -> float:
        """Return the size of a leaf's entries, in steps."""
        return self.steps(part).scale

    def unit(self, part: int, place: int) -> Array:
        """Return the direction of one coordinate."""
        return self._units.of((part, place), partial(self.problem.domain.parts[part].unit, place))

    def other_direction(self, part: int, attempt: int) -> Array:
        """Return a direction that confirms, the same for all outputs."""
        space = self.problem.domain.parts[part]
        return self._others.of((part, attempt), lambda: self.directions.draw(space))

    def line(self, part: int, direction: Array) -> Line:
        """Return the function along a direction (coordinates) of one leaf.

        Asked again it is the same one, which remembers its rungs: outputs are asked one by one.
        """

        def made() -> tuple[int, Array, Line]:
            # the direction lives on, and its identity with it
            return part, direction, self.joint_line({part: direction}, {part: 1.0})

        return self.lines.of((part, id(direction)), made)[-1]

    def joint_line(self, directions: Mapping[int, Array], paces: Mapping[int, float]) -> Line:
        """Return the function along directions of several leaves, each at a pace of its own."""
        spaces = self.problem.domain.parts
        movers = []
        for part, direction in directions.items():
            movers.append(MovingLeaf(spaces[part], self.point(part), direction, paces[part]))
        line = Line(partial(self.problem.evaluate, list(directions)), movers, self.trace.vectors)
        if not line.is_short:
            self._forget_long_lines()
        return line

    def _forget_long_lines(self) -> None:
        """On long vectors every copy that lives on counts: of a line that was walked one rung."""
        known = [one for one in self.lines.taken() if one[-1].knows(self.step(one[0]))]
        for part, direction, line in known[-_LINES_TOLD:]:
            told = part, direction, line.only_at(self.step(part))
            self.lines.keep((part, id(direction)), told)

    def with_jitter(self, functional: Functional) -> Functional:
        """Take what the function does not repeat of itself at the point for noise like any other.

        Asked once, when something does not fit: two more calls at the very same point.
        """
        jitter = self.backend.norm(self.repeated()[functional.output] * functional.weights)
        return replace(functional, base=functional.base + 2 * jitter / functional.roundoff)

    def repeated(self) -> list[Array]:
        """Return how far two more calls at the very same point are from the first, per output."""
        if self._jitter is None:
            again = [self.problem.evaluate([], []) for _ in range(2)]
            self._jitter = [
                self.backend.absolute(one - base) + self.backend.absolute(other - base)
                for one, other, base in zip(*again, self.trace.vectors, strict=True)
            ]
        return self._jitter

    def is_restless(self) -> bool:
        """Say whether the function was seen to disagree with itself."""
        if self._jitter is None:
            return False
        return any(self.backend.largest(one) > 0 for one in self._jitter)

    def unrepeated(self, output: int) -> Array | float:
        """Return by how much each entry of an output was seen to disagree with itself so far."""
        return 0.0 if self._jitter is None else self.backend.to_numpy(self._jitter[output])

    def roundoff(self, part: int, output: int) -> float:
        """Return the coarser round-off of an input leaf and an output leaf."""
        domain, codomain = self.problem.domain, self.problem.codomain
        return max(domain.parts[part].roundoff, codomain.parts[output].roundoff)

    def tolerance(self, part: int, output: int) -> Tolerance:
        """Return what is forgiven to single entries of a pair of leaves."""
        return tolerance_for(self.settings, self.roundoff(part, output), self.used)

    def point(self, part: int) -> Array:
        """Return the coordinates of the point in one leaf."""
        return self.problem.coordinates_of_point(part)

    def functional(self, part: int, output: int, weights: Array, linear: Linear) -> Functional:
        """Return ⟨weights, output⟩ minus a linear function, with what its noise is relative to."""
        vector, backend = self.trace.vectors[output], self.problem.backend
        base = self._bases.of(weights, output)
        if base is None:  # the same for all leaves
            base = backend.norm_of_product(vector, weights)
            if self.problem.is_gradient:
                base = max(base, company(self.problem, output) * backend.norm(weights))
            self._bases.keep(weights, output, base)
        return Functional(
            output,
            weights,
            linear,
            base,
            self.steps(part).reach,
            self.roundoff(part, output),
            lambda: backend.largest(vector),
            vector,
        )

    def norm(self, vector: Array) -> float:
        """Return the norm of a vector that is asked for often, computed once."""
        if (norm := self._norms.of(vector)) is None:
            norm = self.backend.norm(vector)
            self._norms.keep(vector, 0, norm)
        return norm

    @property
    def forgives(self) -> bool:
        """Say whether the user has said how far off an entry may be."""
        return self.settings.rtol is not None or self.settings.atol is not None

    def yardstick(
        self, part: int, functional: Functional, terms: float, *, is_absent: bool = False
    ) -> Yardstick:
        """Return what the readings of a functional are held against."""
        tolerance = screening_for(self.settings, functional.roundoff, self.used)
        size = functional.base / self.steps(part).longest
        return Yardstick(terms, size, functional.roundoff, tolerance, is_absent)


@quickly_made
@dataclass(frozen=True)
class Judged:
    """One pair of leaves, judged along one direction."""

    evidence: Evidence
    reading: Reading | None  # None: no step stayed inside the domain
    corner: Corner | None = None  # the function's shape at the point, where that was looked at
    notes: tuple[Reason, ...] = ()
    resolution: float | None = None  # the smallest error that would have shown
    located: Located | None = None  # where it is wrong, if that had to be known to judge it

    @cached_property
    def verdict(self) -> Verdict:
        """What the judge says of it."""
        return judge(self.evidence)

    @property
    def is_at_kink(self) -> bool:
        """Say whether the line has a kink in the very outputs asked about."""
        return self.corner is not None and self.corner.is_kink

    @property
    def is_smooth(self) -> bool:
        """Say whether the line was looked at for kinks and jumps at the point, and has none."""
        return self.corner is not None and self.corner.is_smooth
