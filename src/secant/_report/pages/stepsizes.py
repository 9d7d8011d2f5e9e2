"""The worst entry at many steps: where round-off rules, where truncation does, and the claim."""

from __future__ import annotations

import math
from typing import Any

from ..._findings import Curve
from ..pairs import spell_pair
from .panels import Panel, number, words


def stepsizes(curve: Curve) -> Panel:
    """Return the panel of one step-size curve."""
    ends = [min(curve.steps), max(curve.steps)]
    place = spell_pair(curve.output, curve.input)
    low, high = _window(curve)
    outside = sum(not low <= value <= high for value in curve.values)
    title = "Step-size curve of the worst entry"
    says = (
        f"{place}: claimed {number(curve.claimed)}, measured {curve.measured}, "
        f"central differences at {len(curve.steps)} steps"
    )
    if outside:
        says += f"; {outside} of them lie outside the axis"
    traces = [
        *_settled(curve, ends),
        _differences(curve),
        _level("claimed", curve.claimed, ends, "@bad", "dash"),
    ]
    return Panel(
        "steps",
        title,
        says,
        traces,
        {
            "title": {"text": "step", "standoff": 8},
            "type": "log",
            "exponentformat": "power",
            "dtick": max(1, math.ceil(math.log10(ends[1] / ends[0]) / 7)) if ends[0] else 2,
            "gridcolor": "@grid",
        },
        {
            "title": {"text": words(_short(place)), "standoff": 8},
            "range": [low, high],
            "gridcolor": "@grid",
            "zeroline": False,
        },
    )


def _short(place: str) -> str:
    return place if len(place) <= 44 else f"{place[:21]}…{place[-21:]}"


def _differences(curve: Curve) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": "central difference ± round-off",
        "x": list(curve.steps),
        "y": list(curve.values),
        "error_y": {
            "type": "data",
            "array": [error if math.isfinite(error) else 0.0 for error in curve.errors],
            "color": "@point",
            "thickness": 1.2,
            "width": 3,
        },
        "customdata": [
            [f"{step:.3g}", number(value), f"{error:.1g}"]
            for step, value, error in zip(curve.steps, curve.values, curve.errors, strict=True)
        ],
        "hovertemplate": (
            "step %{customdata[0]}<br>slope %{customdata[1]} ± %{customdata[2]}<extra></extra>"
        ),
        "line": {"color": "@point", "width": 1.5},
        "marker": {"color": "@point", "size": 7},
    }


def _settled(curve: Curve, ends: list[float]) -> list[dict[str, Any]]:
    value, error = curve.measured.value, curve.measured.error
    level = _level("measured", value, ends, "@good", "solid")
    if not math.isfinite(value) or not math.isfinite(error):
        return [level] if math.isfinite(value) else []
    band = {
        "type": "scatter",
        "mode": "lines",
        "name": "its error bar",
        "x": [*ends, *reversed(ends)],
        "y": [value - error, value - error, value + error, value + error],
        "fill": "toself",
        "fillcolor": "@band",
        "line": {"width": 0, "color": "@point"},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    return [band, level]


def _level(name: str, value: float, ends: list[float], colour: str, dash: str) -> dict[str, Any]:
    y = value if math.isfinite(value) else None
    return {
        "type": "scatter",
        "mode": "lines",
        "name": f"{name} {number(value)}",
        "x": ends,
        "y": [y, y],
        "line": {"color": colour, "width": 2, "dash": dash},
        "hovertemplate": f"{name} {number(value)}<extra></extra>",
    }


def _window(curve: Curve) -> tuple[float, float]:
    """Return an axis on which claim and measurement are apart: wild differences may leave it."""
    centre = curve.measured.value
    if not math.isfinite(centre):
        centre = sorted(curve.values)[len(curve.values) // 2]
    away = sorted(abs(value - centre) for value in curve.values)
    reach = max(away[len(away) // 2], 1e-12 * abs(centre), 1e-300)
    for one in (curve.claimed - centre, curve.measured.error):
        if math.isfinite(one):
            reach = max(reach, abs(one))
    middle = centre + (curve.claimed - centre) / 2 if math.isfinite(curve.claimed) else centre
    return middle - 1.5 * reach, middle + 1.5 * reach
