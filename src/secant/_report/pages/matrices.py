"""A Jacobian made ready for pictures: what is wrong in it, and no more cells than can be seen.

A large Jacobian is shown in blocks: each cell stands for the entry of its block that is furthest
beyond what is tolerated, so that a single wrong entry is never hidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._constants import KAPPA
from ..._findings import Verdict
from ..model import Jacobian, Report
from ..pairs import spell_pair

Matrix = np.ndarray[Any, Any]
Leaves = tuple[str, str]


@dataclass(frozen=True)
class MatrixCells:
    """What pictures of one Jacobian show, cell by cell, (rows, columns)."""

    output: str
    input: str
    verdict: Verdict
    claimed: Matrix
    measured: Matrix
    error: Matrix
    tolerated: Matrix | None  # None where nobody recorded it
    row: Matrix  # the place of each cell's entry in the whole Jacobian
    column: Matrix
    rows: tuple[str, ...]  # labels of the whole Jacobian
    columns: tuple[str, ...]
    shape: tuple[int, int]
    whole: Verdict = Verdict.PASS  # on the report, which may fail elsewhere

    @property
    def name(self) -> str:
        """The pair of leaves."""
        return spell_pair(self.output, self.input)

    @property
    def is_reduced(self) -> bool:
        """Say whether a cell stands for more than one entry."""
        return bool(self.shape != self.claimed.shape)

    @property
    def residual(self) -> Matrix:
        """What claimed and measured differ by."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.claimed - self.measured)

    @property
    def beyond(self) -> Matrix:
        """Say which entries are off by more than is tolerated; one that is not finite is."""
        return beyond(self.claimed, self.measured, self.error, self.tolerated)


def beyond(claimed: Matrix, measured: Matrix, error: Matrix, tolerated: Matrix | None) -> Matrix:
    """Say where claimed and measured differ by more than is tolerated."""
    limit = KAPPA * error if tolerated is None else tolerated
    with np.errstate(invalid="ignore"):
        return np.asarray(~(np.abs(claimed - measured) <= limit) & np.isfinite(measured))


def pairs_of(report: Report) -> list[Leaves]:
    """Return the pairs of leaves whose Jacobians were kept, the worst first."""
    kept = [
        pair for pair, one in report.jacobians.items() if one is not None and one.claimed.size > 0
    ]
    order = (Verdict.FAIL, Verdict.INCONCLUSIVE, Verdict.PASS)
    return sorted(kept, key=lambda pair: order.index(verdict_of(report, pair)))


def verdict_of(report: Report, pair: Leaves) -> Verdict:
    """Return the verdict on one pair of leaves."""
    place = spell_pair(*pair)
    mine = [finding.verdict for finding in report.findings if finding.where == place]
    return next((one for one in (Verdict.FAIL, Verdict.INCONCLUSIVE) if one in mine), Verdict.PASS)


def shown(report: Report, pair: Leaves, most_cells: int) -> MatrixCells:
    """Return what is shown of one Jacobian that was kept."""
    jacobian = report.jacobians[pair]
    assert jacobian is not None, "the caller chose a pair that was kept"
    frame = report.frames.get(pair)
    tolerated = None
    if frame is not None:
        slack = frame.atol + frame.rtol * np.abs(jacobian.claimed)
        tolerated = KAPPA * jacobian.error + slack
    row, column = _cells(jacobian, tolerated, most_cells)
    labels = (frame.rows, frame.columns) if frame is not None else None
    rows, columns = jacobian.claimed.shape
    return MatrixCells(
        pair[0],
        pair[1],
        verdict_of(report, pair),
        jacobian.claimed[row, column],
        jacobian.measured[row, column],
        jacobian.error[row, column],
        None if tolerated is None else tolerated[row, column],
        row,
        column,
        labels[0] if labels else _numbered(pair[0], rows),
        labels[1] if labels else _numbered(pair[1], columns),
        (rows, columns),
        report.verdict,
    )


def _numbered(path: str, size: int) -> tuple[str, ...]:
    """Return labels for a leaf whose coordinates nobody spelt."""
    return (path,) if size == 1 else tuple(f"{path}, coordinate {k}" for k in range(size))


def _cells(jacobian: Jacobian, tolerated: Matrix | None, most: int) -> tuple[Matrix, Matrix]:
    """Return the row and the column of the entry that each cell shows."""
    rows, columns = jacobian.claimed.shape
    side = int(most**0.5)
    heights = _edges(rows, max(side, most // columns))
    widths = _edges(columns, max(side, most // rows))
    if len(heights) == rows and len(widths) == columns:
        row, column = np.meshgrid(heights, widths, indexing="ij")
        return row, column
    limit = KAPPA * jacobian.error if tolerated is None else tolerated
    with np.errstate(all="ignore"):
        badness = np.abs(jacobian.claimed - jacobian.measured) / limit
    badness[np.isnan(badness)] = np.inf
    row = np.empty((len(heights), len(widths)), int)
    column = np.empty_like(row)
    for i, top in enumerate(heights):
        band = badness[top : heights[i + 1] if i + 1 < len(heights) else rows]
        for k, left in enumerate(widths):
            block = band[:, left : widths[k + 1] if k + 1 < len(widths) else columns]
            down, across = np.unravel_index(int(block.argmax()), block.shape)
            row[i, k], column[i, k] = top + down, left + across
    return row, column


def _edges(size: int, most: int) -> Matrix:
    """Return where blocks begin so that there are at most so many."""
    return np.unique(np.linspace(0, size, min(size, most), endpoint=False).astype(int))
