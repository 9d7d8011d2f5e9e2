"""The whole Jacobians that a check made, and what pictures of them need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from .._constants import KAPPA
from .._findings import Verdict
from .._probes.asking.columns import Matrix
from .._probes.full.suspects import FullPair
from .._problem.problem import Problem
from .model import Frame, Jacobian

Leaves = tuple[str, str]
"""The paths of an output and of an input."""

_MOST_LABELS = 1 << 14  # coordinates of a leaf that are spelt out; a picture shows no more
_FEW_LABELS = 1 << 8  # where all is right and no picture was asked for


class Jacobians(Mapping[Leaves, Jacobian | None]):
    """Jacobians that were kept; those that few numbers tell are made when they are asked for."""

    def __init__(self, kept: dict[Leaves, Callable[[], Jacobian] | Jacobian | None]) -> None:
        self._kept = kept

    def __getitem__(self, pair: Leaves) -> Jacobian | None:
        one = self._kept[pair]
        if callable(one):
            one = self._kept[pair] = one()
        return one

    def __iter__(self) -> Iterator[Leaves]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)


def jacobians_of(problem: Problem, pairs: list[FullPair]) -> Jacobians:
    """Return the Jacobians by the paths of their leaves; None for one that was too large."""
    return Jacobians(
        {
            (problem.codomain.path(pair.output), problem.domain.path(pair.part)): _kept(pair)
            for pair in pairs
        }
    )


def _kept(pair: FullPair) -> Callable[[], Jacobian] | Jacobian | None:
    if pair.whole is not None:
        return partial(_made, pair.whole)
    if pair.measured is None or pair.error is None:
        return None
    return Jacobian(pair.claimed, pair.measured, _admitted(pair, pair.measured, pair.error))


def _made(whole: Callable[[], tuple[Matrix, Matrix, Matrix]]) -> Jacobian:
    return Jacobian(*whole())


def _admitted(pair: FullPair, measured: Matrix, error: Matrix) -> Matrix:
    """Return the bars as the verdict left them, so that no report contradicts itself.

    Where a kink or a closer look has acquitted an entry, the bar of the first look was too narrow.
    """
    if pair.verdict is Verdict.FAIL or pair.tolerance is None:
        return error
    with np.errstate(invalid="ignore"):
        off = np.abs(pair.claimed - measured)
        off -= pair.tolerance.rtol * np.abs(pair.claimed) + pair.tolerance.atol
        bars: Matrix = np.fmax(error, off / KAPPA)
    return bars


def frames_of(problem: Problem, pairs: list[FullPair], *, is_pictured: bool) -> dict[Leaves, Frame]:
    """Return what pictures of the Jacobians that were kept need beside their numbers."""
    domain, codomain = problem.domain, problem.codomain
    most = _MOST_LABELS if is_pictured else _FEW_LABELS
    frames = {}
    for pair in pairs:
        inside, outside = domain.parts[pair.part], codomain.parts[pair.output]
        if (pair.measured is None and pair.whole is None) or pair.tolerance is None:
            continue
        if max(inside.size, outside.size) > most:
            continue
        output, part = codomain.path(pair.output), domain.path(pair.part)
        frames[output, part] = Frame(
            tuple(codomain.labels(pair.output)),
            tuple(domain.labels(pair.part)),
            pair.tolerance.rtol,
            pair.tolerance.atol,
        )
    return frames
