"""The whole Jacobians that a check made, and what pictures of them need."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._constants import KAPPA
from .._findings import Verdict
from .._probes.full.suspects import FullPair
from .._problem.problem import Problem
from .model import Frame, Jacobian

Leaves = tuple[str, str]
"""The paths of an output and of an input."""

_MOST_LABELS = 1 << 14  # coordinates of a leaf that are spelt out; a picture shows no more
_FEW_LABELS = 1 << 8  # where all is right and no picture was asked for


def jacobians_of(problem: Problem, pairs: list[FullPair]) -> dict[Leaves, Jacobian | None]:
    """Return the Jacobians by the paths of their leaves; None for one that was too large."""
    return {
        (problem.codomain.path(pair.output), problem.domain.path(pair.part)): Jacobian(
            pair.claimed, pair.measured, _admitted(pair)
        )
        if pair.measured is not None and pair.error is not None
        else None
        for pair in pairs
    }


def _admitted(pair: FullPair) -> np.ndarray[Any, Any]:
    """Return the bars as the verdict left them, so that no report contradicts itself.

    Where a kink or a closer look has acquitted an entry, the bar of the first look was too narrow.
    """
    assert pair.measured is not None
    assert pair.error is not None
    if pair.verdict is Verdict.FAIL or pair.tolerance is None:
        return pair.error
    with np.errstate(invalid="ignore"):
        off = np.abs(pair.claimed - pair.measured)
        off -= pair.tolerance.rtol * np.abs(pair.claimed) + pair.tolerance.atol
        return np.fmax(pair.error, off / KAPPA)


def frames_of(problem: Problem, pairs: list[FullPair], *, is_pictured: bool) -> dict[Leaves, Frame]:
    """Return what pictures of the Jacobians that were kept need beside their numbers."""
    domain, codomain = problem.domain, problem.codomain
    most = _MOST_LABELS if is_pictured else _FEW_LABELS
    frames = {}
    for pair in pairs:
        inside, outside = domain.parts[pair.part], codomain.parts[pair.output]
        if pair.measured is None or pair.tolerance is None:
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
