"""Residuals against what is tolerated, entry by entry: what is wrong lies above the line."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._findings import Verdict
from ..pairs import spell_pair
from .matrices import MatrixCells
from .panels import Panel, estimate, number, words

_BELOW = (
    1 / 8
)  # a residual of zero has no place on a logarithmic axis: it is drawn below all others


def residuals(one: MatrixCells) -> Panel | None:
    """Return the panel of one Jacobian, None where no entry has a finite bar."""
    limit = one.tolerated if one.tolerated is not None else 1.5 * one.error
    residual = np.abs(one.residual)
    drawn = np.isfinite(residual) & np.isfinite(limit)
    if not drawn.any():
        return None
    floor = _floor(np.concatenate([residual[drawn], limit[drawn]]))
    beyond = one.beyond & drawn
    bad = ("wrong", "@bad", "x") if one.verdict is Verdict.FAIL else ("set aside", "@unsure", "x")
    traces = [
        _points(one, drawn & ~beyond, limit, residual, floor, ("tolerated", "@point", "circle")),
        _points(one, beyond, limit, residual, floor, bad),
    ]
    x = np.maximum(limit[drawn], floor)
    y = np.maximum(residual[drawn], floor)
    left, right = _range(x), _range(np.concatenate([x, y]))
    traces.insert(0, _line(left[0], left[1]))
    count = int(beyond.sum())
    what = "entries" if not one.is_reduced else "points, each the worst entry of a block,"
    says = f"{count} of {int(drawn.sum())} {what} lie above the line, beyond what is tolerated"
    if one.verdict is Verdict.FAIL and not count:
        says = (
            f"each of {int(drawn.sum())} {what} is within what is tolerated by itself: what is "
            "wrong shows in what they add up to, or in a law"
        )
    elif one.whole is Verdict.FAIL and not count:
        says = (
            f"each of {int(drawn.sum())} {what} is within what is tolerated: what fails is another "
            "pair of leaves, or a law"
        )
    elif one.verdict is not Verdict.FAIL and count:
        says += ", and were set aside: a kink, or right at a closer look"
    return Panel(
        "residuals",
        "Difference against what is tolerated",
        says,
        [trace for trace in traces if trace["x"]],
        _log_axis("tolerated: 1.5 error bars + rounding", left),
        _log_axis("|claimed − measured|", right),
    )


def _points(
    one: MatrixCells,
    chosen: np.ndarray[Any, Any],
    limit: np.ndarray[Any, Any],
    residual: np.ndarray[Any, Any],
    floor: float,
    style: tuple[str, str, str],
) -> dict[str, Any]:
    name, colour, symbol = style
    places = list(zip(*np.nonzero(chosen), strict=True))
    return {
        "type": "scatter",
        "mode": "markers",
        "name": f"{name} ({len(places)})",
        "x": [float(f"{max(limit[place], floor):.5g}") for place in places],
        "y": [float(f"{max(residual[place], floor):.5g}") for place in places],
        "customdata": [
            [
                words(spell_pair(one.rows[one.row[place]], one.columns[one.column[place]])),
                number(one.claimed[place]),
                estimate(one.measured[place], one.error[place]),
                f"{residual[place]:.2g}",
                f"{limit[place]:.2g}",
            ]
            for place in places
        ],
        "hovertemplate": (
            "<b>%{customdata[0]}</b><br>claimed  %{customdata[1]}<br>measured  %{customdata[2]}"
            "<br>off by  %{customdata[3]}, tolerated  %{customdata[4]}<extra></extra>"
        ),
        "marker": {"color": colour, "symbol": symbol, "size": 8, "opacity": 0.85},
    }


def _line(left: float, right: float) -> dict[str, Any]:
    ends = [10.0**left, 10.0**right]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "just tolerated",
        "x": ends,
        "y": ends,
        "line": {"color": "@muted", "width": 1.5, "dash": "dash"},
        "hoverinfo": "skip",
    }


def _floor(sizes: np.ndarray[Any, Any]) -> float:
    positive = sizes[sizes > 0]
    return float(positive.min()) * _BELOW if len(positive) else 1e-16


def _range(sizes: np.ndarray[Any, Any]) -> list[float]:
    low, high = math.log10(float(sizes.min())), math.log10(float(sizes.max()))
    room = max(0.4, 0.08 * (high - low))
    return [low - room, high + room]


def _log_axis(title: str, ends: list[float]) -> dict[str, Any]:
    return {
        "title": {"text": title, "standoff": 8},
        "type": "log",
        "range": ends,
        "exponentformat": "power",
        "dtick": max(1, math.ceil((ends[1] - ends[0]) / 6)),
        "gridcolor": "@grid",
        "zeroline": False,
    }
