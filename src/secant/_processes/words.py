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
from .._report.model import Report
from .._report.pairs import rank_first
from .._settings import Settings
from .._words.reason import Reason
from .._words.remarks import COPIES_DIFFER, LAW_NOT_FOR_GROUPS, NOT_SUMMED, TANGENTS_DIFFER
from .company import Company
from .joints import CLOSE, OPEN

_INDICES = r"((?:every \w+ |all |the first and the last )?ind(?:ex|ices)\b[^:]*?)"
_FIRST = re.compile(_INDICES + r" of dimension 0\b(?: \([^)]*\))?")
_ONLY = re.compile(_INDICES + r"$")  # of an output that is one number on each rank
_OTHERS = re.compile(r"dimension ([1-9]\d*)")
_PLANE = re.compile(r"dimensions (\d+) and (\d+)")
_ENTRY = re.compile(r"entry \[(\d+), ")
_SILENT = {float, int, bool, type(None), Verdict, Evidence}
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
    if kind is tuple:
        return tuple([one if type(one) in _SILENT else _said(one, ranks) for one in value])
    if kind is Reason:
        return _reason_said(value, ranks) if value.fields else value
    names, values = _fields(kind)
    changed = {}
    for name, one in zip(names, values(value), strict=True):
        is_silent = type(one) in _SILENT or one == ()
        if not (is_silent or (type(one) is str and OPEN not in one and "∂rank" not in one)):
            said = _said(one, ranks)
            if said is not one and said != one:
                changed[name] = said
    return replace(value, **changed) if changed else value


@functools.cache
def _fields(kind: Any) -> tuple[Sequence[str], Callable[[Any], Sequence[Any]]]:
    """Return the names of a dataclass's fields, and what reads them; none of anything else."""
    names = tuple(getattr(kind, "__dataclass_fields__", ()))
    if len(names) < 2:
        return names, lambda one: tuple(getattr(one, name) for name in names)
    return names, attrgetter(*names)


def spelt(text: str, ranks: Mapping[str, Sequence[int]]) -> str:
    """Spell an output of a stack with its rank, and a pair that belongs to one rank with that.

    >>> spelt("∂⟨out⟩[1, 0] / ∂rank 1: w[2]", {"out": [0, 1]})
    'rank 1: ∂out[0] / ∂w[2]'
    >>> spelt("6 of 12 entries of ⟨out⟩: index 1 of dimension 0", {"out": [0, 1]})
    '6 of 12 entries of out: rank 1'
    """
    if OPEN not in text:
        return rank_first(text)
    head, token, tail = text.partition(f"{CLOSE}: ")
    path = head.rpartition(OPEN)[2]
    if token and path in ranks:  # what is said about places in a stack counts ranks first
        text = head + token + _of_ranks(tail, ranks[path])

    def unstacked(found: re.Match[str]) -> str:
        path, place, rest = found.groups()
        if place is None:
            return path
        return f"rank {ranks[path][int(place)]}: {path}" + (f"[{rest}]" if rest else "")

    return rank_first(_STACK.sub(unstacked, text))


def _of_ranks(places: str, ranks: Sequence[int]) -> str:
    """Spell places in a stack, whose first dimension are the ranks.

    >>> _of_ranks("indices 0, 2 and 3 of dimension 0, index 1 of dimension 2", [0, 1, 2, 3])
    'ranks 0, 2 and 3, index 1 of dimension 1'
    """

    def rank(found: re.Match[str]) -> str:
        numbers = re.sub(r"\b\d+\b", lambda one: str(ranks[int(one[0])]), found[1])
        return numbers.replace("indices", "ranks").replace("index", "rank")

    def dimension(number: str) -> str:
        return f"dimension {int(number) - 1}" if int(number) else "the ranks"

    places = (_FIRST if "dimension" in places else _ONLY).sub(rank, places)
    places = _ENTRY.sub(lambda one: f"rank {ranks[int(one[1])]}, entry [", places)
    places = _OTHERS.sub(lambda one: dimension(one[1]), places)
    return _PLANE.sub(lambda one: f"{dimension(one[1])} and {dimension(one[2])}", places)


def _reason_said(reason: Reason, ranks: Mapping[str, Sequence[int]]) -> Reason:
    """Count the dimensions of an output without that of the ranks, unless it is about these."""
    fields = dict(reason.fields)
    path, axes = fields.get("path", ""), fields.get("axes", ())
    if axes and str(path).startswith(OPEN):
        fields["axes"] = axes if 0 in axes else tuple(axis - 1 for axis in axes)
        fields["path"] = f"{path}, stacked by rank" if 0 in axes else path
    return replace(reason, fields=_said(fields, ranks))


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
    return replace(settings, laws=settings.laws - _WITHOUT.keys())


def with_unasked(report: Report, settings: Settings) -> Report:
    """Return the report with the laws that were wanted, and that a group cannot be asked."""
    unasked = [
        conclude(NOTHING, law, "function", "", LAW_NOT_FOR_GROUPS(law=law, why=_WITHOUT[law]))
        for law in sorted(settings.laws & _WITHOUT.keys())
    ]
    return _with(report, unasked)
