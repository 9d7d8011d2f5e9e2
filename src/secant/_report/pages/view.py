"""What templates are filled with: outcomes with a sign and a tone, facts, findings as cards."""

from __future__ import annotations

from typing import Any

from ..._findings import Finding, Verdict
from ..model import Cost, Report
from ..screen.blocks import Block, legible_block
from ..screen.compose import compose
from ..screen.notebook import SIGNS
from ..screen.report import block_of, told_once

TONES = {
    "PASS": "good",
    "FAIL": "bad",
    "INCONCLUSIVE": "unsure",
    "REFUSED": "refused",
    "EXPECTED": "expected",
}
_MOST_CARDS = 24
_MOST_PASSING = 400
_ORDER = (Verdict.FAIL, Verdict.INCONCLUSIVE)


def outcome(name: str) -> dict[str, str]:
    """Return an outcome as a badge shows it."""
    return {"name": name, "tone": TONES[name], "sign": SIGNS[name]}


def facts(cost: Cost, seed: int) -> list[tuple[str, str]]:
    """Return what a check cost, as labels and values."""
    shown = [
        ("evaluations", f"{cost.evaluations:,}"),
        ("pulls", f"{cost.pulls:,}"),
        ("pushes", f"{cost.pushes:,}"),
        ("time", f"{cost.seconds:.2g} s"),
    ]
    if cost.peak_bytes:
        shown.append(("memory", f"+{cost.peak_bytes / 2**20:,.0f} MiB"))
    return [*shown, ("seed", str(seed))]


def cards(report: Report) -> list[dict[str, Any]]:
    """Return the findings that do not pass, the gravest first, laws before slopes."""
    grave = [one for one in report.findings if one.verdict is not Verdict.PASS]
    grave.sort(key=lambda one: (_ORDER.index(one.verdict), one.kind == "derivative"))
    return [card(legible_block(block_of(report, *told))) for told in told_once(grave)[:_MOST_CARDS]]


def left_out(report: Report) -> int:
    """Return how many findings have no card for want of room."""
    grave = [one for one in report.findings if one.verdict is not Verdict.PASS]
    return max(0, len(told_once(grave)) - _MOST_CARDS)


def card(block: Block) -> dict[str, Any]:
    """Return a block of words as a card shows it."""
    return {
        "outcome": outcome(block.outcome),
        "title": block.title,
        "rows": [(row.label, row.text, row.aside, row.link) for row in block.rows],
        "table": [row for table in block.tables for row in table.rows],
    }


def summary(report: Report) -> dict[str, Any]:
    """Return the card of a report as a whole: what passed, or the first of what did not."""
    return card(compose(report)[0])


def passing(report: Report) -> dict[str, Any]:
    """Return the findings that pass, as rows of a table."""
    fine = [one for one in report.findings if one.verdict is Verdict.PASS]
    return {
        "count": len(fine),
        "rows": [_passing(one) for one in fine[:_MOST_PASSING]],
        "more": max(0, len(fine) - _MOST_PASSING),
    }


def _passing(finding: Finding) -> tuple[str, ...]:
    is_law = finding.kind != "derivative"
    what = f"{finding.kind} law" if is_law and finding.subject == "law" else finding.subject
    return (
        what,
        "" if finding.where == finding.kind else finding.where,
        "" if finding.claimed is None else f"{finding.claimed:.6g}",
        "" if finding.measured is None else str(finding.measured),
        "" if finding.resolution is None else f"{finding.resolution:.1e}",
        finding.note or "",
    )
