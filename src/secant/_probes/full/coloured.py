"""Jacobians that are block-diagonal along shared axes, compared whole for the price of one block.

An elementwise function has one block for each entry, a softmax one for each row, a sum along axes
one for each place of the others. Axes along which the *claim* is diagonal are found by pulls: with
v scaled by a random s along an axis of the output, Jᵀ v is scaled by the same s along the axis of
the leaf. Then all blocks are asked at once, each entry moved by a random share of the leaf's step,
every cotangent weighted at random:

    measured[o, c] = Jₒᵢ + Σ J_ok·m_k/mᵢ,      claimed[o, c] = Jₒᵢ + Σ J_ok·w_b/w_o

with i the coordinate of colour c in the block of o, and k those of other blocks. Nothing is assumed
about these: what is outside the blocks on either side, and not alike on both, makes the two
disagree, by a third of it at least: moves and weights lie between 1/2 and 3/2. Only agreement
counts. Anything else, a kink or a wide bar included, is left to the probe that asks entry by entry.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..._constants import KAPPA
from ..._errors import FunctionRaised
from ..._findings import Verdict
from ..._spaces.dense import DenseSpace
from ..asking.columns import Columns, Matrix, Stencil
from ..asking.reverse import ReverseMode
from ..base import Examination
from .pair import examine_stillness, first_sight, say_what_hides
from .suspects import FullPair

_MOST_COLOURS = 8  # of a leaf: four evaluations each
_MOST_PULLS = 64  # of an output
_APART = 3.0  # moves and weights are drawn from 1/2 to 3/2: none is more times another
_FEW = 1 << 12  # coordinates of leaves whose blocks are kept by shape
_SAME = 1e-9  # of the largest entry: gradients that are the same, up to rounding

Axes = tuple[tuple[int, int], ...]  # of the leaf and of the output, along which J is diagonal


@dataclass(frozen=True, slots=True)
class Blocks:
    """Which coordinates of a leaf and of an output share a block, and their places in it."""

    inputs: np.ndarray  # the colour of each coordinate of the leaf
    outputs: np.ndarray  # the colour of each output
    partner: np.ndarray  # (colours, outputs): the coordinate of a colour in the output's block

    @property
    def colours(self) -> int:
        """How many directions of the leaf show all columns."""
        return len(self.partner)


def judge_coloured(mode: ReverseMode, parts: Sequence[int]) -> list[FullPair] | None:
    """Judge every entry of some leaves' Jacobians block by block; None unless all of them agree."""
    examination, problem = mode.examination, mode.examination.problem
    spaces = (*problem.domain.parts, *problem.codomain.parts)
    if examination.settings.pictures or not examination.trace.is_differentiable:
        return None
    if any(type(one) is not DenseSpace or not one.size or not one.is_exact for one in spaces):
        return None
    pairs: list[FullPair] = []
    found: dict[int, list[Blocks]] = {}
    for part in parts:
        blocks = _blocks_of_leaf(mode, part)
        if blocks is None or examination.steps(part).own is not None:
            return None
        found[part] = blocks
    for part, blocks in found.items():
        judged = _judge_leaf(mode, part, blocks)
        if judged is None:
            return None
        pairs += judged
    return pairs


# -- structure -----------------------------------------------------------------------------------


def _blocks_of_leaf(mode: ReverseMode, part: int) -> list[Blocks] | None:
    """Return one leaf's blocks with every output, coloured alike; None where there are too many."""
    problem = mode.examination.problem
    inside = problem.domain.parts[part].shape
    every = [_axes(mode, part, output) for output in range(len(problem.codomain.parts))]
    shared = set.intersection(*({one for one, _ in axes} for axes in every))
    blocks = []
    for axes, space in zip(every, problem.codomain.parts, strict=True):
        common = tuple(pair for pair in axes if pair[0] in shared)
        colours = math.prod(inside) / math.prod(inside[one] for one, _ in common)
        pulls = math.prod(space.shape) / math.prod(inside[one] for one, _ in common)
        if not 0 < colours <= _MOST_COLOURS or not 0 < pulls <= _MOST_PULLS:
            return None
        make = _kept_blocks if max(math.prod(inside), math.prod(space.shape)) <= _FEW else _blocks
        blocks.append(make(inside, space.shape, common))
    return blocks


def _axes(mode: ReverseMode, part: int, output: int) -> Axes:
    """Return the axes along which a claim is diagonal, each with its own of the output."""
    problem = mode.examination.problem
    inside, outside = problem.domain.parts[part].shape, problem.codomain.parts[output].shape
    if inside == outside:
        all_of_them = tuple(zip(range(len(inside)), range(len(outside)), strict=True))
        if _is_diagonal(mode, part, output, all_of_them):
            return all_of_them
    found: list[tuple[int, int]] = []
    for one, other in itertools.product(range(len(inside)), range(len(outside))):
        is_free = all(one != a and other != b for a, b in found)
        is_fit = is_free and inside[one] == outside[other] > 1
        if is_fit and _is_diagonal(mode, part, output, ((one, other),)):
            found.append((one, other))
    return tuple(found)


def _is_diagonal(mode: ReverseMode, part: int, output: int, axes: Axes) -> bool:
    """Say whether scaling the cotangent along axes scales the gradient along the leaf's own."""
    examination = mode.examination
    backend, problem = examination.backend, examination.problem
    inside, outside = problem.domain.parts[part], problem.codomain.parts[output]
    pulled = mode.pulleds[output]
    if (before := pulled.gradients[part]) is None:
        return False
    lengths = [inside.shape[one] for one, _ in axes]
    scale = _numbers(examination, output, math.prod(lengths)).reshape(lengths)
    given = backend.to_numpy(pulled.cotangent) * _along(scale, [k for _, k in axes], outside.shape)
    after = mode.claim.pull_vector(output, backend.vector(given, outside.reference))
    if (gradient := after.gradients[part]) is None:
        return False
    due = backend.to_numpy(before) * _along(scale, [k for k, _ in axes], inside.shape)
    apart = np.abs(backend.to_numpy(gradient) - due).max(initial=0.0)
    return bool(apart <= _SAME * np.abs(due).max(initial=0.0))


def _along(scale: np.ndarray, axes: Sequence[int], shape: Sequence[int]) -> np.ndarray:
    """Return numbers along some axes of a shape, the same for all others, as a vector."""
    order = np.argsort(axes)
    lined = scale.transpose(order)
    spread = np.empty(shape)
    spread[...] = lined.reshape([shape[k] if k in axes else 1 for k in range(len(shape))])
    return spread.reshape(-1)


def _numbers(examination: Examination, output: int, count: int) -> np.ndarray:
    """Return random numbers, signed, with magnitudes from 1/2 to 3/2."""
    space = examination.problem.codomain.parts[output]
    drawn: list[np.ndarray] = []
    while sum(map(len, drawn)) < count:
        drawn.append(examination.backend.to_numpy(examination.directions.draw(space)))
    return np.concatenate(drawn)[:count]


def _blocks(inside: Sequence[int], outside: Sequence[int], axes: Axes) -> Blocks:
    own, others = [a for a, _ in axes], [b for _, b in axes]
    block_in, colour_in = _numbered(inside, own)
    block_out, colour_out = _numbered(outside, others)
    colours = int(colour_in.max(initial=0)) + 1
    by_block = np.zeros((int(block_in.max(initial=0)) + 1, colours), dtype=np.intp)
    by_block[block_in, colour_in] = np.arange(len(block_in))
    return Blocks(colour_in, colour_out, by_block[block_out].T.copy())


_kept_blocks = functools.lru_cache(maxsize=32)(_blocks)  # the same few shapes come by the thousand


def _numbered(shape: Sequence[int], axes: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Number places by their indices along some axes, and by those along the others."""
    rest = [k for k in range(len(shape)) if k not in axes]
    order = [*axes, *rest]
    flat = np.arange(math.prod(shape)).reshape([shape[k] for k in order])
    size = math.prod(shape[k] for k in rest)
    both = flat.transpose(np.argsort(order)).reshape(-1)
    return both // size, both % size


# -- both sides ----------------------------------------------------------------------------------


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
        pairs.append(_kept(examination, pair, chunk, stencil))
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


def _kept(
    examination: Examination, pair: FullPair, chunk: Columns, stencil: _ColouredStencil
) -> FullPair:
    """Spread a Jacobian over all its entries, where the budget allows."""
    if 3 * 8 * pair.total > examination.settings.memory:
        return pair
    blocks = stencil.blocks[pair.output]
    places = np.arange(len(blocks.outputs))[:, None], blocks.partner.T
    shape = len(blocks.outputs), len(blocks.inputs)
    error = chunk.error[pair.output] * stencil.moves[blocks.partner]
    claimed, pair.claimed, pair.measured = pair.claimed, np.zeros(shape), np.zeros(shape)
    pair.claimed[places], pair.measured[places] = claimed, chunk.measured[pair.output].T
    pair.error = error.T[:, blocks.inputs] / stencil.moves
    return pair
