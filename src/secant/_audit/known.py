"""What is known to be wrong, so that an audit says the news: a file, and what comes with secant.

A mistake is known by its operator, its severity and where it is; each has its reason. What the
framework's own tests expect to fail is known too: a catalogue labels such operators. A known
mistake that is not seen where it was is mended.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

from .._errors import InputError, spell
from .._report.json.reading import Misfit, taken
from .._report.mistakes import Mistake, mistakes, operator_of, sights
from .._report.suite import Case, Suite
from .plan import Plan

_KIND, _FORMAT = "known mistakes", 1
_REASON = "seen when this file was made; nobody has said why yet"
LABEL = "known"
"""The label of an operator that the framework itself expects to fail, with the reason."""


@dataclass(frozen=True)
class KnownMistake:
    """One mistake that is known, and why it is let be."""

    operator: str
    severity: str
    where: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class Baseline:
    """All that is known, and what was asked to know it: only then is what is not seen mended."""

    entries: tuple[KnownMistake, ...] = ()
    asked: Mapping[str, Any] | None = None
    name: str = ""  # of the file
    trusts_labels: bool = True

    def has(self, operator: str, severity: str, where: str) -> bool:
        """Say whether a finding is known."""
        return any(
            entry.operator == operator and entry.severity == severity and where in entry.where
            for entry in self.entries
        )


@dataclass(frozen=True)
class SortedAudit:
    """An audit with what is known taken as expected."""

    suite: Suite
    news: tuple[Mistake, ...]
    known: tuple[Mistake, ...]
    mended: tuple[KnownMistake, ...]


def sort_out(suite: Suite, known: Baseline, plan: Plan) -> SortedAudit:
    """Mark every check whose findings are all known as expected; tell news and what is mended."""
    cases = tuple(replace(case, is_expected=_is_known(case, known)) for case in suite.cases)
    news = mistakes(case for case in cases if not case.is_expected)
    seen = mistakes(case for case in cases if case.is_expected)
    return SortedAudit(replace(suite, cases=cases), news, seen, tuple(_mended(cases, known, plan)))


def _is_known(case: Case, known: Baseline) -> bool:
    seen = list(sights(case))
    return bool(seen) and all(
        (known.trusts_labels and LABEL in case.labels)
        or known.has(one.operator, one.severity, one.where)
        for one in seen
    )


def _mended(cases: Iterable[Case], known: Baseline, plan: Plan) -> Iterable[KnownMistake]:
    if known.asked != _asked(plan):
        return
    asked = {operator_of(case) for case in cases}
    seen = {(one.operator, one.severity) for case in cases for one in sights(case)}
    for entry in known.entries:
        if entry.operator in asked and (entry.operator, entry.severity) not in seen:
            yield entry


def shipped(plan: Plan, versions: Iterable[str]) -> Baseline:
    """Return what comes with secant for this version of this catalogue: often nothing."""
    folder = resources.files(__package__) / "baselines"
    for version in versions:
        name, _, number = version.partition(" ")
        file = folder / f"{name}-{number.partition('+')[0]}.json"
        if name == plan.catalogue and file.is_file():
            return _read(file.read_text(encoding="utf-8"), file.name)
    return Baseline()


def read(path: Path) -> Baseline:
    """Read what a file knows."""
    try:
        return _read(path.read_text(encoding="utf-8"), path.name)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"expected `known` to be a file that can be read; {spell(error)}"
        ) from error


def _read(text: str, name: str) -> Baseline:
    try:
        data = json.loads(text)
        if data["kind"] != _KIND or data["format"] != _FORMAT:
            raise Misfit(f"its kind is {data['kind']!r}, its format {data['format']!r}")
        entries = tuple(taken(KnownMistake, entry, "known") for entry in data["known"])
        return Baseline(entries, dict(data["asked"]), name)
    except (
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        RecursionError,
        InputError,
    ) as error:
        said = str(error) if isinstance(error, (Misfit, InputError)) else spell(error)
        raise InputError(f"expected {name} to hold known mistakes; {said}") from error


def write(path: Path, found: SortedAudit, known: Baseline, plan: Plan) -> None:
    """Write down all that an audit saw, with the reasons that were known before.

    What was not asked stays known; what was asked and is not seen does not.
    """
    asked = {operator_of(case) for case in found.suite.cases}
    reasons = {(entry.operator, entry.severity): entry.reason for entry in known.entries}
    seen = [
        KnownMistake(row.operator, row.severity, row.where, reasons.get(_key(row), _REASON))
        for row in mistakes(case for case in found.suite.cases if LABEL not in case.labels)
    ]
    kept = [entry for entry in known.entries if entry.operator not in asked]
    entries = sorted((*seen, *kept), key=lambda entry: (entry.operator, entry.severity))
    data = {
        "format": _FORMAT,
        "kind": _KIND,
        "versions": list(found.suite.versions),
        "asked": _asked(plan),
        "known": [asdict(entry) for entry in entries],
    }
    try:
        path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"expected `known` to be a file that can be written; {spell(error)}"
        ) from error


def _asked(plan: Plan) -> dict[str, Any]:
    return plan.decisive | {"dtypes": list(plan.dtypes)}


def _key(row: Mistake) -> tuple[str, str]:
    return row.operator, row.severity
