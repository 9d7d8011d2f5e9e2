"""The page of one report: verdict, findings, Jacobians, residuals, step-size curve, cost."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ..._findings import Verdict
from ..model import Report
from ..pairs import spell_pair
from .figure import panels_of
from .matrices import pairs_of, verdict_of
from .stepsizes import stepsizes
from .view import cards, facts, left_out, outcome, passing, summary
from .write import page

_MOST_CELLS = 1 << 12  # of one Jacobian
_ALL_CELLS = 1 << 14  # of all Jacobians together
_MOST_PAIRS = 24


def render(report: Report) -> str:
    """Return the report as one page that needs nothing else."""
    drawn = pictures(report)
    view = {
        "heading": report.name,
        "kind": "gradient check",
        "outcome": outcome(report.verdict.name),
        "sentence": f"The derivative is {report.verdict.value}."
        if report.verdict is not Verdict.INCONCLUSIVE
        else "These numbers cannot tell whether the derivative is right.",
        "resolution": _resolution(report),
        "facts": facts(report.cost, report.seed),
        "cards": cards(report) or [summary(report)],
        "left_out": left_out(report),
        "passing": passing(report),
        "rerun": report.rerun,
        "versions": report.versions,
        "text": str(report),
        "pictures": drawn,
        "kept_back": len(pairs_of(report)) - len(drawn["pairs"]),
    }
    draws = bool(drawn["pairs"] or drawn["curve"])
    return page("report.html", view, ["pictures.js"] if draws else [], drawn, draws=draws)


def pictures(report: Report) -> dict[str, Any]:
    """Return all panels of a report as plain data."""
    all_cells = _ALL_CELLS
    pairs: list[dict[str, Any]] = []
    for pair in pairs_of(report)[:_MOST_PAIRS]:
        jacobian = report.jacobians[pair]
        assert jacobian is not None, "pairs_of returns those that were kept"
        cells = min(_MOST_CELLS, jacobian.claimed.size)
        if pairs and cells > all_cells:
            continue
        all_cells -= cells
        rows, columns = jacobian.claimed.shape
        pairs.append(
            {
                "name": spell_pair(*pair),
                "verdict": verdict_of(report, pair).name,
                "shape": f"{rows:,} × {columns:,}",
                "is_reduced": jacobian.claimed.size > _MOST_CELLS,
                "panels": [asdict(panel) for panel in panels_of(report, pair, _MOST_CELLS)],
            }
        )
    curve = None if report.curve is None else asdict(stepsizes(report.curve))
    return {"pairs": pairs, "curve": curve}


def _resolution(report: Report) -> str:
    if report.resolution is None:
        return ""
    return f"Any single wrong entry above {report.resolution:.1e} would have been caught."
