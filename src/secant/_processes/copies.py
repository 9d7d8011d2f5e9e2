"""Copies of one array that processes hold: by what share of their size their answers differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .._backends.base import Array, Backend
from .joints import Joint, is_same
from .member import MemberAnswer

_LEAST = 1e-6  # share of their size that copies may differ by, and so many roundings
_ROUNDINGS = 2.0**16
_MOST = 0.25


@dataclass(frozen=True, slots=True)
class DifferingCopies:
    """A leaf whose copies have gradients that are not the same."""

    rank: int  # of the copy that is furthest from the first's
    other: int
    share: float  # of their size


def note_apart(
    backend: Backend,
    joints: Sequence[Joint],
    answers: Sequence[MemberAnswer],
    apart: dict[int, DifferingCopies],
) -> None:
    """See whether all copies have the same answer, where each has the whole."""
    for number, joint in enumerate(joints):
        if joint.convention == "share":
            continue
        for rank, place in joint.holders[1:]:
            share = share_apart(backend, joint, answers, rank, place)
            known = apart.get(number)
            if share and (known is None or share > known.share):
                apart[number] = DifferingCopies(rank, joint.first[0], share)


def share_apart(
    backend: Backend, joint: Joint, answers: Sequence[MemberAnswer], rank: int, place: int
) -> float:
    """Return by what share of their size two copies differ, 0 if by no more than rounding."""
    one, other = answers[joint.first[0]].arrays[joint.first[1]], answers[rank].arrays[place]
    if one is None and other is None:
        return 0.0
    if one is None or other is None:
        left = one if other is None else other
        return 1.0 if backend.largest(_flat(backend, left)) else 0.0
    if is_same(backend, one, other):
        return 0.0
    first, second = _flat(backend, one), _flat(backend, other)
    if first.shape != second.shape:
        return 1.0
    size = max(backend.largest(first), backend.largest(second))
    allowed = max(_LEAST, min(_ROUNDINGS * backend.roundoff(one), _MOST)) * size
    apart = backend.largest(first - second)
    return 0.0 if apart <= allowed else apart / size


def _flat(backend: Backend, array: Array) -> Array:
    return backend.flatten(backend.as_real(array) if backend.is_complex(array) else array)
