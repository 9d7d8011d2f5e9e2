"""Many checks made together, by pytest or an audit: what became of each, and of the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from .._findings import Verdict
from .document import Document
from .model import Report

REFUSED, EXPECTED = "REFUSED", "EXPECTED"
OUTCOMES = (Verdict.FAIL.name, Verdict.INCONCLUSIVE.name, REFUSED, EXPECTED, Verdict.PASS.name)
"""What may become of a check, the gravest first."""


@dataclass(frozen=True)
class Case:
    """One check of a suite: its report, or why the question could not be asked.

    `labels` are what a reader filters by: dtype, device, file. They are strings. `is_expected` says
    that it went wrong, and was meant to: that is no reason to worry.
    """

    name: str  # unique in its suite
    report: Report | None = None
    refusal: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    is_expected: bool = False

    @property
    def outcome(self) -> str:
        """The verdict's name, REFUSED, or EXPECTED."""
        if self.is_expected:
            return EXPECTED
        return REFUSED if self.report is None else self.report.verdict.name


@dataclass(frozen=True)
class Suite(Document):
    """Many checks made together; truthy only if all of them pass, or go wrong as expected."""

    title: str
    cases: tuple[Case, ...]
    seconds: float
    versions: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """How many checks came to each outcome, the gravest outcome first."""
        counted = Counter(case.outcome for case in self.cases)
        return {outcome: counted[outcome] for outcome in OUTCOMES}

    @property
    def outcome(self) -> str:
        """The gravest outcome of all checks; what was expected to go wrong is none."""
        counts = {**self.counts, EXPECTED: 0}
        return next((outcome for outcome, count in counts.items() if count), OUTCOMES[-1])

    @property
    def evaluations(self) -> int:
        """How often functions were evaluated in all."""
        return sum(case.report.cost.evaluations for case in self.cases if case.report is not None)

    def __bool__(self) -> bool:
        return self.outcome == Verdict.PASS.name
