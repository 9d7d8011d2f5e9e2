"""The page of a comparison: every row beside its yardstick, the worst entries, what decides."""

from __future__ import annotations

import math
from typing import Any

from ..._findings import Verdict
from ..._legible import legible
from ..._words.comparisons import KERNEL_IS_NOT_FINITE
from ..comparison import ComparedError, Comparison, ComparisonRow
from ..screen.comparison import entry_cells, number, title
from .view import facts, outcome
from .write import page

_ORDER = (Verdict.FAIL, Verdict.INCONCLUSIVE, Verdict.PASS)
_DECADES = 3.0  # of a ratio, that a bar shows to either side of its limit
_SAID = {
    Verdict.PASS: "The kernel is as exact as its dtype allows.",
    Verdict.FAIL: "The kernel is wrong.",
    Verdict.INCONCLUSIVE: "These numbers cannot tell whether the kernel is right.",
}


def render(comparison: Comparison) -> str:
    """Return the comparison as one page that needs nothing else."""
    rows = sorted(comparison.rows, key=lambda row: _ORDER.index(row.verdict))
    view = {
        "heading": comparison.name,
        "kind": "kernel comparison",
        "outcome": outcome(comparison.verdict.name),
        "sentence": _SAID[comparison.verdict],
        "subject": legible(title(comparison)),
        "facts": facts(comparison.cost, comparison.seed),
        "rows": [_row(row) for row in rows],
        "notes": comparison.notes,
        "rerun": "" if comparison else comparison.rerun,
        "versions": comparison.versions,
        "text": str(comparison),
        "limit": f"{comparison.limit:.2g}",
    }
    return page("comparison.html", view, [], None, draws=False)


def _row(row: ComparisonRow) -> dict[str, Any]:
    said = [
        ("where", row.picture),
        ("what", row.message),
        ("likely", row.cause),
        ("next", row.advice),
    ]
    is_hole = KERNEL_IS_NOT_FINITE.explains(row.reasons)
    kind = "not finite" if is_hole else "beyond the limit"
    return {
        "outcome": outcome(row.verdict.name),
        "what": row.what,
        "dtype": row.dtype,
        "size": f"{row.size:,}",
        "held": [
            _held("in norm", row.norm, "", row.is_modelled),
            _held("worst entry", row.worst, " ulp", row.is_modelled),
        ],
        "wrong": "" if row.wrong is None else f"{row.wrong:,} of {row.size:,} entries {kind}",
        "said": [(label, text) for label, text in said if text],
        "entries": [entry_cells(entry) for entry in row.entries],
    }


def _held(
    label: str, held: ComparedError | None, unit: str, is_modelled: bool
) -> dict[str, Any] | None:
    if held is None:
        return None
    spell = number if unit else "{:.1e}".format
    return {
        "label": label,
        "error": f"{spell(held.error)}{unit}",
        "yardstick": f"{'~' if is_modelled else ''}{spell(held.yardstick)}{unit}",
        "ratio": number(held.ratio),
        "limit": f"{held.limit:.2g}",
        "is_within": held.is_within,
        "share": _share(held.ratio / held.limit),
    }


def _share(ratio: float) -> float:
    """Return how much of its bar a ratio fills, in percent: the limit is in the middle."""
    if math.isnan(ratio):
        return 100.0
    decades = math.log10(max(ratio, 1e-12)) if ratio < math.inf else _DECADES
    return round(50 + 50 * min(1.0, max(-1.0, decades / _DECADES)), 1)
