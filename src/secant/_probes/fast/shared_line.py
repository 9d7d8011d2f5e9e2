"""A line along which all leaves move at once, read by several cotangents of one output.

Four evaluations answer them all, and of each nothing is kept but what it claims: directions that
exist are known before anything is asked, so that a claim is a number as soon as it is pulled.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from ..._backends.base import Array
from ..._judge.yardstick import Yardstick
from ..._measure.difference import Claims, Functional, Reading, Stencil
from ..asking.question import Question
from ..base import Examination
from .openings import joined


class SharedLine:
    """All leaves moved at once along their directions, a line that every cotangent reads."""

    def __init__(self, examination: Examination, directions: Mapping[int, Array]) -> None:
        self._paces = {part: examination.step(part) for part in directions}
        self._reach = max(examination.steps(part).reach / t for part, t in self._paces.items())
        self._line = examination.joint_line(directions, self._paces)
        self._stencil = Stencil(self._line, 1.0)
        self.directions = dict(directions)
        if self._stencil.takes_moves:
            self._line.forget_directions()
            for part, move in zip(directions, self._stencil.moves, strict=True):
                exact = partial(operator.mul, 1 / self._paces[part])
                self.directions[part] = examination.backend.made(exact, move)
        self._functionals: list[Functional] = []
        self._claims: list[Claims] = []
        self._rows: list[list[tuple[int, Yardstick, float]]] = []

    def take(self, cotangent: Array, row: Sequence[Question]) -> None:
        """Take what one cotangent claims of all leaves, and nothing else of the questions."""
        functional = joined(list(row), self._reach)
        if self._stencil.takes_moves:
            apart = sum(one.claimed * self._paces[one.part] for one in row)
            self._claims.append((2 * apart, 4 * apart))
        else:
            self._claims += self._stencil.claims([functional])
        self._functionals.append(replace(functional, weights=cotangent, linear=()))
        self._rows.append([(one.part, one.yardstick, one.claimed) for one in row])

    def readings(self) -> list[Reading]:
        """Return what every cotangent reads; nothing where the function raises."""
        self.directions.clear()  # on long vectors every copy that lives on counts
        self._line.forget_directions()
        return self._stencil.read(self._functionals, self._claims) or []

    def disagreements(self, readings: Sequence[Reading]) -> Iterator[bool]:
        """Yield whether each of the last cotangents disagrees."""
        rows = self._rows[len(self._rows) - len(readings) :]
        for reading, row in zip(readings, rows, strict=True):
            forgiven = 0.0
            for part, yardstick, _ in row:
                pace = self._paces[part]
                forgiven += yardstick.limit(reading.over(pace)) * pace
            yield abs(reading.residual.value) > forgiven

    def told(self, reading: Reading) -> Iterator[int]:
        """Yield the leaves that the first cotangent's terms, all adding up, have nothing against.

        Other leaves contribute to what was measured: a leaf's own claim limits what is forgiven.
        """
        for part, yardstick, claimed in self._rows[0]:
            own = reading.over(self._paces[part])
            own = replace(own, slope=min(own.slope, yardstick.norm or 0.0))
            if yardstick.is_beyond_blame(own, claimed):
                yield part
