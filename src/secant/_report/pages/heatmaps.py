"""Claimed, measured and what they differ by, as three heat maps with zero in the middle."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._findings import Verdict
from ..pairs import spell_pair
from .colours import DIVERGING
from .matrices import Matrix, MatrixCells
from .panels import Panel, estimate, finite, number, words

_MOST_TICKS = 9
_LONGEST = 12  # letters of a tick's label
_ACROSS = 30  # letters that fit below a heat map side by side
_SPELT = 4  # columns up to which there is room for a number in each cell

_HOVER = (
    "<b>%{customdata[0]}</b><br>claimed  %{customdata[1]}<br>measured  %{customdata[2]}"
    "<br>difference  %{customdata[3]}%{customdata[4]}<extra></extra>"
)


def heatmaps(one: MatrixCells) -> list[Panel]:
    """Return the three panels of one Jacobian."""
    hover = _hover(one)
    slopes = [one.claimed, one.measured]
    size = max(_largest(matrix) for matrix in slopes)
    residual = one.residual
    titled = [
        ("claimed", "claimed", one.claimed, size),
        ("measured", "measured", one.measured, size),
        ("residual", "claimed − measured", residual, _scale(one)),
    ]
    panels = []
    for kind, title, matrix, scale in titled:
        traces = [_map(matrix, scale, hover)]
        if kind == "residual":
            traces += _marks(one)
        count = int(one.beyond.sum())
        says = f"{title} Jacobian {one.name}, {one.shape[0]} × {one.shape[1]}"
        if kind == "residual":
            aside = ", and were set aside" if count and one.verdict is not Verdict.FAIL else ""
            says += f"; {count} cells differ by more than is tolerated{aside}"
        panels.append(Panel(kind, title, says, traces, _axis(one, 1), _axis(one, 0)))
    return panels


def _map(matrix: Matrix, scale: float, hover: list[list[list[str]]]) -> dict[str, Any]:
    trace: dict[str, Any] = {
        "type": "heatmap",
        "z": [[finite(value) for value in row] for row in matrix.tolist()],
        "customdata": hover,
        "hovertemplate": _HOVER,
        "hoverongaps": True,
        "colorscale": DIVERGING,
        "zmin": -scale,
        "zmax": scale,
        "xgap": 1,
        "ygap": 1,
        "colorbar": {
            "thickness": 10,
            "outlinewidth": 0,
            "tickformat": ".2~g",
            "nticks": 5,
            "len": 1.0,
            "y": 0.5,
        },
    }
    if max(matrix.shape) > 40:
        trace["xgap"] = trace["ygap"] = 0
    if _is_spelt(matrix):
        trace["text"] = [[f"{value + 0.0:.3g}" for value in row] for row in matrix.tolist()]
        trace["texttemplate"] = "%{text}"
        trace["textfont"] = {"size": 11}
    return trace


def _marks(one: MatrixCells) -> list[dict[str, Any]]:
    """Return crosses on what is wrong, so that colour is not the only sign."""
    rows, columns = np.nonzero(one.beyond)
    if not len(rows):
        return []
    is_wrong = one.verdict is Verdict.FAIL
    # beside a number in the cell a cross goes into the corner
    aside = 0.36 if _is_spelt(one.claimed) else 0.0
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "name": "wrong" if is_wrong else "set aside",
            "x": (columns + aside).tolist(),
            "y": (rows - aside).tolist(),
            "marker": {
                "symbol": "x" if is_wrong else "circle-open",
                "size": 7,
                "color": "@bad" if is_wrong else "@unsure",
                "line": {"width": 1, "color": "@card"},
            },
            "hoverinfo": "skip",
            "showlegend": False,
        }
    ]


def _hover(one: MatrixCells) -> list[list[list[str]]]:
    beyond, residual = one.beyond, one.residual
    remark = "  ✗ wrong" if one.verdict is Verdict.FAIL else "  set aside"
    return [
        [
            [
                words(spell_pair(one.rows[one.row[i, k]], one.columns[one.column[i, k]])),
                number(one.claimed[i, k]),
                estimate(one.measured[i, k], one.error[i, k]),
                number(residual[i, k]),
                remark if beyond[i, k] else "",
            ]
            for k in range(one.claimed.shape[1])
        ]
        for i in range(one.claimed.shape[0])
    ]


def _axis(one: MatrixCells, axis: int) -> dict[str, Any]:
    path = (one.output, one.input)[axis]
    labels = (one.rows, one.columns)[axis]
    places = one.row[:, 0] if axis == 0 else one.column[0]
    count = one.claimed.shape[axis]
    step = -(-count // _MOST_TICKS)
    ticks = list(range(0, count, step))
    texts = [_short(_index(labels[int(places[k])], path), _LONGEST) for k in ticks]
    is_crowded = sum(len(text) + 2 for text in texts) > _ACROSS
    return {
        "title": {"text": words(_short(f"∂{path}", 40)), "standoff": 6},
        "tickmode": "array",
        "tickvals": ticks,
        "ticktext": [words(text) for text in texts],
        "tickangle": -90 if axis and is_crowded else 0,
        "showgrid": False,
        "zeroline": False,
        "range": [-0.5, count - 0.5] if axis else [count - 0.5, -0.5],
    }


def _index(label: str, path: str) -> str:
    """Return what a label adds to its leaf's path."""
    rest = label.removeprefix(path)
    return rest.removeprefix(", coordinate ") or "·"


def _short(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    half = (longest - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


def _is_spelt(matrix: Matrix) -> bool:
    return bool(matrix.shape[1] <= _SPELT and matrix.shape[0] <= 2 * _SPELT)


def _scale(one: MatrixCells) -> float:
    """Return what the strongest colour of a residual stands for: what is tolerated is pale."""
    tolerated = 0.0 if one.tolerated is None else _largest(one.tolerated)
    return max(_largest(one.residual), tolerated)


def _largest(matrix: Matrix) -> float:
    sizes = np.abs(matrix[np.isfinite(matrix)])
    return float(sizes.max(initial=0.0)) or 1.0
