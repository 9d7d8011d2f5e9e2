"""Patterns of a whole Jacobian: transposed, permuted, scaled along a dimension, entries missing.

Each takes the claimed and the measured matrix and gives a reason with what it rests on, or None.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from .._words import causes, matrices
from .._words.reason import Reason
from .._words.spelling import about
from .evidence import SHARP, Comparison, Numbers
from .places import picture_of_outputs, relation

_FEWEST = 3  # entries that a pattern must explain beyond those that fix it


def rearranged(comparison: Comparison) -> Reason | None:
    """Recognise a matrix that holds the right numbers in the wrong places."""
    claimed, measured = comparison.claimed, comparison.measured
    limit = float(comparison.bar.max(initial=0.0))
    if limit > SHARP * comparison.scale or limit > SHARP * np.abs(claimed - measured).max():
        return None  # what is forgiven must be little beside what is wrong
    rows, columns = claimed.shape
    if rows == columns and rows > 2:
        apart = float(np.abs(claimed - measured.T).max())
        if apart <= limit:
            blur = about(apart / comparison.scale)
            return causes.TRANSPOSED(count=f"{rows} × {columns} entries, to {blur}")
    if isinstance(relation(comparison), float):
        return None  # a sign that is wrong needs no other place, though ±a may have changed theirs
    for axis, name, count in ((1, "row", rows), (0, "column", columns)):
        apart = float(np.abs(np.sort(claimed, axis) - np.sort(measured, axis)).max())
        if claimed.shape[axis] > 1 and apart <= limit:
            return matrices.PERMUTED(name=name, count=count, blur=apart / comparison.scale)
    return None


def scaled_along_dimensions(comparison: Comparison) -> Reason | None:
    """Recognise claimed = s × measured with one s for each index along some dimensions."""
    moves = comparison.moves
    if not (comparison.wrong & moves).any() or (comparison.claims & ~moves).any():
        return None
    scene = comparison.scene
    sides = ((1, scene.input), (0, scene.output))
    for side, leaf in sides:
        for axes in _choices(len(leaf.shape)):
            groups = _groups(leaf.grid, axes)[comparison.columns if side else comparison.rows]
            labels = groups[None, :] if side else groups[:, None]
            told = _one_scale_each(comparison, np.broadcast_to(labels, moves.shape))
            if told is not None:
                lowest, highest, spare = told
                return matrices.SCALED_BY_INDEX(
                    axes=axes, path=leaf.path, lowest=lowest, highest=highest, spare=spare
                )
    return None


def _choices(dimensions: int) -> Iterator[tuple[int, ...]]:
    """Yield some of the dimensions, never all: one number for each entry explains anything."""
    for count in range(1, dimensions):
        yield from itertools.combinations(range(dimensions), count)


def _groups(grid: tuple[int, ...], axes: tuple[int, ...]) -> Numbers:
    """Return a label for each coordinate: equal where the indices along `axes` are."""
    indices = np.indices(grid).reshape(len(grid), -1)
    shape = tuple(grid[axis] for axis in axes)
    labels: Numbers = np.ravel_multi_index(tuple(indices[axis] for axis in axes), shape)
    return labels


def _one_scale_each(comparison: Comparison, labels: Numbers) -> tuple[float, float, int] | None:
    """Return the smallest and largest scale, and how many entries confirm them, or None."""
    moves = comparison.moves
    claimed, measured = comparison.claimed[moves], comparison.measured[moves]
    bar, label = comparison.bar[moves], labels[moves]
    weight = np.bincount(label, measured * measured)
    used = np.flatnonzero(weight)
    scale = np.zeros_like(weight)
    scale[used] = np.bincount(label, claimed * measured)[used] / weight[used]
    limit = bar * np.maximum(1.0, np.abs(scale[label]))
    spare = int(label.size - used.size)
    if (np.abs(claimed - scale[label] * measured) > limit).any():
        return None
    counts = np.bincount(label)[used]
    if spare < max(_FEWEST, used.size // 2) or int(counts.min()) < 2 or used.size < 2:
        return None
    found = scale[used]
    if np.ptp(found) <= SHARP * np.abs(found).max() or (np.abs(found - 1) < 1e-3).sum() > 1:
        return None  # one number, or right in places: other sentences are for that
    return float(found.min()), float(found.max()), spare


def absent_entries(comparison: Comparison) -> Reason | None:
    """Recognise entries that are 0 in the claim where the function moves, all others being right.

    What is kept and what is missing tells one such mistake from another.
    """
    absent = _absent(comparison)
    if absent is None:
        return None
    kept = comparison.moves & comparison.right
    cause = _uncoupled(comparison, absent) or _one_contribution(comparison, absent, kept)
    if cause is None and comparison.is_whole:
        cause = _ignored_outputs(comparison, absent, kept)
    return cause


def _absent(comparison: Comparison) -> Numbers | None:
    absent = comparison.wrong & ~comparison.claims & comparison.moves
    kept = comparison.moves & comparison.right
    is_all = np.array_equal(absent, comparison.wrong)
    return absent if is_all and absent.any() and kept.any() else None


def some_absent(comparison: Comparison) -> Reason | None:
    """Say that terms are missing where nothing more is known about them."""
    absent = _absent(comparison)
    if absent is None:
        return None
    count, moving = int(absent.sum()), int(comparison.moves.sum())
    return matrices.TERMS_MISSING(count=count, moving=moving)


def some_extra(comparison: Comparison) -> Reason | None:
    """Say that slopes are claimed where the function does not move, all others being right."""
    extra = comparison.wrong & comparison.claims & ~comparison.moves
    right = int((comparison.moves & comparison.right).sum())
    count = int(extra.sum())
    if not np.array_equal(extra, comparison.wrong) or not right or count < _FEWEST:
        return None
    columns, path = extra.any(axis=0), comparison.scene.input.path
    if not comparison.moves[:, columns].any():
        return matrices.MASK_MISSING(count=int(columns.sum()), total=columns.size, path=path)
    return matrices.NOT_THEIRS(count=count, right=right)


def lost_part(comparison: Comparison) -> Reason | None:
    """Recognise gradients or cotangents of which only one part of a complex number is used."""
    scene, absent = comparison.scene, _absent(comparison)
    if absent is None:
        return None
    for axis, leaf in ((1, scene.input), (0, scene.output)):
        if not leaf.is_complex:
            continue
        moving = comparison.moves.any(axis=1 - axis)
        missing = absent.any(axis=1 - axis)
        path = leaf.path if axis == 0 else ""
        for start, name in ((1, "imaginary"), (0, "real")):
            only = np.zeros(missing.size, dtype=bool)
            only[start::2] = True
            # every moving coordinate of one part, entirely, and none of the other
            gone = absent if axis == 1 else absent.T
            moved = comparison.moves if axis == 1 else comparison.moves.T
            if (
                np.array_equal(missing, moving & only)
                and (gone == moved)[:, only].all()
                and (moving & ~only).any()
            ):
                return matrices.PART_LOST(part=name, suffix=name[:4], of=path)
    return None


def _one_contribution(comparison: Comparison, absent: Numbers, kept: Numbers) -> Reason | None:
    """Recognise inputs that reach the output several times, and get one contribution only."""
    reached, left = comparison.moves.sum(axis=0), kept.sum(axis=0)
    columns = absent.any(axis=0)
    if not (reached[columns] > 1).all() or not (left[columns] == 1).all():
        return None
    if np.unique(kept[:, columns].argmax(axis=0)).size < int(columns.sum()):
        return None  # several inputs share the output that is left: no copies of single entries
    name, times = comparison.scene.input.path, np.unique(reached)
    if comparison.is_whole and columns.all() and times.size == 1:
        return matrices.ONE_COPY_KEPT(path=name, times=int(times[0]))
    return matrices.WRITTEN_OVER(
        count=int(columns.sum()), total=columns.size, path=name, is_whole=comparison.is_whole
    )


def _uncoupled(comparison: Comparison, absent: Numbers) -> Reason | None:
    """Recognise a claim that is right where an output depends on its own entry, and 0 elsewhere."""
    scene, moves = comparison.scene, comparison.moves
    is_own = comparison.rows[:, None] == comparison.columns[None, :]
    if not scene.is_square or (absent & is_own).any():
        return None
    if not np.array_equal(moves & ~is_own, absent) or not (moves | ~is_own).all():
        return None
    rows, columns = np.nonzero(absent)
    here, there = (
        np.array(np.unravel_index(places, scene.input.grid))
        for places in (comparison.rows[rows], comparison.columns[columns])
    )
    axes = np.flatnonzero((here != there).any(axis=1)).tolist()
    is_along_one = len(axes) == 1 and len(scene.input.shape) > 1
    return matrices.COUPLING_MISSING(
        count=rows.size,
        right=int(is_own.sum()),
        axes=tuple(axes) if is_along_one else (),
        is_whole=comparison.is_whole,
    )


def _ignored_outputs(comparison: Comparison, absent: Numbers, kept: Numbers) -> Reason | None:
    """Recognise outputs whose cotangent is not used at all, while others of the input's are."""
    rows = absent.any(axis=1)
    if kept[rows].any():
        return None
    columns = absent.any(axis=0)
    if not kept[:, columns].any():
        return None  # the inputs are cut off altogether: the same seen from the other side
    picture = picture_of_outputs(comparison)
    return matrices.OUTPUTS_IGNORED(
        count=int(rows.sum()),
        total=rows.size,
        path=comparison.scene.output.path,
        where=() if picture is None else picture.pieces,
    )
