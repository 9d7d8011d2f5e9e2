"""Jacobians that are block-diagonal along shared axes, compared whole for the price of one block.

All blocks (`blocks.py`) are asked at once, each entry moved by a random share of the leaf's step,
every cotangent weighted at random:

    measured[o, c] = Jₒᵢ + Σ J_ok·m_k/mᵢ,      claimed[o, c] = Jₒᵢ + Σ J_ok·w_b/w_o

with i the coordinate of colour c in the block of o, and k those of other blocks. Nothing is assumed
about these: what is outside the blocks on either side, and not alike on both, makes the two
disagree, by a third of it at least: moves and weights lie between 1/2 and 3/2. Only agreement
counts. Anything else, a kink or a wide bar included, is left to the probe that asks entry by entry.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from ..._constants import KAPPA
from ..._errors import FunctionRaised
from ..._findings import Verdict
from ..asking.columns import Columns, Matrix, Stencil
from ..asking.reverse import ReverseMode
from ..base import Examination
from .blocks import Blocks, any_axes, find_blocks
from .pair import examine_stillness, first_sight, say_what_hides
from .suspects import FullPair

_APART = 3.0  # moves and weights are drawn from 1/2 to 3/2: none is more times another


def judge_coloured(mode: ReverseMode, parts: Sequence[int]) -> list[FullPair] | None:
    """Judge every entry of some leaves' Jacobians block by block; None unless all of them agree."""
    found = find_blocks(mode, parts, any_axes)
    return None if found is None else judge_blocks(mode, found)


def judge_blocks(mode: ReverseMode, found: Mapping[int, Sequence[Blocks]]) -> list[FullPair] | None:
    """Judge some leaves' Jacobians by their blocks; None unless all of them agree."""
    pairs: list[FullPair] = []
    for part, blocks in found.items():
        judged = _judge_leaf(mode, part, blocks)
        if judged is None:
            return None
        pairs += judged
    return pairs


def _judge_leaf(mode: ReverseMode, part: int, blocks: Sequence[Blocks]) -> list[FullPair] | None:
    examination = mode.examination
    claimed = [_claimed(mode, part, output, one) for output, one in enumerate(blocks)]
    stencil, chunk = _measured(examination, part, blocks)
    if chunk is None:
        return None
    pairs = []
    for output, (matrix, one) in enumerate(zip(claimed, blocks, strict=True)):
        pair = FullPair(output, part, matrix, is_forgiven=examination.forgives)
        pair.total = len(one.inputs) * len(one.outputs)
        is_clear = np.isfinite(matrix).all() and not first_sight(examination, pair, chunk)
        _promise_outside(pair, chunk)
        if is_clear and not pair.has_moved:
            examine_stillness(mode, pair)
        say_what_hides(pair)
        if not is_clear or pair.kinked or pair.verdict is not Verdict.PASS:
            return None
        if 3 * 8 * pair.total <= examination.settings.memory:
            pair.whole = partial(_spread_out, matrix, chunk, output, one, stencil.moves)
        pairs.append(pair)
    return pairs


def _promise_outside(pair: FullPair, chunk: Columns) -> None:
    """Widen the promise to entries outside the blocks, which show in units of other entries."""
    tolerance = pair.tolerance
    if not pair.resolution or tolerance is None:
        return
    widest = (KAPPA + 1) * chunk.error[pair.output] + tolerance.atol
    outside = _APART * float((widest + tolerance.rtol * np.abs(pair.claimed.T)).max())
    pair.coarseness *= max(outside / pair.resolution, 1.0)
    pair.resolution = max(outside, pair.resolution)


def _claimed(mode: ReverseMode, part: int, output: int, blocks: Blocks) -> Matrix:
    """Return the claimed Jacobian, (outputs, colours), one pull for each colour of the output."""
    examination, backend = mode.examination, mode.examination.backend
    space = examination.problem.codomain.parts[output]
    claimed = np.zeros((len(blocks.outputs), blocks.colours))
    count = int(blocks.outputs.max(initial=0)) + 1
    if count == 1:  # the pull that is there already has random weights
        pulled = mode.pulleds[output]
        gradient, weights = pulled.gradients[part], backend.to_numpy(pulled.cotangent)
        if gradient is not None:
            claimed[:] = (backend.to_numpy(gradient)[blocks.partner] / weights).T
        return claimed
    for colour in range(count):
        is_own = blocks.outputs == colour
        weights = backend.to_numpy(examination.directions.draw(space)) * is_own
        pulled = mode.claim.pull_vector(output, backend.vector(weights, space.reference))
        if (gradient := pulled.gradients[part]) is not None:
            numbers = backend.to_numpy(gradient)[blocks.partner[:, is_own]]
            claimed[is_own] = (numbers / weights[is_own]).T
    return claimed


def _measured(
    examination: Examination, part: int, blocks: Sequence[Blocks]
) -> tuple[_ColouredStencil, Columns | None]:
    stencil = _ColouredStencil(examination, part, blocks)
    columns = stencil.measured()
    longer = 1.0 if columns is None else stencil.quieter(columns)
    if longer > 1.0:
        stencil = _ColouredStencil(examination, part, blocks, longer)
        columns = stencil.measured()
    return stencil, columns


class _ColouredStencil(Stencil):
    """The four points of every coordinate, all coordinates of one colour moved at once."""

    def __init__(
        self, examination: Examination, part: int, blocks: Sequence[Blocks], shrink: float = 1.0
    ) -> None:
        ranges = examination.steps(part)
        drawn = examination.directions.draw(examination.problem.domain.parts[part])
        own = ranges.for_columns(examination.point(part), examination.backend)
        super().__init__(examination, part, shrink * drawn * ranges.first / own)  # of one size
        self.blocks = blocks
        to_numpy = examination.backend.to_numpy
        self.moves = np.abs(to_numpy(self.points[0]) - to_numpy(self.point))

    def measured(self) -> Columns | None:
        """Return the slopes of all outputs along all colours; None where the function raises."""
        backend, problem = self.examination.backend, self.examination.problem
        point, points = backend.to_numpy(self.point), map(backend.to_numpy, self.points)
        rows: list[list[np.ndarray]] = [[] for _ in self.blocks]
        colours, own = range(self.blocks[0].colours), self.blocks[0].inputs
        for moved, is_own in itertools.product(points, [own == colour for colour in colours]):
            there = np.where(is_own, moved, point)
            value = self.space.value(backend.vector(there, self.space.reference))
            try:
                answers = problem.evaluate([self.part], [value])
            except FunctionRaised:
                return None
            for row, answer in zip(rows, answers, strict=True):
                row.append(backend.to_numpy(answer).copy())
        return self.columns(list(colours), [np.stack(row) for row in rows])

    def at(self, vector: np.ndarray, places: Sequence[int], output: int) -> np.ndarray:  # noqa: ARG002 all colours
        chosen: np.ndarray = vector[self.blocks[output].partner]
        return chosen


def _spread_out(
    claimed: Matrix, chunk: Columns, output: int, blocks: Blocks, moves: np.ndarray
) -> tuple[Matrix, Matrix, Matrix]:
    """Return a Jacobian as claimed, as measured, and its bars, block by block made whole."""
    places = np.arange(len(blocks.outputs))[:, None], blocks.partner.T
    shape = len(blocks.outputs), len(blocks.inputs)
    spread, measured = np.zeros(shape), np.zeros(shape)
    spread[places], measured[places] = claimed, chunk.measured[output].T
    error = chunk.error[output] * moves[blocks.partner]
    return spread, measured, error.T[:, blocks.inputs] / moves
