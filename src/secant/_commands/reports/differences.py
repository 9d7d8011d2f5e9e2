"""What changed between two reports of one kind: outcomes, what appeared and vanished, numbers.

Worse is a graver outcome than before, or a failure that was not there. Numbers never are, nor is
another reason for the same outcome: reasons are compared by their codes, never by their words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ..._errors import InputError
from ..._findings import Finding
from ..._legible import encodable, legible
from ..._report.comparison import Comparison, ComparisonRow
from ..._report.model import Cost, Report
from ..._report.screen.suite import summary
from ..._report.suite import OUTCOMES, Suite
from .reading import Anything, outcome

_UNCHECKED = "UNCHECKED"  # a call that could not be checked alone
_GRAVITY = {"PASS": 0, _UNCHECKED: 1} | {
    name: 1 + place for place, name in enumerate(reversed(OUTCOMES)) if name != "PASS"
}
_SORTS = ("worse", "better", "appeared", "vanished", "other")
_MOST = 30  # lines about single checks


@dataclass(frozen=True, slots=True)
class DiffItem:
    """One thing with an outcome of its own: a finding, a row, a call or a case."""

    outcome: str
    words: str = ""
    codes: tuple[str, ...] = ()
    numbers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CaseChange:
    """An item with another outcome or other reasons, or that is in one of the reports alone."""

    sort: str
    name: str
    outcomes: str
    words: str
    is_worse: bool


@dataclass(frozen=True, slots=True)
class Difference:
    """All that changed."""

    title: str
    outcomes: str
    changes: tuple[CaseChange, ...]
    unchanged: int
    numbers: tuple[str, ...]
    cost: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def is_worse(self) -> bool:
        """Say whether anything got worse."""
        return any(change.is_worse for change in self.changes)

    @property
    def name(self) -> str:
        """The difference in one word."""
        if self.is_worse:
            return "WORSE"
        if any(change.sort == "better" for change in self.changes):
            return "BETTER"
        return "CHANGED" if self.changes or self.numbers else "SAME"

    def __str__(self) -> str:
        counted = Counter(change.sort for change in self.changes)
        counts = [f"{counted[sort]:,} {sort}" for sort in _SORTS if counted[sort]]
        counts.append(f"{self.unchanged:,} as before")
        shown = self.changes[:_MOST]
        more = len(self.changes) - len(shown)
        lines = [f"{self.name}  {self.title}, {self.outcomes}: {', '.join(counts)}"]
        lines += [
            f"  {one.sort:<8}  {one.name}  {one.outcomes}{': ' if one.words else ''}{one.words}"
            for one in shown
        ]
        lines += [f"  more      {more:,} more"] if more else []
        lines += [f"  numbers   {line}" for line in self.numbers[:_MOST]]
        hidden = len(self.numbers) - _MOST
        lines += [f"  more      {hidden:,} more numbers"] if hidden > 0 else []
        lines += [f"  cost      {', '.join(self.cost)}"] if self.cost else []
        lines += [f"  note      {note}" for note in self.notes]
        return encodable("\n".join(map(legible, lines)))


def compare(old: Anything, new: Anything) -> Difference:
    """Return what changed from one report to the other."""
    if type(old) is not type(new):
        kinds = [type(one).__name__.lower() for one in (old, new)]
        raise InputError(f"expected two reports of one kind; got a {kinds[0]} and a {kinds[1]}")
    before, after = dict(_numbered(_items(old))), dict(_numbered(_items(new)))
    changes = sorted(_changes(before, after), key=lambda one: _SORTS.index(one.sort))
    both = [name for name in before if name in after]
    numbers = [
        f"{name}: {line}"
        for name in both
        for line in _changed(before[name].numbers, after[name].numbers)
    ]
    return Difference(
        _title(new),
        _arrow(outcome(old), outcome(new)),
        tuple(changes),
        len(both) - sum(one.name in after and one.name in before for one in changes),
        tuple(numbers),
        tuple(_changed(_cost(old), _cost(new))),
        tuple(_notes(old, new)),
    )


def _changes(before: Mapping[str, DiffItem], after: Mapping[str, DiffItem]) -> Iterator[CaseChange]:
    for name, new in after.items():
        old = before.get(name)
        if old is None:
            yield CaseChange("appeared", name, new.outcome, new.words, new.outcome == "FAIL")
        elif old.outcome != new.outcome:
            is_worse = _GRAVITY[new.outcome] > _GRAVITY[old.outcome]
            sort = "worse" if is_worse else "better"
            yield CaseChange(sort, name, _arrow(old.outcome, new.outcome), new.words, is_worse)
        elif old.codes != new.codes and new.outcome != "PASS":
            codes = " → ".join(", ".join(one.codes) or "none" for one in (old, new))
            yield CaseChange("other", name, new.outcome, f"{codes}: {new.words}", False)
    for name, old in before.items():
        if name not in after:
            yield CaseChange("vanished", name, old.outcome, "", False)


def _items(thing: Anything) -> Iterator[tuple[str, DiffItem]]:
    if isinstance(thing, Suite):
        for case in thing.cases:
            words = "" if case.outcome == "PASS" else summary(case)
            yield case.name, DiffItem(case.outcome, words)
    elif isinstance(thing, Report):
        for finding in thing.findings:
            words, numbers = _why(finding), _measured(finding)
            yield _place(finding), DiffItem(finding.verdict.name, words, finding.codes, numbers)
    elif isinstance(thing, Comparison):
        for row in thing.rows:
            words = row.cause or row.message
            yield row.what, DiffItem(row.verdict.name, words, row.codes, _held(row))
    else:
        for call in thing.calls:
            name = call.verdict.name if call.verdict is not None else _UNCHECKED
            worst = call.worst
            words, codes = (_why(worst), worst.codes) if worst else (call.remark, ())
            yield call.name, DiffItem(name, words, codes)


def _numbered(items: Iterable[tuple[str, DiffItem]]) -> Iterator[tuple[str, DiffItem]]:
    """Tell items of the same name apart by their number."""
    seen: Counter[str] = Counter()
    for name, item in items:
        seen[name] += 1
        yield (name if seen[name] == 1 else f"{name} ({seen[name]})"), item


def _place(finding: Finding) -> str:
    where = f" {finding.where}" if finding.where else ""
    law = "" if finding.kind == "derivative" else f", {finding.kind}"
    return f"{finding.subject}{where}{law}"


def _why(finding: Finding) -> str:
    return "" if finding.verdict.name == "PASS" else finding.cause or finding.message


def _measured(finding: Finding) -> dict[str, str]:
    numbers = {"claimed": finding.claimed, "resolution": finding.resolution}
    said = {name: f"{value:.4g}" for name, value in numbers.items() if value is not None}
    return said | ({} if finding.measured is None else {"measured": str(finding.measured)})


def _held(row: ComparisonRow) -> dict[str, str]:
    pairs = {"error": row.norm, "worst entry, ulps": row.worst}
    return {name: f"{held.error:.3g}" for name, held in pairs.items() if held is not None}


def _cost(thing: Anything) -> dict[str, str]:
    if isinstance(thing, Suite):
        return {"evaluations": f"{thing.evaluations:,}", "seconds": f"{thing.seconds:.2g}"}
    cost: Cost = thing.cost
    counts = {name: f"{getattr(cost, name):,}" for name in ("evaluations", "pulls", "pushes")}
    return counts | {"seconds": f"{cost.seconds:.2g}"}


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    pairs = {name: (before[name], after[name]) for name in before if name in after}
    return [f"{name} {old} → {new}" for name, (old, new) in pairs.items() if old != new]


def _arrow(before: str, after: str) -> str:
    return before if before == after else f"{before} → {after}"


def _title(thing: Anything) -> str:
    return thing.title if isinstance(thing, Suite) else f"`{thing.name}`"


def _notes(old: Anything, new: Anything) -> Iterator[str]:
    if _title(old) != _title(new):
        yield f"the old one is about {_title(old)}"
    seeds = [one.seed for one in (old, new) if not isinstance(one, Suite)]
    if len(set(seeds)) > 1:
        yield f"the seeds differ, {seeds[0]} and {seeds[1]}: other directions, other numbers"
    if old.versions != new.versions:
        yield f"versions: {', '.join(old.versions)} → {', '.join(new.versions)}"
