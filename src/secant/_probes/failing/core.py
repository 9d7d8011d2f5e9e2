"""A core of a Jacobian that is too large to be compared whole: a few rows and columns of it.

Around a wrong entry, its neighbours along each dimension are measured, and the outputs that they
move are pulled one by one. What is missing there is seldom missing there only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..._verdict.evidence import Comparison
from ..asking.question import Mode, Question
from .columns import ColumnReader
from .gather import compared, measured_by, scene_of

_LONG = 1 << 18  # outputs, of which no core is taken
_WRONG = 4  # wrong columns
_NEIGHBOURS = 3  # along each dimension of the first of them
_ROWS = 32  # outputs that are pulled by themselves
_EACH = 6  # outputs of each column


def core_of(reader: ColumnReader, places: Sequence[int]) -> Comparison | None:
    """Return the rows and columns around some wrong coordinates, None where they are not known."""
    mode, failed, examination = reader.mode, reader.failed, reader.examination
    if failed.pulled is None:  # forward mode knows columns only
        return None
    part, output = failed.part, failed.output
    scene = scene_of(examination, part, output)
    columns = _neighbourhood(places[:_WRONG], scene.input.grid)
    is_long = failed.weights.shape[0] > _LONG
    if is_long or any(reader.measured.column(one) is None for one in columns):
        return None
    measured, error = measured_by(reader, columns)
    rows = _rows(measured, columns if scene.is_square else [])
    if not rows:
        return None  # nothing moves there
    claimed = np.stack([_row(mode, failed, row, columns) for row in rows])
    known = compared(examination, (part, output), claimed, measured[rows], error[rows])
    return replace(known, some_rows=np.array(rows), some_columns=np.array(columns))


def _neighbourhood(places: Sequence[int], grid: tuple[int, ...]) -> list[int]:
    """Return the places, and the nearest ones of the first along each dimension."""
    chosen = list(places)
    index = np.array(np.unravel_index(places[0], grid))
    for axis, size in enumerate(grid):
        for step in range(1, min(_NEIGHBOURS, size - 1) + 1):
            other = index.copy()
            other[axis] = (other[axis] + step) % size
            chosen.append(int(np.ravel_multi_index(tuple(other), grid)))
    return list(dict.fromkeys(chosen))


def _rows(measured: np.ndarray, own: Sequence[int]) -> list[int]:
    """Return the outputs that some columns move most, and their own ones."""
    chosen = list(own)
    strength = np.abs(np.nan_to_num(measured))
    for column in strength.T:
        largest = np.argsort(-column, kind="stable")[:_EACH]
        chosen += largest[column[largest] > 0].tolist()
    return sorted(dict.fromkeys(chosen[: 4 * _ROWS]))[:_ROWS]


def _row(mode: Mode, failed: Question, row: int, columns: Sequence[int]) -> np.ndarray:
    """Return what is claimed about one output, at some inputs."""
    examination = mode.examination
    unit = examination.problem.codomain.parts[failed.output].unit(row)
    gradient = mode.ask(failed.part, failed.output, unit, failed.direction).gradient
    if gradient is None:
        return np.zeros(len(columns))
    return examination.backend.to_numpy(examination.backend.select(gradient, columns))
