"""Pictures of a report: its panels in order, and all of them as one figure for a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._errors import InputError
from ..model import Report, chosen_pair
from .colours import LIGHT, painted
from .heatmaps import heatmaps
from .matrices import Leaves, pairs_of, shown
from .needs import need
from .panels import Panel, words
from .residuals import residuals
from .stepsizes import stepsizes

if TYPE_CHECKING:
    from plotly.graph_objects import Figure  # type: ignore[import-untyped]

_MOST_CELLS = 1 << 12
_GAP = 0.09


def panels_of(report: Report, pair: Leaves, most_cells: int) -> list[Panel]:
    """Return the panels of one Jacobian."""
    one = shown(report, pair, most_cells)
    scatter = residuals(one)
    return [*heatmaps(one), *([] if scatter is None else [scatter])]


def plot(report: Report, output: str | int | None, name: str | int | None) -> Figure:
    """Return the picture of a report as a plotly figure."""
    graph = need("plotly.graph_objects", "a picture")
    panels = _chosen(report, output, name)
    top = [panel for panel in panels if panel.kind in ("claimed", "measured", "residual")]
    bottom = [panel for panel in panels if panel not in top]
    layout: dict[str, Any] = {
        "template": "plotly_white",
        "height": 360 * bool(top) + 360 * bool(bottom),
        "annotations": [],
        "legend": {"orientation": "h", "y": -0.12},
        "margin": {"l": 70, "r": 30, "t": 70, "b": 60},
        "title": {"text": words(f"{report.verdict.name}  {report.name}")},
    }
    traces: list[dict[str, Any]] = []
    for row, group in enumerate((top, bottom)):
        height = (0.0, 1.0) if not (top and bottom) else ((0.6, 1.0), (0.0, 0.4))[row]
        for place, panel in enumerate(group):
            _place(panel, _columns(len(group), place), height, layout, traces)
    return graph.Figure(data=painted(traces, LIGHT), layout=painted(layout, LIGHT))


def _chosen(report: Report, output: str | int | None, name: str | int | None) -> list[Panel]:
    pairs = pairs_of(report)
    if output is not None or name is not None:
        report.jacobian(output or 0, name or 0)  # or says what is wrong with the choice
        pairs = [chosen_pair(report, output or 0, name or 0)]
    panels = panels_of(report, pairs[0], _MOST_CELLS) if pairs else []
    if report.curve is not None:
        panels.append(stepsizes(report.curve))
    if not panels:
        raise InputError(
            "expected a report with something to draw; this one holds neither Jacobians nor a "
            "step-size curve: check again with pictures=True"
        )
    return panels


def _columns(count: int, place: int) -> tuple[float, float]:
    width = (1 - (count - 1) * _GAP) / count
    left = place * (width + _GAP)
    return left, left + width


def _place(
    panel: Panel,
    across: tuple[float, float],
    height: tuple[float, float],
    layout: dict[str, Any],
    traces: list[dict[str, Any]],
) -> None:
    """Put a panel into its part of the figure."""
    count = sum(key.startswith("xaxis") for key in layout)
    suffix = "" if count == 0 else str(count + 1)
    layout[f"xaxis{suffix}"] = {**panel.xaxis, "domain": list(across), "anchor": f"y{suffix}"}
    layout[f"yaxis{suffix}"] = {**panel.yaxis, "domain": list(height), "anchor": f"x{suffix}"}
    layout["annotations"].append(
        {
            "text": f"<b>{panel.title}</b>",
            "x": across[0],
            "y": height[1],
            "xref": "paper",
            "yref": "paper",
            "xanchor": "left",
            "yanchor": "bottom",
            "showarrow": False,
        }
    )
    for trace in panel.traces:
        placed = {**trace, "xaxis": f"x{suffix}", "yaxis": f"y{suffix}"}
        if "colorbar" in trace:
            bar = {"x": across[1] + 0.003, "y": sum(height) / 2, "len": height[1] - height[0]}
            placed["colorbar"] = {**trace["colorbar"], **bar}
        traces.append(placed)
