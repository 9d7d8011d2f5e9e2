"""How many digits a function computes, whatever the dtype that it is given and stores in.

A compiled kernel that computes in float32 stores numbers of 24 bits, also into float64, and rounds
its inputs so. Nothing shows it but its numbers: v fits into p bits if Dekker's split leaves it,

    c = (2^(53 − p) + 1) v,      v = c − (c − v).

Outputs that are as short as the inputs (a copy, a gather) fit too, so the point is moved by what
float32 can tell and by what it cannot. Numbers that are short even then (0 and 1, counts), or whole
(of what rounds), say nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._backends.base import Array, Backend
from .._errors import SecantError
from .leaves import SINGLE
from .problem import Problem

_DOUBLE = 2.0**-50  # the coarsest rounding of a dtype that holds the numbers of float64
_SINGLE, _FEWEST = 24, 11  # bits of float32, and of dtypes that count as coarse
_WHOLE = 1.5 * 2.0**52  # added and taken away, it leaves whole numbers as they are
_MANY = 1 << 16  # numbers that are looked at
_MOVE = 2.0**-17 + 2.0**-30  # of each entry: more bits than float32 has


def hides_single(problem: Problem, vectors: Sequence[Array]) -> bool:
    """Say whether a function of float64 computes in float32; `vectors` are its outputs.

    Asked once more only where outputs are short at the point itself, as few in float64 are.
    """
    backend = problem.backend
    if not _fit(backend, vectors, _SINGLE):
        return False
    parts = range(len(problem.domain.parts))
    moved = []
    for part in parts:
        point = problem.coordinates_of_point(part)
        moved.append(problem.domain.parts[part].value(point + point * _MOVE))
    try:
        beside = problem.evaluate(parts, moved)
    except SecantError:
        return False
    if not _fit(backend, beside, _SINGLE) or _fit(backend, beside, _FEWEST):
        return False
    return not all(backend.is_equal((one + _WHOLE) - _WHOLE, one) for one in beside)


def take_for_single(
    problem: Problem, vectors: Sequence[Array], *, is_suspected: bool = False
) -> bool:
    """Let a problem of float64 that computes in float32 be one of float32; say whether it does.

    Asked only where numbers that are long give short ones, unless something else looks like it.
    """
    for vector in vectors:
        if vector.shape[0] and not _fits(float(vector[0]), _SINGLE):
            return False
    backend = problem.backend
    spaces = (*problem.domain.parts, *problem.codomain.parts)
    if any(space.roundoff > _DOUBLE for space in spaces):
        return False
    points = [problem.coordinates_of_point(part) for part in range(len(problem.points))]
    if not is_suspected and _fit(backend, points, _SINGLE):
        return False
    if not hides_single(problem, vectors):
        return False
    problem.domain.round_by(SINGLE)
    problem.codomain.round_by(SINGLE)
    return True


def _fit(backend: Backend, vectors: Sequence[Array], bits: int) -> bool:
    for vector in vectors:
        some = vector[:_MANY]
        if not backend.is_equal(_shortened(some, bits), some):
            return False
    return True


def _fits(number: float, bits: int) -> bool:
    return bool(_shortened(number, bits) == number)


def _shortened(numbers: Any, bits: int) -> Any:
    split = numbers * (2.0 ** (53 - bits) + 1)
    return split - (split - numbers)
