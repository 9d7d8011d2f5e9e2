"""The blocks of Jacobians that are diagonal along shared axes, found by pulls alone.

An elementwise function has one block for each entry, a softmax one for each row, a sum along axes
one for each place of the others. With v scaled by a random s along an axis of the output, Jᵀ v is
scaled by the same s along the axis of the leaf where the *claim* is diagonal along them.
Coordinates that have the same place in their blocks have one colour.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..._spaces.dense import DenseSpace
from ..asking.reverse import ReverseMode
from ..base import Examination

_MOST_COLOURS = 8  # of a leaf: four evaluations each
_MOST_PULLS = 64  # of an output
_FEW = 1 << 12  # coordinates of leaves whose blocks are kept by shape
_SAME = 1e-9  # of the largest entry: gradients that are the same, up to rounding

Axes = tuple[tuple[int, int], ...]  # of the leaf and of the output, along which J is diagonal
Finder = Callable[[ReverseMode, int, int], Axes | None]  # by leaf and output


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


def find_blocks(
    mode: ReverseMode, parts: Sequence[int], find: Finder
) -> dict[int, list[Blocks]] | None:
    """Return some leaves' blocks with every output; None where one has none, or too many."""
    examination, problem = mode.examination, mode.examination.problem
    spaces = (*problem.domain.parts, *problem.codomain.parts)
    if examination.settings.pictures or not examination.trace.is_differentiable:
        return None
    if any(type(one) is not DenseSpace or not one.size or not one.is_exact for one in spaces):
        return None
    found = {}
    for part in parts:
        blocks = _blocks_of_leaf(mode, part, find)
        if blocks is None or examination.steps(part).own is not None:
            return None
        found[part] = blocks
    return found


def _blocks_of_leaf(mode: ReverseMode, part: int, find: Finder) -> list[Blocks] | None:
    """Return one leaf's blocks with every output, coloured alike; None where there are too many."""
    problem = mode.examination.problem
    inside = problem.domain.parts[part].shape
    every: list[Axes] = []
    for output in range(len(problem.codomain.parts)):
        if (axes := find(mode, part, output)) is None:
            return None
        every.append(axes)
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


def any_axes(mode: ReverseMode, part: int, output: int) -> Axes | None:
    """Return the axes along which a claim is diagonal, each with its own of the output."""
    every = all_axes(mode, part, output)
    return some_axes(mode, part, output) if every is None else every


def some_axes(mode: ReverseMode, part: int, output: int) -> Axes | None:
    """Return the same, of a claim that is known not to be diagonal along all axes."""
    problem = mode.examination.problem
    inside, outside = problem.domain.parts[part].shape, problem.codomain.parts[output].shape
    found: list[tuple[int, int]] = []
    for one, other in itertools.product(range(len(inside)), range(len(outside))):
        is_free = all(one != a and other != b for a, b in found)
        is_fit = is_free and inside[one] == outside[other] > 1
        if is_fit and _is_diagonal(mode, part, output, ((one, other),)):
            found.append((one, other))
    return tuple(found)


def all_axes(mode: ReverseMode, part: int, output: int) -> Axes | None:
    """Return all axes where a claim is diagonal along all of them, as that of a single entry is."""
    problem = mode.examination.problem
    inside, outside = problem.domain.parts[part].shape, problem.codomain.parts[output].shape
    if inside != outside:
        return None
    every = tuple((axis, axis) for axis in range(len(inside)))
    is_one = math.prod(inside) == 1
    return every if is_one or _is_diagonal(mode, part, output, every) else None


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
