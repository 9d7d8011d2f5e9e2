"""A report as JSON and back: everything but the whole Jacobians."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from typing import Any

from .._errors import InputError
from .._findings import Entry, Finding, Verdict
from .._measure.estimate import Estimate
from .model import Cost, Report

FORMAT = 1


def dump(report: Report) -> str:
    """Return the report as JSON; NaN and infinities are spelt as strings, so that it is valid."""
    return json.dumps(
        {
            "format": FORMAT,
            "verdict": report.verdict.name,
            "name": report.name,
            "resolution": _plain(report.resolution),
            "seed": report.seed,
            "versions": list(report.versions),
            "rerun": report.rerun,
            "cost": asdict(report.cost),
            "findings": [
                {**_plain(_fields(finding)), "verdict": finding.verdict.name}
                for finding in report.findings
            ],
        },
        indent=2,
        ensure_ascii=False,
        allow_nan=False,
    )


def load(text: str) -> Report:
    """Read what `dump` wrote."""
    try:
        data = json.loads(text)
        if data["format"] != FORMAT:
            raise InputError(f"expected a report of format {FORMAT}; got {data['format']!r}")
        return Report(
            data["name"],
            tuple(_finding(item) for item in data["findings"]),
            Cost(**data["cost"]),
            data["seed"],
            tuple(data["versions"]),
            data["rerun"],
        )
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise InputError(f"expected the JSON of a secant report; {error!r}") from error


def _fields(finding: Finding) -> dict[str, Any]:
    """Return a finding's fields, all but the exception that it may carry."""
    fields = asdict(replace(finding, raised=None))
    del fields["raised"]
    return fields


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if key != "verdict"}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return value


def _finding(data: dict[str, Any]) -> Finding:
    entries = tuple(
        Entry(
            item["output"],
            item["input"],
            float(item["claimed"]),
            _estimate(item["measured"]),
        )
        for item in data["entries"]
    )
    rest = {key: value for key, value in data.items() if key not in ("verdict", "entries")}
    for key in ("claimed", "resolution"):
        rest[key] = None if rest[key] is None else float(rest[key])
    rest["measured"] = None if rest["measured"] is None else _estimate(rest["measured"])
    return Finding(verdict=Verdict[data["verdict"]], entries=entries, **rest)


def _estimate(data: dict[str, Any]) -> Estimate:
    return Estimate(float(data["value"]), float(data["error"]))
