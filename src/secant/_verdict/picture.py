"""Where wrong entries lie: from an index on, in some rows, on the diagonal.

It takes flags of a leaf's own shape and gives the plainest set of indices that holds exactly the
flagged ones, or None where there is no plain one. All entries need no picture.
"""

from __future__ import annotations

import enum
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._words.indices import ALL_BUT, IMAGINARY, MEMORY, REAL, Indices, Pieces, spell

Flags = np.ndarray[Any, np.dtype[np.bool_]]
_FEW = 4  # indices that are listed one by one
_LEAST = 3  # indices of a dimension below which no pattern along it says anything
_UNSEEN = 0.5  # the share of entries that may be added to those that are seen to be wrong
_LONG = 8  # indices along which a border is a place of its own


class PlaceKind(enum.Enum):
    """What kind of place it is: some kinds of mistakes are made in some kinds of places."""

    TAIL = "from some index on"
    BORDER = "at the border"
    OTHER = "elsewhere"


@dataclass(frozen=True, slots=True)
class Picture:
    """A plain set of indices."""

    pieces: Pieces
    lie: PlaceKind = PlaceKind.OTHER
    start: int = 0  # where a tail begins
    dimension: int | None = None  # along which it is, where it is one dimension of several
    is_flat: bool = False  # indices count entries in memory order
    is_rest: bool = False  # all but what is named
    is_named: bool = False  # a set of a matrix that has a name, as its diagonal

    @property
    def words(self) -> str:
        """The set in words."""
        return spell(self.pieces)


def picture_of(wrong: Flags) -> Picture | None:
    """Return the plainest picture of the flagged entries, or None."""
    count = int(wrong.sum())
    if count in (0, wrong.size) or not wrong.ndim:
        return None
    found = _picture(wrong)
    if found is None and 2 * count > wrong.size:
        rest = _picture(~wrong)
        found = None if rest is None else Picture((ALL_BUT, *rest.pieces))
    return found


def picture_of_parts(wrong: Flags) -> Picture | None:
    """Return the picture of a complex leaf's entries; the last axis holds (real, imaginary)."""
    real, imaginary = wrong[..., 0], wrong[..., 1]
    whole = picture_of(real | imaginary)
    if real.any() and imaginary.any():
        return whole
    part = IMAGINARY if imaginary.any() else REAL
    if whole is None and (real | imaginary).all():
        return Picture((part,))
    return None if whole is None else replace(whole, pieces=(part, *whole.pieces))


def plainest_picture(wrong: Flags, right: Flags, *, has_parts: bool = False) -> Picture | None:
    """Return the plainest picture of entries of which some are neither wrong nor right.

    An entry that is small beside its bar may be as wrong as its neighbours, and not show it.
    """
    draw = picture_of_parts if has_parts else picture_of
    most = int(wrong.sum() * (1 + _UNSEEN))
    sets = [wrong, *(flags for flags in _filled(wrong, right) if int(flags.sum()) <= most)]
    drawn = [draw(flags) for flags in sets]
    found = [picture for picture in drawn if picture is not None]
    return min(found, key=lambda picture: len(picture.words), default=None)


def _filled(wrong: Flags, right: Flags) -> Iterator[Flags]:
    """Yield larger sets that hold all wrong entries and none that is known to be right."""
    chosen = [marginal(wrong, axis) for axis in range(wrong.ndim)]
    hull = outer(chosen)
    if (hull & right).any():
        return
    yield hull
    wider = []
    for axis in range(wrong.ndim):
        others = [np.ones_like(one) if k == axis else one for k, one in enumerate(chosen)]
        wider.append(~marginal(outer(others) & right, axis))
    if not (outer(wider) & right).any():
        yield outer(wider)


def outer(chosen: Sequence[Flags]) -> Flags:
    """Return the entries whose index along each dimension is chosen."""
    flags = np.ones((), dtype=bool)
    for one in chosen:
        flags = flags[..., None] & one
    return np.asarray(flags)


def _picture(wrong: Flags) -> Picture | None:
    if int(wrong.sum()) == 1 and wrong.ndim > 1:
        place = tuple(int(axis[0]) for axis in np.nonzero(wrong))
        return Picture((Indices("entry", place),))
    return _product(wrong) or _pair(wrong) or _flat(wrong)


def _product(wrong: Flags) -> Picture | None:
    """Describe a set that is a choice of indices along each dimension by itself."""
    chosen = [marginal(wrong, axis) for axis in range(wrong.ndim)]
    if math.prod(int(flags.sum()) for flags in chosen) != int(wrong.sum()):
        return None
    pictures = []
    for axis, flags in enumerate(chosen):
        if not flags.all():
            picture = _indices(flags) or (_listed(flags) if wrong.ndim > 1 else None)
            if picture is None:
                return None
            pictures.append(_along(picture, axis, flags, wrong.ndim))
    if len(pictures) == 1:
        return pictures[0]
    return Picture(tuple(piece for picture in pictures for piece in picture.pieces))


def marginal(wrong: Flags, axis: int) -> Flags:
    """Return which indices along a dimension hold a flagged entry."""
    others = tuple(k for k in range(wrong.ndim) if k != axis)
    return np.asarray(wrong.any(axis=others))


def _along(picture: Picture, axis: int, flags: Flags, dimensions: int) -> Picture:
    """Say which dimension is meant; a matrix has rows and columns."""
    if dimensions == 1:
        return picture
    places, line = np.flatnonzero(flags), ""
    if dimensions == 2 and places.size == 1:
        name, place = ("row", "column")[axis], int(places[0])
        end = "first" if place == 0 else "last" if place == flags.size - 1 else ""
        line = f"the {end} {name}" if end else f"{name} {place}"
    (piece,) = picture.pieces
    return replace(picture, pieces=(piece._replace(axes=(axis,), line=line),), dimension=axis)


def _indices(flags: Flags) -> Picture | None:
    """Describe a set of indices along one dimension."""
    places, size = np.flatnonzero(flags), flags.size
    first, last, count = int(places[0]), int(places[-1]), places.size
    ends = {0, size - 1}
    if count == 1:
        is_end = first in ends and size >= _LONG
        return _along_one("one", (first,), PlaceKind.BORDER if is_end else PlaceKind.OTHER)
    if count == last - first + 1:
        if last == size - 1:
            return _along_one("from", (first,), PlaceKind.TAIL, first)
        return _along_one("between", (first, last)) if first else _along_one("below", (last + 1,))
    if set(places.tolist()) == ends:
        return _along_one("ends", (), PlaceKind.BORDER if size >= _LONG else PlaceKind.OTHER)
    return _rhythm(flags) or _all_but(flags)


def _along_one(
    form: str, numbers: tuple[int, ...], lie: PlaceKind = PlaceKind.OTHER, start: int = 0
) -> Picture:
    return Picture((Indices(form, numbers),), lie, start)


def _rhythm(flags: Flags) -> Picture | None:
    """Describe every second, third, … index."""
    places = np.flatnonzero(flags)
    gap = int(places[1] - places[0])
    is_regular = places.size >= _LEAST and np.array_equal(
        places, np.arange(int(places[0]), flags.size, gap)
    )
    if not is_regular or places[0] >= gap or gap < 2:
        return None
    return _along_one("every", (int(places[0]), gap))


def _all_but(flags: Flags) -> Picture | None:
    rest = np.flatnonzero(~flags)
    if rest.size > 2 or flags.size < _LONG:
        return None
    return replace(_along_one("but", tuple(rest.tolist())), is_rest=True)


def _listed(flags: Flags) -> Picture | None:
    """Name a few indices one by one; of a vector that would be a table of its entries."""
    places = np.flatnonzero(flags)
    if places.size > _FEW:
        return None
    return _along_one("some", tuple(places.tolist()))


def _pair(wrong: Flags) -> Picture | None:
    """Describe a set by what two dimensions have in common."""
    pairs = list(itertools.combinations(range(wrong.ndim), 2))
    for one, other in reversed(pairs):  # the last two dimensions first
        rest = tuple(k for k in range(wrong.ndim) if k not in (one, other))
        plane = np.asarray(wrong.any(axis=rest))
        repeats = math.prod(wrong.shape[k] for k in rest)
        if int(plane.sum()) * repeats != int(wrong.sum()) or min(plane.shape) < _LEAST:
            continue
        for name, flags in planes(plane.shape):
            if np.array_equal(plane, flags):
                axes = () if wrong.ndim == 2 else (one, other)
                return Picture((Indices(name, (), axes),), is_named=True)
    return None


def planes(shape: tuple[int, ...]) -> Iterator[tuple[str, Flags]]:
    """Yield the sets that have a name in a matrix of this shape."""
    i, j = np.indices(shape, sparse=True)
    rows, columns = shape
    yield "the diagonal", i == j
    yield "all off the diagonal", i != j
    yield "the upper triangle, without the diagonal", i < j
    yield "the lower triangle, without the diagonal", i > j
    yield "the upper triangle", i <= j
    yield "the lower triangle", i >= j
    if rows == columns:
        yield "the diagonal from corner to corner the other way", i + j == rows - 1
    yield "the border", (i == 0) | (i == rows - 1) | (j == 0) | (j == columns - 1)
    inside: Flags = (i > 0) & (i < rows - 1) & (j > 0) & (j < columns - 1)
    yield "all but the border", inside
    for rest, parity in enumerate(("even", "odd")):
        yield f"the entries whose indices have an {parity} sum", (i + j) % 2 == rest
    for shift in (1, -1):
        side = "above" if shift > 0 else "below"
        yield f"the diagonal next {side} the main one", j - i == shift
        yield f"the diagonal and the one next {side} it", (j == i) | (j - i == shift)


def _flat(wrong: Flags) -> Picture | None:
    """Describe a set by its place in memory order, as a loop over all entries meets it."""
    if wrong.ndim < 2:
        return None
    found = _indices(wrong.reshape(-1))
    if found is None or found.lie is PlaceKind.BORDER or found.is_rest:
        return None
    (piece,) = found.pieces
    return replace(found, pieces=(piece._replace(axes=(MEMORY,)),), is_flat=True)
