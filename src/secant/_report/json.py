"""A report as JSON and back; whole Jacobians go along where they are small."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any

import numpy as np

from .._errors import InputError
from .._findings import Curve, Entry, Finding, Verdict
from .._measure.estimate import Estimate
from .model import Cost, Frame, Jacobian, Report

FORMAT = 2
_MOST_ENTRIES = 4096  # of a Jacobian that is written out
_FRAME = tuple(one.name for one in fields(Frame))


def dump(report: Report) -> str:
    """Return the report as JSON; NaN and infinities are spelt as strings, so that it is valid."""
    return spelt(fields_of(report))


def load(text: str) -> Report:
    """Read what `dump` wrote."""
    return report_of(parsed(text, "report"))


def spelt(document: Mapping[str, Any]) -> str:
    """Return a document as JSON that any reader accepts."""
    return json.dumps(plain(document), indent=2, ensure_ascii=False, allow_nan=False)


def parsed(text: str, *kinds: str) -> dict[str, Any]:
    """Return the document in a text, if it is of one of these kinds and of this format."""
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"expected the JSON of a secant report; {error!r}") from error
    if not isinstance(data, dict) or "format" not in data:
        raise InputError("expected the JSON of a secant report; it states no format")
    if data["format"] != FORMAT:
        raise InputError(f"expected a report of format {FORMAT}; got {data['format']!r}")
    if data.get("kind") not in kinds:
        raise InputError(f"expected the JSON of a {' or '.join(kinds)}; got {data.get('kind')!r}")
    return data


def fields_of(report: Report) -> dict[str, Any]:
    """Return what the JSON of a report holds."""
    return {
        "format": FORMAT,
        "kind": "report",
        "verdict": report.verdict.name,
        "name": report.name,
        "resolution": report.resolution,
        "seed": report.seed,
        "versions": list(report.versions),
        "rerun": report.rerun,
        "cost": asdict(report.cost),
        "findings": [
            {**_fields(finding), "verdict": finding.verdict.name} for finding in report.findings
        ],
        "jacobians": [
            {"output": pair[0], "input": pair[1], **_matrices(jacobian, report.frames.get(pair))}
            for pair, jacobian in report.jacobians.items()
        ],
    }


def report_of(data: Mapping[str, Any]) -> Report:
    """Return the report that such fields describe."""
    try:
        return Report(
            data["name"],
            tuple(_finding(item) for item in data["findings"]),
            Cost(**data["cost"]),
            data["seed"],
            tuple(data["versions"]),
            data["rerun"],
            {(item["output"], item["input"]): _jacobian(item) for item in data["jacobians"]},
            {
                (item["output"], item["input"]): Frame(
                    tuple(item["rows"]),
                    tuple(item["columns"]),
                    float(item["rtol"]),
                    float(item["atol"]),
                )
                for item in data["jacobians"]
                if item.get("rows") is not None
            },
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"expected the JSON of a secant report; {error!r}") from error


def plain(value: Any) -> Any:
    """Spell what JSON has no word for: NaN and infinities as strings, tuples as lists."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return value


def _fields(finding: Finding) -> dict[str, Any]:
    """Return a finding's fields, all but the exception that it may carry."""
    fields = asdict(replace(finding, raised=None))
    del fields["raised"]
    return fields


def _matrices(jacobian: Jacobian | None, frame: Frame | None) -> dict[str, Any]:
    if jacobian is None or jacobian.claimed.size > _MOST_ENTRIES:
        return dict.fromkeys((*Jacobian._fields, *_FRAME))
    matrices = {name: matrix.tolist() for name, matrix in jacobian._asdict().items()}
    return {**matrices, **(dict.fromkeys(_FRAME) if frame is None else asdict(frame))}


def _jacobian(data: Mapping[str, Any]) -> Jacobian | None:
    if data["claimed"] is None:
        return None
    return Jacobian(*(np.array(data[name], dtype=float) for name in Jacobian._fields))


def _finding(data: dict[str, Any]) -> Finding:
    fields = dict(data)
    for key in ("claimed", "resolution"):
        fields[key] = None if fields[key] is None else float(fields[key])
    fields["verdict"] = Verdict[fields["verdict"]]
    fields["measured"] = None if fields["measured"] is None else _estimate(fields["measured"])
    fields["entries"] = tuple(Entry(**{**item, **_numbers(item)}) for item in fields["entries"])
    curve = fields["curve"]
    if curve is not None:
        lists = {key: tuple(map(float, curve[key])) for key in ("steps", "values", "errors")}
        fields["curve"] = Curve(**{**curve, **_numbers(curve), **lists})
    return Finding(**fields)


def _numbers(data: Mapping[str, Any]) -> dict[str, Any]:
    return {"claimed": float(data["claimed"]), "measured": _estimate(data["measured"])}


def _estimate(data: Mapping[str, Any]) -> Estimate:
    return Estimate(float(data["value"]), float(data["error"]))
