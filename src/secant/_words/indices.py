"""Sets of indices in words: "index 31 of dimension 1 (the last column)", "the diagonal".

A set is a few pieces, numbers and names that JSON can hold: a reason carries them as a field, and a
group of processes says in them which indices are ranks. Words are made of them where they are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

MEMORY, RANKS = -1, -2
"""What indices may count beside a dimension: entries in memory order, processes of a group."""


class Indices(NamedTuple):
    """A piece of a set: indices along one dimension, a named set of two, or what all is less of."""

    form: str
    numbers: tuple[int, ...] = ()
    axes: tuple[int, ...] = ()  # the dimensions it is along; none where there is but one
    line: str = ""  # of a matrix it is the "first", the "last" or a "row" or "column" by number


Pieces = tuple[Indices, ...]
ALL_BUT, REAL, IMAGINARY = Indices("all but"), Indices("real"), Indices("imaginary")
_BEFORE = {
    "all but": "all but ",
    "real": "the real part of ",
    "imaginary": "the imaginary part of ",
}
_FORMS = {
    "one": "{one} {0}",
    "from": "{one} ≥ {0}",
    "below": "{one} < {0}",
    "between": "{many} {0} to {1}",
    "ends": "the first and the last {one}",
    "every": "every {nth} {one} from {0} on",
    "but": "all {many} but {listed}",
    "some": "{many} {listed}",
}
_NTH = {2: "second", 3: "third"}


def spell(pieces: Sequence[Sequence[object]]) -> str:
    """Return a set in words.

    >>> spell([Indices("from", (7,), (1,))]), spell([REAL])
    ('index ≥ 7 of dimension 1', 'the real part of every entry')
    >>> spell([Indices("one", (1,), (RANKS,)), Indices("between", (2, 4), (0,))])
    'rank 1, indices 2 to 4 of dimension 0'
    """
    before, said = "", []
    for piece in map(Indices._make, pieces):
        if piece.form in _BEFORE:
            before += _BEFORE[piece.form]
        else:
            said.append(_piece(piece))
    return before + (", ".join(said) or "every entry")


def listed(items: Sequence[object]) -> str:
    """Spell a list.

    >>> listed([0, 1, 2]), listed([3])
    ('0, 1 and 2', '3')
    """
    *some, last = map(str, items)
    return f"{', '.join(some)} and {last}" if some else last


def dimensions(axes: Sequence[int]) -> str:
    """Name some dimensions, of which one may be the ranks."""
    if RANKS in axes:
        return listed(["the ranks" if k == RANKS else f"dimension {k}" for k in axes])
    return f"dimension{'s' if len(axes) > 1 else ''} {listed(axes)}"


def _piece(piece: Indices) -> str:
    form, numbers, axes, line = piece
    if form == "entry":
        if RANKS in axes:
            return f"rank {numbers[0]}, entry {list(numbers[1:])}"
        return f"entry {list(numbers)}"
    if form not in _FORMS:
        return form + (f" of {dimensions(axes)}" if axes else "")
    one, many = ("rank", "ranks") if RANKS in axes else ("index", "indices")
    nth = _NTH.get(numbers[-1], f"{numbers[-1]}th") if form == "every" else ""
    each = listed(numbers) if numbers else ""
    words = _FORMS[form].format(*numbers, one=one, many=many, nth=nth, listed=each)
    if axes == (MEMORY,):
        return f"{words} in memory order"
    if axes and RANKS not in axes:
        words += f" of {dimensions(axes)}"
    return words + (f" ({line})" if line else "")


def by_rank(pieces: Sequence[Sequence[object]], ranks: Sequence[int]) -> Pieces:
    """Return a set in an array whose first dimension are processes as one of what each of them has.

    >>> spell(by_rank([Indices("some", (0, 1), (0,)), Indices("one", (1,), (1,))], [0, 2]))
    'ranks 0 and 2, index 1 of dimension 0'
    """
    return tuple(_by_rank(Indices._make(piece), ranks) for piece in pieces)


def _by_rank(piece: Indices, ranks: Sequence[int]) -> Indices:
    form, numbers, axes, _ = piece
    if axes == (MEMORY,) or form in _BEFORE:
        return piece
    if form == "entry":
        return Indices(form, (ranks[numbers[0]], *numbers[1:]), (RANKS,))
    own = axes or ((0,) if form in _FORMS else (0, 1))  # all that it has
    moved = tuple(axis - 1 if axis else RANKS for axis in own)
    if moved != (RANKS,):
        return Indices(form, numbers, moved)
    counted = numbers[:1] if form == "every" else numbers
    return Indices(form, (*(ranks[k] for k in counted), *numbers[len(counted) :]), moved)
