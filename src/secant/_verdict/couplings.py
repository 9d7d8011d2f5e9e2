"""Reductions that the backward does otherwise than the forward: wrong dimensions, other norms.

A function that reduces along a dimension couples the entries along it. Which ones a Jacobian
couples is seen in where it is not zero; that the claim couples others is a sum over the wrong
dimension.

    out = d / s,  s² = mean(d²) + eps:    ∂out/∂x = (P − d dᵀ / (n s²)) / s

with d = x and P = 1 for an RMS norm, d = x − mean(x) and P taking the mean away for a layer norm.
Two numbers a fibre give such a matrix, so that claim and measurement tell their s², each its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .._words import matrices
from .._words.reason import Reason
from .._words.spelling import known
from .evidence import SHARP, SLACK, Comparison, Leaf, Numbers

_FILLED = 0.9  # the share of the entries that a reduction couples, which are not zero
_FEWEST = 3  # entries along a dimension that show a coupling
_MOST_COLUMNS = 3
_ALIKE = 1e-3  # of their size: two numbers that are one


def wrong_dimension(comparison: Comparison) -> Reason | None:
    """Recognise a claim that couples entries along other dimensions than the function does."""
    coupled = _coupled_otherwise(comparison) or _reduced_otherwise(comparison)
    return coupled or _normed_otherwise(comparison)


def _coupled_otherwise(comparison: Comparison) -> Reason | None:
    scene = comparison.scene
    if not scene.is_square or not comparison.is_whole or len(scene.input.shape) < 2:
        return None
    measured, claimed = (
        _axes_of(flags, scene.input.grid) for flags in (comparison.moves, comparison.claims)
    )
    if not measured or not claimed or set(measured) <= set(claimed):
        return None  # what is added to a coupling that is there may be anything
    axes = {"measured": measured, "claimed": claimed}
    return matrices.WRONG_AXIS(path=scene.output.path, **axes, is_spread=False)


def _axes_of(flags: Numbers, grid: tuple[int, ...]) -> tuple[int, ...]:
    """Return the dimensions along which entries are coupled, all with all; none where it is so."""
    here = np.indices(grid).reshape(len(grid), -1)
    rows, columns = np.nonzero(flags)
    differs = here[:, rows] != here[:, columns]
    axes = tuple(int(axis) for axis in np.flatnonzero(differs.any(axis=1)))
    coupled = np.ones(flags.shape, dtype=bool)
    for axis in range(len(grid)):
        if axis not in axes:
            coupled &= here[axis][:, None] == here[axis][None, :]
    length = int(np.prod([grid[axis] for axis in axes], initial=1))
    is_full = bool(flags[coupled].mean() >= _FILLED) if axes else False
    return axes if is_full and length >= _FEWEST else ()


def _reduced_otherwise(comparison: Comparison) -> Reason | None:
    """Recognise outputs that go back along other dimensions than the function reduced, or spread.

    Where dimensions are of one size, a cotangent that is spread or summed along another one has a
    shape that is right all the same.
    """
    scene = comparison.scene
    if scene.is_square or scene.input.is_complex != scene.output.is_complex:
        return None
    output, input_ = (scene.output, comparison.rows), (scene.input, comparison.columns)
    both = comparison.moves, comparison.claims
    for whole, part, flags, is_spread in (
        (input_, output, [one.T for one in both], False),
        (output, input_, both, True),
    ):
        measured, claimed = (_reduced_axes(one, *whole, *part) for one in flags)
        if measured and claimed and measured != claimed:
            axes = {"measured": measured, "claimed": claimed}
            return matrices.WRONG_AXIS(path=part[0].path, **axes, is_spread=is_spread)
    return None


def _reduced_axes(
    flags: Numbers, whole: Leaf, entries: Numbers, part: Leaf, reached: Numbers
) -> tuple[int, ...]:
    """Return the dimensions of a leaf along which all entries meet one of another leaf's.

    None if that is unclear. Flags say of some entries of the first which of the second they meet.
    """
    found, sizes = [], [size for size in part.grid if size > 1]
    every = range(len(whole.grid))
    if not sizes or len(every) < 2:
        return ()
    there = np.array(np.unravel_index(entries, whole.grid))
    for kept in itertools.combinations(every, len(sizes)):
        if [whole.grid[axis] for axis in kept] != sizes:
            continue
        met = np.ravel_multi_index(tuple(there[axis] for axis in kept), tuple(sizes))
        is_own = met[:, None] == reached[None, :]
        if not flags[~is_own].any() and flags[is_own].mean() >= _FILLED:
            found.append(tuple(axis for axis in every if axis not in kept))
    return found[0] if len(found) == 1 else ()


def _normed_otherwise(comparison: Comparison) -> Reason | None:
    """Recognise shares that add up to one number, along another dimension than they should."""
    shape = comparison.scene.input.shape
    if comparison.scene.input.is_complex or not comparison.is_whole or len(shape) < 2:
        return None
    measured, claimed = (
        matrix.sum(axis=0).reshape(shape) for matrix in (comparison.measured, comparison.claimed)
    )
    for due, taken in itertools.permutations(range(len(shape)), 2):
        if min(shape[due], shape[taken]) < 2 or _total(measured, taken) is not None:
            continue
        total, other = _total(measured, due), _total(claimed, taken)
        if total is None or other is None or abs(total - other) > _ALIKE * abs(total):
            continue
        return matrices.WRONG_NORMALISATION(total=total, claimed=taken, measured=due)
    return None


def _total(numbers: Numbers, axis: int) -> float | None:
    """Return what the shares along every fibre of a dimension add up to, None if they are none."""
    totals = numbers.sum(axis=axis)
    total = float(totals.mean())
    are_shares = bool((numbers * np.sign(total) > SLACK * abs(total)).all())
    return total if are_shares and np.ptp(totals) <= _ALIKE * abs(total) else None


def scaled_columns(comparison: Comparison) -> Reason | None:
    """Recognise few entries of the input whose gradient is off by a factor each, others right.

    A parameter with a unit of its own is often one power off: the factor is then its value.
    """
    leaf = comparison.scene.input
    columns = np.flatnonzero(comparison.wrong.any(axis=0))
    # columns have units of their own: what is seen in one goes by its own size
    bar = np.maximum(3 * comparison.error, comparison.limit)
    is_seen = (np.abs(comparison.measured) > bar / SHARP).any(axis=0)
    is_few = len(columns) <= _MOST_COLUMNS and np.delete(is_seen, columns).any()
    if leaf.is_complex or not comparison.is_whole or not is_few:
        return None
    found = []
    for column in columns:
        moves = np.abs(comparison.measured[:, column]) > bar[:, column]
        claimed, measured = comparison.claimed[moves, column], comparison.measured[moves, column]
        if moves.sum() < _FEWEST or comparison.wrong[~moves, column].any():
            return None
        scale = float(claimed @ measured / (measured @ measured))
        blur = bar[moves, column] * max(1.0, abs(scale)) + SHARP * np.abs(claimed)
        is_none = not scale or abs(scale - 1.0) <= SHARP  # what fits a factor fits 1 as well
        if is_none or (np.abs(claimed - scale * measured) > blur).any():
            return None
        name = leaf.entry(int(column))
        power = _power(scale, leaf.values.ravel()[column], name)
        found.append((known(scale, 1e-4), name, power))
    return matrices.COLUMNS_SCALED(columns=tuple(found))


def _power(scale: float, value: np.float64, name: str) -> str:
    """Return the power of its own value that a factor is, "" if it is none."""
    for power, spelt in ((1, name), (2, f"{name}²"), (-1, f"1/{name}"), (-2, f"1/{name}²")):
        if value not in (0.0, 1.0, -1.0) and abs(scale / value**power - 1) <= _ALIKE:
            return spelt
    return ""


@dataclass(frozen=True, slots=True)
class _Norm:
    """The fibres of a norm along some dimensions: d, and whether its mean is taken away."""

    axes: tuple[int, ...]
    fibres: Numbers  # places of the input, (fibres, entries of one)
    deviations: Numbers  # d, likewise
    is_centred: bool

    def squares(self, matrix: Numbers, columns: Numbers, bar: float) -> Numbers | None:
        """Return s² of each fibre, None where the columns are no derivative of such a norm."""
        found = []
        length = self.fibres.shape[1]
        plain = np.eye(length) - (1.0 / length if self.is_centred else 0.0)
        for places, d in zip(self.fibres, self.deviations, strict=True):
            own, seen = np.nonzero(places[:, None] == columns[None, :])
            if not own.size:
                continue
            block = matrix[np.ix_(places, seen)]
            basis = np.stack([plain[:, own].ravel(), np.outer(d, d[own]).ravel()], axis=1)
            if not np.isfinite(basis).all():
                return None
            (a, b), *_ = np.linalg.lstsq(basis, block.ravel(), rcond=None)
            if a <= 0 or np.abs(basis @ (a, b) - block.ravel()).max() > bar:
                return None
            if abs(b + a**3 / length) > SHARP * a**3 / length:
                return None
            found.append(a**-2)
        return np.array(found) if len(found) > 1 or len(self.fibres) == 1 else None


def another_spread(comparison: Comparison) -> Reason | None:
    """Recognise the derivative of the same norm with another eps, or another variance."""
    scene = comparison.scene
    if not scene.is_square or scene.input.is_complex or comparison.some_rows is not None:
        return None
    bar = float(comparison.bar.max(initial=0.0))
    if bar > SHARP * comparison.scale:
        return None
    for norm in _norms(scene.input.values):
        measured = norm.squares(comparison.measured, comparison.columns, bar)
        if measured is None or (comparison.moves & ~_within(comparison, norm)).any():
            continue
        limit = max(bar, 1e-9 * comparison.scale)
        claimed = norm.squares(comparison.claimed, comparison.columns, limit)
        if claimed is None:
            continue
        return _say_spread(norm, measured, claimed)
    return None


def _say_spread(norm: _Norm, measured: Numbers, claimed: Numbers) -> Reason | None:
    length = norm.fibres.shape[1]
    of = "variance" if norm.is_centred else "mean square"
    apart, ratio = claimed - measured, claimed / measured
    size = float(np.abs(apart).max())
    if np.ptp(apart) <= SHARP * size:
        by = known(float(apart.mean()), 1e-3)
        return matrices.ANOTHER_EPS(axes=norm.axes, of=of, by=by, magnitude=abs(by))
    for unbiased, who, other in ((ratio, "claim", "forward"), (1 / ratio, "forward", "claim")):
        if np.abs(unbiased - length / (length - 1)).max() <= SHARP / length:
            return matrices.UNBIASED_VARIANCE(
                axes=norm.axes, of=of, who=who, other=other, length=length, rest=length - 1
            )
    return None


def _norms(values: Numbers) -> Iterator[_Norm]:
    dimensions = values.ndim
    every = range(dimensions)
    choices = [axes for count in every for axes in itertools.combinations(every, count + 1)]
    places = np.arange(values.size).reshape(values.shape)
    for axes, is_centred in itertools.product(choices, (True, False)):
        rest = [axis for axis in every if axis not in axes]
        length = int(np.prod([values.shape[axis] for axis in axes]))
        if length < _FEWEST:
            continue
        fibres = places.transpose(*rest, *axes).reshape(-1, length)
        deviations = values.ravel()[fibres]
        if is_centred:
            deviations = deviations - deviations.mean(axis=1, keepdims=True)
        yield _Norm(axes, fibres, deviations, is_centred)


def _within(comparison: Comparison, norm: _Norm) -> Numbers:
    """Return flags of the entries that couple places of one fibre."""
    fibre = np.empty(norm.fibres.size, dtype=int)
    fibre[norm.fibres] = np.arange(len(norm.fibres))[:, None]
    flags: Numbers = fibre[comparison.rows][:, None] == fibre[comparison.columns][None, :]
    return flags
