"""How large a problem's outputs and leaves are: asked for every pair of them, found once."""

from __future__ import annotations

import operator
from collections.abc import Sequence

from .._backends.arithmetic.magnitudes import Magnitudes
from .._backends.base import Array, Backend


class Sizes:
    """The largest entry of each output of a problem, and how large those of each leaf are."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._outputs: tuple[Sequence[Array], list[float]] = (), []
        self._leaves: dict[int, tuple[Array, Magnitudes]] = {}

    def of_outputs(self, vectors: Sequence[Array]) -> list[float]:
        """Return the largest entry of every output, as these vectors have it."""
        known, sizes = self._outputs
        if len(known) != len(vectors) or not all(map(operator.is_, known, vectors)):
            sizes = list(map(self._backend.largest, vectors))
            self._outputs = tuple(vectors), sizes
        return sizes

    def of_leaf(self, part: int, vector: Array) -> Magnitudes:
        """Return how large a leaf's entries are at the point."""
        known = self._leaves.get(part)
        if known is None or known[0] is not vector:
            known = self._leaves[part] = vector, self._backend.magnitudes(vector)
        return known[1]
