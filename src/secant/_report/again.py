"""A saved report, judged again: would its verdicts be others today?"""

from __future__ import annotations

from dataclasses import replace

from .._errors import InputError
from .._findings import Finding
from .._judge.judge import is_known, judge
from .model import Report


def judged_again(report: Report) -> Report:
    """Return the report with the verdicts that today's rules read from its evidence."""
    return replace(report, findings=tuple(map(_again, report.findings)))


def changes(before: Report, after: Report) -> list[str]:
    """Say which verdicts have become others, a line for each finding and one for all."""
    lines = [
        f"{one.kind} {one.where}: {one.verdict.name}, today {other.verdict.name}"
        for one, other in zip(before.findings, after.findings, strict=True)
        if one.verdict is not other.verdict
    ]
    if not lines:
        return [f"judged again: {after.verdict.name}, as before"]
    return [*lines, f"judged again: {before.verdict.name}, today {after.verdict.name}"]


def _again(finding: Finding) -> Finding:
    evidence = finding.evidence
    if evidence is None or not is_known(evidence):
        where = f" about {finding.where}" if finding.where else ""
        why = "has no evidence" if evidence is None else "rests on rules that are unknown here"
        raise InputError(f"cannot be judged again: its finding{where} {why}")
    try:
        return replace(finding, verdict=judge(evidence))
    except (KeyError, ValueError, IndexError) as error:
        raise InputError(f"cannot be judged again: evidence is incomplete ({error!r})") from error
