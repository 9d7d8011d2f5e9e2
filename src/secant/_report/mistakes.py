"""One mistake seen in many checks is one row: operator, severity, where, since when, how wrong.

Takes the checks of a suite that did not pass; gives rows, the gravest first. A check belongs to the
operator that its labels name, or to itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .._findings import Finding, Verdict
from .screen.suite import summary
from .suite import Case

WRONG, UNDEFINED, RAISES, IMPRECISE, LAW, UNDECIDED = SEVERITIES = (
    "wrong value",
    "NaN where finite",
    "raises",
    "loses digits",
    "breaks a law",
    "undecided",
)
"""How bad a mistake is, the gravest first; nobody knows whether the last is one."""

_DIGITS = 1e-3  # of the measured slope: what is off by less has lost digits, and is not another one


@dataclass(frozen=True)
class MistakeFinding:
    """One finding of one check, as far as it tells which mistake this is."""

    operator: str
    severity: str
    where: str  # mode and order, and the pair of leaves
    case: str
    error: float  # of the measured slope; NaN where that says nothing
    said: str


@dataclass(frozen=True)
class Mistake:
    """All that one operator does wrong in one way."""

    operator: str
    severity: str
    where: tuple[str, ...]
    cases: tuple[str, ...]  # the first is the one to look at
    error: float  # the largest
    said: str  # of the first

    def __str__(self) -> str:
        count = f"{len(self.cases):,} case{'s' if len(self.cases) != 1 else ''}"
        off = f", off by {self.error:.2g} of it" if math.isfinite(self.error) else ""
        said = f": {self.said}" if self.said else ""
        return f"{self.severity}  {self.operator}  {count} since {self.cases[0]}{off}{said}"


def mistakes(cases: Iterable[Case]) -> tuple[Mistake, ...]:
    """Return the mistakes behind the checks that did not pass, the gravest first."""
    seen: dict[tuple[str, str], list[MistakeFinding]] = {}
    for case in cases:
        for sight in sights(case):
            seen.setdefault((sight.operator, sight.severity), []).append(sight)
    rows = [_row(several) for several in seen.values()]
    return tuple(sorted(rows, key=lambda row: (SEVERITIES.index(row.severity), row.operator)))


def sights(case: Case) -> Iterator[MistakeFinding]:
    """Yield what is wrong in one check, or undecided where nothing is."""
    report = case.report
    if report is None or report.verdict is Verdict.PASS:
        return
    operator, said = operator_of(case), summary(case)
    name = f"{case.name} ({case.labels['input']})" if "input" in case.labels else case.name
    for finding in report.findings:
        if finding.verdict is report.verdict:
            where = f"{finding.subject}, {finding.where}".removesuffix(", ")
            error = _error(finding)
            yield MistakeFinding(operator, _severity(finding, error), where, name, error, said)


def operator_of(case: Case) -> str:
    """Return the name of the operator that a check is of, or its own."""
    operator = case.labels.get("operator", case.name)
    return f"{operator}.{case.labels['variant']}" if "variant" in case.labels else operator


def _row(several: list[MistakeFinding]) -> Mistake:
    first = several[0]
    return Mistake(
        first.operator,
        first.severity,
        tuple(sorted({sight.where for sight in several})),
        tuple(dict.fromkeys(sight.case for sight in several)),
        max((sight.error for sight in several if sight.error == sight.error), default=math.nan),
        first.said,
    )


def _severity(finding: Finding, error: float) -> str:
    if finding.verdict is Verdict.INCONCLUSIVE:
        return UNDECIDED
    if finding.kind != "derivative":
        return LAW
    if finding.claimed is None and not finding.entries:
        return RAISES
    if not all(math.isfinite(claimed) for claimed, _ in _pairs(finding)):
        return UNDEFINED
    return IMPRECISE if error < _DIGITS else WRONG


def _error(finding: Finding) -> float:
    """Return the largest error of a claim, as a share of what was measured."""
    shares = [abs(claimed - slope) / abs(slope) for claimed, slope in _pairs(finding) if slope]
    return max((share for share in shares if math.isfinite(share)), default=math.nan)


def _pairs(finding: Finding) -> list[tuple[float, float]]:
    """Return what was claimed and what was measured: entry by entry, or along the direction."""
    if finding.entries:
        return [(entry.claimed, entry.measured.value) for entry in finding.entries]
    if finding.claimed is None:
        return []
    return [(finding.claimed, math.nan if finding.measured is None else finding.measured.value)]
