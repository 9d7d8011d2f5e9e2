"""What a report about a group says beside that of any check."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from .._findings import Evidence, Finding, Verdict
from .._judge.judge import BROKEN, NOTHING, conclude
from .._measure.estimate import Estimate
from .._report.model import Cost, Report
from .._report.pairs import rank_first
from .._settings import Settings
from .._words.indices import Indices, by_rank
from .._words.reason import Reason
from .._words.remarks import COPIES_DIFFER, LAW_NOT_FOR_GROUPS, NOT_SUMMED, TANGENTS_DIFFER
from .company import Company
from .joints import CLOSE, OPEN

_SILENT = {float, int, bool, type(None), Verdict, Evidence, Estimate, Cost}
_STACK = re.compile(rf"{OPEN}(.+?){CLOSE}(?:\[(\d+)(?:, ([^\]]*))?\])?")


def with_apart(company: Company, report: Report) -> Report:
    """Return the report with what the copies of one leaf disagree in."""
    apart = [_apart(company, leaf) for leaf in company.apart]
    apart += [_pushed_apart(company, output) for output in company.pushed_apart]
    return _with(report, apart)


def _with(report: Report, more: Sequence[Finding]) -> Report:
    return replace(report, findings=(*report.findings, *more)) if more else report


def reworded_report(company: Company, report: Report) -> Report:
    """Return the report with ranks where a reader looks for them."""
    ranks = {
        stack.path[len(OPEN) : -len(CLOSE)]: [company.outputs[k].ranks[0] for k in stack.places]
        for stack in company.stacks()
    }
    said: Report = _said(report, ranks)
    return said


def _said(value: Any, ranks: Mapping[str, Sequence[int]]) -> Any:
    """Return anything with every text in it as a reader sees it; itself, where that is the same."""
    kind: Any = type(value)
    if kind is str:
        return spelt(value, ranks) if OPEN in value or "∂rank" in value else value
    if kind is dict:
        return {_said(key, ranks): _said(one, ranks) for key, one in value.items()}
    if kind is Reason:
        return _reason_said(value, ranks) if value.fields else value
    parts = value if kind is tuple else _fields(kind)(value)
    changed: list[Any] | None = None
    for place, one in enumerate(parts):
        if type(one) in _SILENT or (type(one) is tuple and not one):
            continue
        if type(one) is str and OPEN not in one and "∂rank" not in one:
            continue
        again = _said(one, ranks)
        if again is not one:
            changed = list(parts) if changed is None else changed
            changed[place] = again
    if changed is None:
        return value
    return tuple(changed) if kind is tuple else kind(*changed)


@functools.cache
def _fields(kind: Any) -> Callable[[Any], Sequence[Any]]:
    """Return what reads the fields of a dataclass; of anything else there are none."""
    names = tuple(getattr(kind, "__dataclass_fields__", ()))
    if len(names) < 2:
        return lambda one: tuple(getattr(one, name) for name in names)
    return attrgetter(*names)


def spelt(text: str, ranks: Mapping[str, Sequence[int]]) -> str:
    """Spell an output of a stack with its rank, and a pair that belongs to one rank with that.

    >>> spelt("∂⟨out⟩[1, 0] / ∂rank 1: w[2]", {"out": [0, 1]})
    'rank 1: ∂out[0] / ∂w[2]'
    """
    if OPEN not in text:
        return rank_first(text)

    def unstacked(found: re.Match[str]) -> str:
        path, place, rest = found.groups()
        if place is None:
            return path
        return f"rank {ranks[path][int(place)]}: {path}" + (f"[{rest}]" if rest else "")

    return rank_first(_STACK.sub(unstacked, text))


def _reason_said(reason: Reason, ranks: Mapping[str, Sequence[int]]) -> Reason:
    """Count the dimensions of a stack without that of the ranks, and name the ranks in places.

    What is about the ranks themselves says that it is.
    """
    fields = dict(reason.fields)
    path = str(fields.get("path", ""))
    if path.startswith(OPEN):
        held = ranks[path[len(OPEN) : -len(CLOSE)]]
        for name, value in reason.fields.items():
            if type(value) is tuple and value and isinstance(value[0], Indices):
                fields[name] = by_rank(value, held)
        axis, axes = fields.get("axis"), fields.get("axes", ())
        if axis == 0 or 0 in axes:
            fields["path"] = f"{path}, stacked by rank"
        elif axis is not None:
            fields["axis"] = axis - 1
        elif axes:
            fields["axes"] = tuple(one - 1 for one in axes)
    for name, value in fields.items():
        if type(value) not in _SILENT:
            fields[name] = _said(value, ranks)
    return Reason(reason.code, fields)


def _apart(company: Company, leaf: int) -> Finding:
    path, apart = company.leaves[leaf].path, company.apart[leaf]
    reason = COPIES_DIFFER(rank=apart.rank, other=apart.other, path=path, share=apart.share)
    subject, where = "reverse-mode gradient", f"gradient of {path}"
    return conclude(BROKEN, "replication", subject, where, reason, NOT_SUMMED(), input=leaf)


def _pushed_apart(company: Company, output: int) -> Finding:
    path, apart = company.outputs[output].path, company.pushed_apart[output]
    reason = TANGENTS_DIFFER(rank=apart.rank, other=apart.other, path=path, share=apart.share)
    return conclude(BROKEN, "replication", "forward-mode derivative", f"tangent of {path}", reason)


_WITHOUT = {"batching": "torch's collectives cannot be batched"}
"""Laws that a group cannot be asked, and why."""


def askable(settings: Settings) -> Settings:
    """Return the settings without the laws that a group cannot be asked."""
    unasked = settings.laws & _WITHOUT.keys()
    return replace(settings, laws=settings.laws - unasked) if unasked else settings


def with_unasked(report: Report, settings: Settings) -> Report:
    """Return the report with the laws that were wanted, and that a group cannot be asked."""
    unasked = [
        conclude(NOTHING, law, "function", "", LAW_NOT_FOR_GROUPS(law=law, why=_WITHOUT[law]))
        for law in sorted(settings.laws & _WITHOUT.keys())
    ]
    return _with(report, unasked)
