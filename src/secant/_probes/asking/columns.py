"""Whole Jacobians of a pair of leaves as measured, column by column; `claimed.py` has the rows.

Both go through the framework's batching where it works, chunked to the memory budget, and through
a loop where it does not. Each coordinate has a step of its own, scaled to its size, and each column
is divided by the displacement that really exists in the dtype.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..._backends.base import Array
from ..._constants import SPREADS
from ..._errors import FunctionRaised
from ..._measure.noise import expected_bar, modelled
from ..._problem.problem import Problem
from ..base import Examination

Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]
WORTH_BATCHING = 4  # below this a loop is cheaper than setting up a batch
_LIVE_COPIES = 8  # how many arrays of a batch's size a typical function keeps alive


@dataclass(frozen=True, slots=True)
class Columns:
    """Some columns of the measured Jacobian for every output, as (columns, outputs) matrices."""

    places: list[int]
    measured: list[Matrix]
    error: list[Matrix]
    right: list[Matrix]  # one-sided slopes, for kinks
    left: list[Matrix]
    gap_far: list[Matrix]  # |right − left| at twice the step
    size: list[Matrix]  # what an entry may be expected to be, by the others of its row
    noise: list[Matrix]  # the modelled round-off
    longer: float = field(default=1.0, kw_only=True)  # than the first steps, by this factor

    def standing_out(self, output: int) -> Matrix:
        """Return what entries may be expected to be by what stands out from its bar."""
        size = self.size[output]
        shown = np.maximum(np.abs(self.measured[output]) - self.error[output], 0.0)
        shares = np.where(size > 0, shown, 0.0) / np.where(size > 0, size, 1.0)
        largest: Matrix = size * np.nan_to_num(shares).max(axis=0, initial=0.0, keepdims=True)
        return largest


@dataclass(slots=True)
class Batching:
    """Whether the framework's batching still works for this problem."""

    forward: bool = True
    backward: bool = True
    was_used: bool = False

    @classmethod
    def of(cls, problem: Problem) -> Batching:
        """Return whether batching may be tried: batches of sparse arrays do not exist."""
        spaces = (*problem.domain.parts, *problem.codomain.parts)
        is_possible = all(space.can_be_batched for space in spaces)
        return cls(forward=is_possible, backward=is_possible)


def measured_columns(
    examination: Examination,
    part: int,
    batching: Batching,
    wanted: Sequence[int] | None = None,
    nearness: Array | None = None,
) -> Iterator[Columns]:
    """Yield ∂(every output)/∂leaf as measured, some columns at a time.

    At first steps, longer ones where these are too noisy, or at a share of them.
    """
    problem = examination.problem
    size = problem.domain.parts[part].size
    everything = list(range(size)) if wanted is None else list(wanted)
    widest = max([size, *(space.size for space in problem.codomain.parts)])
    stencil = Stencil(examination, part, 1.0 if nearness is None else nearness)
    for slots in chunks(examination, len(everything), 4 * widest):
        places = [everything[slot] for slot in slots]
        columns = stencil.columns(places, stencil.values(places, batching))
        longer = stencil.quieter(columns) if nearness is None else 1.0
        if longer > 1.0:
            stencil = Stencil(examination, part, longer)
            columns = stencil.columns(places, stencil.values(places, batching))
            columns = replace(columns, longer=longer)
        yield columns


class Stencil:
    """The four points of every coordinate of one leaf, and the displacements that exist there."""

    def __init__(self, examination: Examination, part: int, shrink: float | Array) -> None:
        self.examination = examination
        self.part = part
        backend, problem = examination.backend, examination.problem
        self.space = problem.domain.parts[part]
        self.point = examination.point(part)
        ranges = self.ranges = examination.steps(part)
        self.sizes = self.point * 0 + ranges.scale if ranges.own is None else ranges.own
        steps = self._rounded(shrink * ranges.for_columns(self.point, backend))
        ahead = self._rounded(self.point + steps)
        moved = ahead - self.point
        self.points = (
            ahead,
            self._rounded(self.point - moved),
            self._rounded(self.point + 2 * moved),
            self._rounded(self.point - 2 * moved),
        )

    def _rounded(self, vector: Array) -> Array:
        return self.space.coordinates(self.space.assemble(vector))

    def quieter(self, columns: Columns) -> float:
        """Return by how much longer steps must be for the modelled noise to be comfortable.

        1 where it is so already, or where no step is.
        """
        examination, wanted = self.examination, 1.0
        for output, (noise, size) in enumerate(zip(columns.noise, columns.size, strict=True)):
            comfortable = examination.tolerance(self.part, output).comfortable
            with np.errstate(divide="ignore", invalid="ignore"):
                shares = np.where(size > 0, noise / (comfortable * size), 0.0)
            if shares.max(initial=0.0) <= wanted:
                continue  # so is their median
            wanted = max(wanted, float(np.median(shares.max(axis=1, initial=0.0))))
        longest = self.ranges.longest / self.ranges.first
        if not 2.0 < 2 * wanted <= longest:
            return 1.0
        return float(2.0 ** np.ceil(np.log2(2 * wanted)))

    def values(self, places: Sequence[int], batching: Batching) -> list[Matrix]:
        """Return the outputs at the four points of each coordinate, (4·columns, outputs)."""
        backend, problem = self.examination.backend, self.examination.problem
        moved = [backend.select(point, places) for point in self.points]
        if batching.forward and len(places) >= WORTH_BATCHING:
            rows = [backend.rows_with(self.point, places, value) for value in moved]
            batch = backend.unflatten_batch(backend.join(rows), self.space.reference)
            try:
                answers = problem.evaluate_batch(self.part, batch)
                batching.was_used = True
                return [backend.to_numpy(answer) for answer in answers]
            except Exception:  # whatever a batching rule raises, a loop will do
                batching.forward = False
        return self._one_by_one(places, moved)

    def _one_by_one(self, places: Sequence[int], moved: Sequence[Array]) -> list[Matrix]:
        backend, problem = self.examination.backend, self.examination.problem
        blocks: list[list[np.ndarray]] = [[] for _ in problem.codomain.parts]
        for point in moved:
            for k, place in enumerate(places):
                row = backend.rows_with(self.point, [place], point[k])[0]
                try:
                    answers = problem.evaluate([self.part], [self.space.value(row)])
                except FunctionRaised:
                    answers = [vector * np.nan for vector in self.examination.trace.vectors]
                for block, answer in zip(blocks, answers, strict=True):
                    block.append(backend.to_numpy(answer))
        return [np.stack(block) for block in blocks]

    def columns(self, places: list[int], values: Sequence[Matrix]) -> Columns:
        """Turn values at the stencil's points into slopes with bars."""
        backend = self.examination.backend
        numbers = [backend.to_numpy(one) for one in (self.point, *self.points, self.sizes)]
        answer = Columns(places, [], [], [], [], [], [], [])
        for output, value in enumerate(values):
            point, ahead, behind, ahead2, behind2, sizes = (
                self.at(one, places, output) for one in numbers
            )
            base = backend.to_numpy(self.examination.trace.vectors[output])[None, :]
            plus, minus, plus2, minus2 = value.reshape(4, len(places), value.shape[1])
            near = (plus - minus) / (ahead - behind)
            far = (plus2 - minus2) / (ahead2 - behind2)
            roundoff = self.examination.roundoff(self.part, output)
            murmur = modelled(roundoff, 1.0, 1.0) * (np.abs(base) + np.abs(near * point))
            noise = (murmur + self.examination.unrepeated(output)) / np.abs(ahead - point)
            size = expected(near, sizes)
            is_still = (plus == base) & (minus == base)
            answer.measured.append((4 * near - far) / 3)
            answer.error.append(bars_of(np.abs(near - far), noise, size, is_still, roundoff))
            answer.size.append(size)
            answer.noise.append(noise)
            answer.right.append((plus - base) / (ahead - point))
            answer.left.append((base - minus) / (point - behind))
            gap = (plus2 - base) / (ahead2 - point) - (base - minus2) / (point - behind2)
            answer.gap_far.append(np.abs(gap))
        return answer

    def at(self, vector: np.ndarray, places: Sequence[int], output: int) -> np.ndarray:  # noqa: ARG002 the same for all
        """Return what moves in each column, as seen by an output: (columns, 1 or outputs)."""
        column: np.ndarray = vector[places][:, None]
        return column


def expected(slopes: Matrix, sizes: Matrix) -> Matrix:
    """Return the size of entries beside the others of their row, in units of their own columns.

    What output j moves by when input i changes by its own size, for the i that moves it most, over
    the size of the entry's own input: units of inputs and outputs cancel.
    """
    moved = np.where(np.isfinite(slopes), np.abs(slopes), 0.0) * sizes
    expected: Matrix = moved.max(axis=0, initial=0.0, keepdims=True) / sizes
    return expected


def bars_of(
    spread: Matrix, noise: Matrix, size: Matrix, is_still: np.ndarray, roundoff: float
) -> Matrix:
    """Return the bars of entries: by their spread, but no less than round-off makes of them."""
    spread = np.where(is_still, 0.0, pooled(spread, size))  # no luck makes an entry stand still
    bars: Matrix = np.maximum(SPREADS * spread, np.maximum(noise, expected_bar(roundoff) * size))
    return bars


def pooled(spread: Matrix, size: Matrix) -> Matrix:
    """Let no entry's bar be far below its column's: a single difference can be small by luck.

    Entries of one column are laid side by side in units of what may be expected of each.
    """
    if not spread.size:
        return spread
    is_known = size > 0
    shares = np.where(is_known, spread, 0.0) / np.where(is_known, size, 1.0)
    with np.errstate(invalid="ignore"):
        typical = np.sqrt(np.mean(shares**2, axis=1, keepdims=True))
    pooled: Matrix = np.maximum(spread, 0.1 * typical * size)
    return pooled


def chunks(examination: Examination, count: int, width: int) -> Iterator[list[int]]:
    """Split coordinates such that a chunk's arrays stay within the memory budget."""
    rows = max(1, int(examination.settings.memory // (8 * _LIVE_COPIES * max(width, 1))))
    for start in range(0, count, rows):
        yield list(range(start, min(start + rows, count)))
