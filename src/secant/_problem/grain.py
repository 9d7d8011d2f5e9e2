"""How many digits a function computes, whatever the dtype that it is given and stores in.

A compiled kernel that computes in float32 stores numbers of 24 bits, also into float64, and rounds
its inputs so. Nothing shows it but its numbers: v fits into p bits if Dekker's split leaves it,

    c = (2^(53 − p) + 1) v,      v = c − (c − v).

Outputs that are as short as the inputs (a copy, a gather) fit too, so the point is moved by what
float32 can tell and by what it cannot. Numbers that are short even then (0 and 1, counts), or whole
where float32 has fractions (of what rounds), say nothing.

A function that rounds its inputs alone shows it by standing still: a move that float32 cannot tell
changes no output, though by what a longer one does it should, by many roundings of float64.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._backends.base import Array, Backend
from .._errors import SecantError
from .leaves import SINGLE
from .problem import Problem

_DOUBLE = 2.0**-50  # the coarsest rounding of a dtype that holds the numbers of float64
_SINGLE, _FEWEST = 24, 16  # bits of float32, and of what rounds far more coarsely
_WHOLE = 1.5 * 2.0**52  # added and taken away, it leaves whole numbers as they are
_ALL_WHOLE = 2.0**23  # from here on all numbers of float32 are
_MANY = 1 << 16  # numbers that are looked at
_WITHIN = 2.0**-30  # of each entry: what float32 cannot tell
_MOVE = 2.0**-17 + _WITHIN  # more bits than float32 has
_FAR = 2.0**-10  # what half precisions can tell
_ROUNDINGS, _FEW = 2.0**-50, 2.0**-22  # of an output: some roundings of float64, of float32


def hides_single(problem: Problem, vectors: Sequence[Array], *, is_suspected: bool = False) -> bool:
    """Say whether a function of float64 computes in float32; `vectors` are its outputs.

    Asked once more only where outputs are short at the point itself, as few in float64 are, or
    where something else looks like it.
    """
    is_short = _fit(problem.backend, vectors, _SINGLE)
    try:
        if is_short and _is_single(problem.backend, _moved(problem, _MOVE)):
            return True
        return is_suspected and _stands_still(problem, vectors)
    except SecantError:
        return False


def _moved(problem: Problem, share: float) -> Sequence[Array]:
    """Return the outputs where every entry is a share of itself larger."""
    parts = range(len(problem.domain.parts))
    points = [(problem.domain.parts[part], problem.coordinates_of_point(part)) for part in parts]
    return problem.evaluate(
        parts, [space.value(problem.backend.plus(point, share, point)) for space, point in points]
    )


def _is_single(backend: Backend, vectors: Sequence[Array]) -> bool:
    """Say whether numbers have the bits of float32: neither more, nor far less."""
    if not _fit(backend, vectors, _SINGLE) or _fit(backend, vectors, _FEWEST):
        return False
    parts = (part for one in vectors for part in (one[:_MANY], one[_MANY:]))  # most end at once
    is_whole = all(backend.is_equal((one + _WHOLE) - _WHOLE, one) for one in parts)
    return not is_whole or all(backend.largest(one) >= _ALL_WHOLE for one in vectors)


def _stands_still(problem: Problem, vectors: Sequence[Array]) -> bool:
    """Say whether a move that float32 cannot tell leaves outputs still that it should move."""
    backend, unmoved, moved = problem.backend, 0.0, 0.0
    both = zip(vectors, _moved(problem, _WITHIN), strict=True)
    if not all(backend.is_equal(near, here) for here, near in both):
        return False
    for here, *others in zip(vectors, _moved(problem, _MOVE), _moved(problem, _FAR), strict=True):
        middle, end = (backend.absolute(one - here) for one in others)
        size = backend.absolute(here)
        due = (end * (_WITHIN / _FAR) > _ROUNDINGS * size) * (end * (_MOVE / _FAR) > _FEW * size)
        # what rounds more coarsely than float32 does not move there either
        unmoved += backend.total(due * 1.0 * (middle == 0))
        moved += backend.total(due * 1.0 * (middle > 0))
    return moved > unmoved


def take_for_single(
    problem: Problem, vectors: Sequence[Array], *, is_suspected: bool = False
) -> bool:
    """Let a problem of float64 that computes in float32 be one of float32; say whether it does.

    Asked only where numbers that are long give short ones, unless something else looks like it.
    """
    for vector in () if is_suspected else vectors:
        if vector.shape[0] and not _fits(float(vector[0]), _SINGLE):
            return False
    backend = problem.backend
    spaces = (*problem.domain.parts, *problem.codomain.parts)
    if any(space.roundoff > _DOUBLE for space in spaces):
        return False
    points = [problem.coordinates_of_point(part) for part in range(len(problem.points))]
    if not is_suspected and _fit(backend, points, _SINGLE):
        return False
    if not hides_single(problem, vectors, is_suspected=is_suspected):
        return False
    problem.domain.round_by(SINGLE)
    problem.codomain.round_by(SINGLE)
    return True


def take_for_coarse(problem: Problem, casts: Mapping[str, float]) -> bool:
    """Let a problem that casts to fewer digits inside be one of as few; say whether it was not."""
    coarsest = max(casts.values(), default=0.0)
    spaces = (*problem.domain.parts, *problem.codomain.parts)
    if all(space.roundoff >= coarsest for space in spaces):
        return False
    problem.domain.round_by(coarsest)
    problem.codomain.round_by(coarsest)
    return True


def _fit(backend: Backend, vectors: Sequence[Array], bits: int) -> bool:
    for vector in vectors:
        some = vector[:_MANY]
        if not backend.is_equal(_shortened(some, bits), some):
            return False
    return True


def _fits(number: float, bits: int) -> bool:
    split = number * (2.0 ** (53 - bits) + 1)
    return split - (split - number) == number


def _shortened(numbers: Any, bits: int) -> Any:
    split = numbers * (2.0 ** (53 - bits) + 1)
    return split - (split - numbers)
