"""A suite as JSON and back, and each of its checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..suite import EXPECTED, Case, Suite
from .fields import Misfit, reading, taken
from .format import FORMAT
from .report import fields_of as report_fields
from .report import report_of


def fields_of(suite: Suite) -> dict[str, Any]:
    """Return what the JSON of a suite holds."""
    return {
        "format": FORMAT,
        "kind": "suite",
        "outcome": suite.outcome,
        "title": suite.title,
        "seconds": suite.seconds,
        "versions": list(suite.versions),
        "counts": suite.counts,
        "cases": [case_fields(case) for case in suite.cases],
    }


def suite_of(data: dict[str, Any]) -> Suite:
    """Return the suite that such fields describe."""
    with reading("suite"):
        if not isinstance(data["cases"], list):
            raise Misfit("cases are no list")
        return Suite(
            taken(str, data["title"], "title"),
            tuple(case_of(item) for item in data["cases"]),
            taken(float, data["seconds"], "seconds"),
            taken(tuple[str, ...], data["versions"], "versions"),
        )


def case_fields(case: Case) -> dict[str, Any]:
    """Return what the JSON of one check of a suite holds."""
    return {
        "name": case.name,
        "outcome": case.outcome,
        "refusal": case.refusal,
        "labels": dict(case.labels),
        "report": None if case.report is None else report_fields(case.report),
    }


def case_of(data: Any) -> Case:
    """Return the check that such fields describe."""
    with reading("suite"):
        report = None if data["report"] is None else report_of(data["report"])
        return Case(
            taken(str, data["name"], "name"),
            report,
            taken(str, data["refusal"], "refusal"),
            taken(Mapping[str, str], data["labels"], "labels"),
            data["outcome"] == EXPECTED,
        )
