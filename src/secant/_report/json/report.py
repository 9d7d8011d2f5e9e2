"""A report as JSON and back; whole Jacobians go along where they are small."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields, replace
from typing import Any

import numpy as np

from ..._findings import Finding
from ..model import Frame, Jacobian, Report
from .fields import Misfit, reading, taken, taken_but
from .format import FORMAT, fields_but, spoken

_MOST_ENTRIES = 4096  # of a Jacobian that is written out
_NOT_AS_IT_IS = ("findings", "jacobians", "frames")
_FRAME = tuple(one.name for one in fields(Frame))


def fields_of(report: Report) -> dict[str, Any]:
    """Return what the JSON of a report holds."""
    return {
        "format": FORMAT,
        "kind": "report",
        "verdict": report.verdict.name,
        **fields_but(report, _NOT_AS_IT_IS),
        "resolution": report.resolution,
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
    with reading("report"):
        whole = {pair: _jacobian(item) for pair, item in _pairs(data["jacobians"])}
        frames = {
            pair: _frame(item, whole[pair])
            for pair, item in _pairs(data["jacobians"])
            if item.get("rows") is not None
        }
        return Report(
            findings=_findings(data["findings"]),
            jacobians=whole,
            frames=frames,
            **taken_but(Report, data, _NOT_AS_IT_IS),
        )


def _fields(finding: Finding) -> dict[str, Any]:
    """Return a finding's fields, all but the exception that it may carry."""
    fields = asdict(replace(finding, raised=None)) | spoken(finding)
    del fields["raised"]
    return fields


def _matrices(jacobian: Jacobian | None, frame: Frame | None) -> dict[str, Any]:
    if jacobian is None or jacobian.claimed.size > _MOST_ENTRIES:
        return dict.fromkeys((*Jacobian._fields, *_FRAME))
    matrices = {name: matrix.tolist() for name, matrix in jacobian._asdict().items()}
    return {**matrices, **(dict.fromkeys(_FRAME) if frame is None else asdict(frame))}


def _findings(data: Any) -> tuple[Finding, ...]:
    findings: tuple[Finding, ...] = taken(tuple[Finding, ...], data, "findings")
    for curve in (finding.curve for finding in findings if finding.curve is not None):
        lengths = {len(one) for one in (curve.steps, curve.values, curve.errors)}
        if len(lengths) > 1 or not all(0 < step < math.inf for step in curve.steps):
            raise Misfit("a curve has steps that are not positive, or another number of values")
    return findings


def _pairs(data: Any) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        raise Misfit("jacobians are no list of objects")
    for item in data:
        yield (taken(str, item["output"], "output"), taken(str, item["input"], "input")), item


def _jacobian(data: Mapping[str, Any]) -> Jacobian | None:
    if data["claimed"] is None:
        return None
    rows = tuple[tuple[float, ...], ...]
    matrices = [np.array(taken(rows, data[name], name), dtype=float) for name in Jacobian._fields]
    if any(one.ndim != 2 or one.shape != matrices[0].shape for one in matrices):
        raise Misfit(f"{', '.join(Jacobian._fields)} are no three matrices of one shape")
    return Jacobian(*matrices)


def _frame(data: Mapping[str, Any], jacobian: Jacobian | None) -> Frame:
    frame: Frame = taken(Frame, {name: data[name] for name in _FRAME})
    shape = None if jacobian is None else jacobian.claimed.shape
    if shape != (len(frame.rows), len(frame.columns)):
        raise Misfit("a Jacobian has other rows or columns than it has names for")
    return frame
