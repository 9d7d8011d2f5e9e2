"""The page of a suite: counts, search, filters, and every check unfolded on demand.

What is needed to list the checks, and to tell one, goes along as JSON; the page writes rows as they
are looked at. Pictures go along for checks that do not pass, as far as there is room.
"""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from ..._findings import Verdict
from ..mistakes import mistakes
from ..screen.notebook import SIGNS
from ..screen.suite import summary as in_a_line
from ..screen.suite import summed_up
from ..suite import EXPECTED, Case, Suite
from .figure import panels_of
from .matrices import pairs_of
from .stepsizes import stepsizes
from .view import TONES, cards, outcome, summary
from .write import page

_CASE_CELLS = 24 * 24  # of the one Jacobian that is drawn of a check
_MOST_COLUMNS = 4  # labels that have a column of their own; all of them are told below a check
_ALL_CELLS = 1 << 14  # of all Jacobians of the page together


def render(suite: Suite) -> str:
    """Return the suite as one page that needs nothing else."""
    room = _ALL_CELLS
    told = []
    for case in suite.cases:
        fields, used = _case(case, room)
        room -= used
        told.append(fields)
    labels = _labels(suite)
    columns = [label for label, _ in labels][:_MOST_COLUMNS]
    counts = [{**outcome(name), "count": count} for name, count in suite.counts.items()]
    view = {
        "heading": suite.title,
        "kind": "many gradient checks",
        "outcome": outcome(suite.outcome),
        "counts": counts,
        "facts": [
            ("checks", f"{len(suite.cases):,}"),
            ("evaluations", f"{suite.evaluations:,}"),
            ("time", f"{suite.seconds:.3g} s"),
        ],
        "versions": suite.versions,
        "headline": f"{suite.outcome}  {summed_up(suite)}",
        "labels": labels,
        "columns": columns,
        "mistakes": _mistakes(suite),
    }
    draws = any(fields["panels"] for fields in told)
    scripts = (["pictures.js"] if draws else []) + ["index.js"]
    data = {
        "cases": told,
        "order": list(suite.counts),
        "signs": SIGNS,
        "tones": TONES,
        "columns": columns,
    }
    return page("index.html", view, scripts, data, draws=draws)


def _mistakes(suite: Suite) -> list[dict[str, str]]:
    """Return one row for each mistake of an operator, where checks are of operators."""
    known = {case.name for case in suite.cases if case.is_expected}
    rows = mistakes(case for case in suite.cases if "operator" in case.labels)
    return [
        {
            "operator": row.operator,
            "severity": row.severity,
            "news": "known" if row.cases[0].partition(" (")[0] in known else "news",
            "where": "; ".join(row.where),
            "since": row.cases[0],
            "cases": f"{len(row.cases):,}",
            "error": f"{row.error:.2g}" if math.isfinite(row.error) else "",
            "said": row.said,
        }
        for row in rows
    ]


def _labels(suite: Suite) -> list[tuple[str, list[str]]]:
    """Return every label with the values it has, those with one value left out."""
    values: dict[str, set[str]] = {}
    for case in suite.cases:
        for label, value in case.labels.items():
            values.setdefault(label, set()).add(value)
    return [(label, sorted(found)) for label, found in values.items() if len(found) > 1]


def _case(case: Case, room: int) -> tuple[dict[str, Any], int]:
    """Return what the page knows about one check, and how many cells of pictures that takes."""
    report = case.report
    fields: dict[str, Any] = {
        "name": case.name,
        "outcome": case.outcome,
        "labels": dict(case.labels),
        "summary": "" if case.outcome == Verdict.PASS.name else in_a_line(case),
        "cards": [],
        "facts": [],
        "rerun": "",
        "panels": [],
        "evaluations": 0,
        "seconds": 0.0,
    }
    if report is None:
        fields["refusal"] = case.refusal
        return fields, 0
    cost = report.cost
    fields["evaluations"], fields["seconds"] = cost.evaluations, float(f"{cost.seconds:.3g}")
    fields["facts"] = [f"seed {report.seed}", *report.versions]
    fields["cards"] = cards(report) or [summary(report)]
    if case.outcome == EXPECTED:
        fields["cards"] = [{**one, "outcome": outcome(EXPECTED)} for one in fields["cards"]]
    fields["rerun"] = report.rerun
    if report:
        return fields, 0
    used = 0
    pairs = pairs_of(report)
    if pairs:
        jacobian = report.jacobians[pairs[0]]
        assert jacobian is not None, "pairs_of returns those that were kept"
        used = min(jacobian.claimed.size, _CASE_CELLS)
    if used > room:
        return fields, 0
    panels = panels_of(report, pairs[0], _CASE_CELLS) if pairs else []
    if report.curve is not None:
        panels.append(stepsizes(report.curve))
    fields["panels"] = [asdict(panel) for panel in panels]
    return fields, used
