"""Checks counted, as they travel between processes, and summed up in a line or a suite.

Imports secant only where a report is written; numbers and names are enough for the line.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from secant import Comparison, Localisation, Report
    from secant._report.suite import Case, Suite

ORDER = ("FAIL", "INCONCLUSIVE", "REFUSED", "EXPECTED", "PASS")
"""What may become of a check, the gravest first."""


@dataclass(frozen=True)
class CheckOutcome:
    """What one check came to, or those of a property: the gravest, of those the last.

    The last example that fails is the smallest, because Hypothesis ends with it.
    """

    outcome: str
    evaluations: int
    seconds: float
    examples: int = 1
    case: Case | None = None  # where a report was asked for
    is_tolerated: bool = False  # numbers that cannot tell were to be no failure
    cost: Any = None  # of the result: by it a verdict that is raised is known again

    def expected(self) -> CheckOutcome:
        """Return this as what its test wanted it to come to; a pass is what it was."""
        if self.outcome == "PASS" or (self.outcome == "INCONCLUSIVE" and self.is_tolerated):
            return self
        case = self.case and dataclasses.replace(self.case, is_expected=True)
        return dataclasses.replace(self, outcome="EXPECTED", case=case)

    def joined(self, later: CheckOutcome) -> CheckOutcome:
        """Return this and a later example of the same property as one."""
        graver = min(later, self, key=lambda kept: ORDER.index(kept.outcome))
        return dataclasses.replace(
            graver,
            evaluations=self.evaluations + later.evaluations,
            seconds=self.seconds + later.seconds,
            examples=self.examples + later.examples,
        )

    def fields(self) -> dict[str, Any]:
        """Return what JSON can carry."""
        case = None
        if self.case is not None:
            from secant._report.json.writing import plain

            case = plain(self.case)
        return {
            "outcome": self.outcome,
            "evaluations": self.evaluations,
            "seconds": self.seconds,
            "examples": self.examples,
            "case": case,
        }


class RunTally:
    """All checks of a run, by test."""

    def __init__(self) -> None:
        self._checks: list[tuple[str, Mapping[str, Any]]] = []
        self._calls: list[Mapping[str, Any]] = []

    def add(self, test: str, checks: Sequence[Mapping[str, Any]]) -> None:
        """Add what the checks of a test came to."""
        self._checks += [(test, check) for check in checks]

    def add_calls(self, calls: Sequence[Mapping[str, Any]]) -> None:
        """Add what calls of other checkers came to."""
        self._calls += calls

    def table(self, factor: float | None) -> Iterator[str]:
        """Return the lines that sum up calls of other checkers."""
        from .calls import call_of, table

        return table([(call["test"], call_of(call)) for call in self._calls], factor)

    def line(self) -> str:
        """Return how many checks came to which verdict, and what they cost; empty without any."""
        if not self._checks:
            return ""
        counted = Counter(check["outcome"] for _, check in self._checks)
        verdicts = ", ".join(f"{counted[name]:,} {name}" for name in ORDER if counted[name])
        count, evaluations = len(self._checks), self._sum("evaluations")
        return (
            f"secant: {count:,} {'check' if count == 1 else 'checks'}: {verdicts}; "
            f"{evaluations:,} evaluations, {self._sum('seconds'):.2g} s"
        )

    def suite(self) -> Suite:
        """Return the checks as a suite; a test that made several has them numbered."""
        from secant._report.json.reading import taken
        from secant._report.suite import Case, Suite

        cases: list[Case] = []
        calls = [(call["test"], {**call, "examples": 1}) for call in self._calls]
        checks = [*self._checks, *calls]
        made = Counter(test for test, _ in checks)
        seen: Counter[str] = Counter()
        for test, check in checks:
            seen[test] += 1
            labels = {"file": test.partition("::")[0]}
            if check["examples"] > 1:
                labels["examples"] = str(check["examples"])
            case = taken(Case, check["case"])
            name = test if made[test] == 1 else f"{test} ({seen[test]})"
            cases.append(dataclasses.replace(case, name=name, labels={**labels, **case.labels}))
        versions = dict.fromkeys(
            one for case in cases if case.report is not None for one in case.report.versions
        )
        seconds = float(self._sum("seconds")) + sum(call["secant"]["seconds"] for _, call in calls)
        return Suite("pytest", tuple(cases), seconds, tuple(versions))

    def _sum(self, name: str) -> Any:
        return sum(check[name] for _, check in self._checks)


def outcome_of(result: Any) -> str:
    """Return the verdict's name, or that a question was refused."""
    verdict = getattr(result, "verdict", None)
    return "REFUSED" if verdict is None else str(verdict.name)


def short(result: Report | Comparison | Localisation) -> str:
    """Return in one line what pytest's own summary says about a failing check."""
    from secant import Localisation, Report
    from secant._report.screen.suite import summary
    from secant._report.suite import Case

    if isinstance(result, Localisation):
        return f"`{result.name}`: {result.sentence}"
    headline = " ".join(str(result).partition("\n")[0].removeprefix("FAIL").split())
    cause = result.worst.cause if result.worst is not None else None
    if cause is None and isinstance(result, Report):
        cause = summary(Case("", result))
    return headline if cause is None else f"{headline}: {cause}"
