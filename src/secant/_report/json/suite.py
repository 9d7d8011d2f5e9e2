"""A suite as JSON and back, and each of its checks."""

from __future__ import annotations

from typing import Any

from ..suite import EXPECTED, Case, Suite
from .fields import Misfit, reading, taken_but
from .format import FORMAT, fields_but
from .report import fields_of as report_fields
from .report import report_of

_NOT_AS_IT_IS = ("report", "is_expected")


def fields_of(suite: Suite) -> dict[str, Any]:
    """Return what the JSON of a suite holds."""
    return {
        "format": FORMAT,
        "kind": "suite",
        "outcome": suite.outcome,
        **fields_but(suite, ("cases",)),
        "counts": suite.counts,
        "cases": [case_fields(case) for case in suite.cases],
    }


def suite_of(data: dict[str, Any]) -> Suite:
    """Return the suite that such fields describe."""
    with reading("suite"):
        if not isinstance(data["cases"], list):
            raise Misfit("cases are no list")
        cases = tuple(case_of(item) for item in data["cases"])
        return Suite(cases=cases, **taken_but(Suite, data, ("cases",)))


def case_fields(case: Case) -> dict[str, Any]:
    """Return what the JSON of one check of a suite holds."""
    return {
        **fields_but(case, _NOT_AS_IT_IS),
        "labels": dict(case.labels),
        "outcome": case.outcome,
        "report": None if case.report is None else report_fields(case.report),
    }


def case_of(data: Any) -> Case:
    """Return the check that such fields describe."""
    with reading("suite"):
        report = None if data["report"] is None else report_of(data["report"])
        is_expected = data["outcome"] == EXPECTED
        return Case(report=report, is_expected=is_expected, **taken_but(Case, data, _NOT_AS_IT_IS))
