"""A localisation in words: a table of calls, then who is to blame."""

from __future__ import annotations

from ..._findings import Verdict
from ..localisation import Localisation, LocalisedCall
from .blocks import Block, Cells, Row, Table, plural
from .report import code_rows

_MOST_ROWS = 20
_WIDEST = 72  # characters in the last column
_BESIDE = 1  # calls that are shown before and after one that does not pass
_HEADER = ("submodule", "class", "verdict", "evaluations", "seconds", "worst")


def composed(localisation: Localisation) -> list[Block]:
    """Return the localisation as one block: a table of calls, then who is to blame."""
    return [
        Block(
            localisation.verdict.name,
            _title(localisation),
            tables=(Table(_HEADER, tuple(_table(localisation))),),
            closing=tuple(_closing(localisation)),
        )
    ]


def _title(localisation: Localisation) -> str:
    count = len(localisation.calls)
    return f"`{localisation.name}`, {count} {plural(count, 'call')} checked one by one"


def _table(localisation: Localisation) -> list[Cells]:
    """Return the cells of the calls in order; long runs that pass are one row each."""
    calls = localisation.calls
    shown = set(range(len(calls)))
    if len(calls) > _MOST_ROWS:
        grave = _gravest_first(localisation)[: _MOST_ROWS // (2 + 2 * _BESIDE)]
        shown = {0, len(calls) - 1}
        shown |= {k + step for k in grave for step in range(-_BESIDE, _BESIDE + 1)}
    cells: list[Cells] = []
    skipped: list[LocalisedCall] = []
    for place, call in enumerate(calls):
        if place in shown:
            cells += _skipped(skipped)
            skipped = []
            cells.append(_cells(call))
        else:
            skipped.append(call)
    return cells + _skipped(skipped)


def _closing(localisation: Localisation) -> list[Row]:
    rows = [Row("verdict" if localisation else "to blame", localisation.sentence)]
    cause = next(
        (one.worst.cause for one in localisation.blamed if one.worst and one.worst.cause), None
    )
    if cause:
        rows.append(Row("likely", cause))
    rows += _code(localisation)
    if localisation.advice:
        rows.append(Row("next", localisation.advice))
    cost = localisation.cost
    spent = f"{cost.evaluations} evaluations, {cost.pulls} pulls, {cost.seconds:.2g} s"
    rows.append(Row("cost", f"{spent}, seed {localisation.seed}"))
    if not localisation:
        rows.append(Row("rerun", localisation.rerun))
    return rows


def _code(localisation: Localisation) -> list[Row]:
    """Return where the first that is blamed is written."""
    worst = next((one.worst for one in localisation.blamed if one.worst), None)
    return [] if worst is None else code_rows(worst)


def _gravest_first(localisation: Localisation) -> list[int]:
    """Return the places of the calls that do not pass: the blamed, then the innermost."""
    order = {Verdict.FAIL: 1, Verdict.INCONCLUSIVE: 2}
    blamed = [localisation.calls.index(call) for call in localisation.blamed]
    others = [
        place
        for place, call in enumerate(localisation.calls)
        if call.verdict in order and place not in blamed
    ]
    others.sort(key=lambda k: (order[localisation.calls[k].verdict or Verdict.FAIL], -k))
    return blamed + others


def _skipped(calls: list[LocalisedCall]) -> list[Cells]:
    if not calls:
        return []
    counts = {
        verdict: sum(call.verdict is verdict for call in calls)
        for verdict in (Verdict.FAIL, Verdict.INCONCLUSIVE, Verdict.PASS, None)
    }
    said = [
        f"{count} {'not checked' if verdict is None else verdict.name}"
        for verdict, count in counts.items()
        if count
    ]
    return [(f"… {', '.join(said)}",)]


def _cells(call: LocalisedCall) -> Cells:
    name = "  " * call.depth + call.name
    if call.report is None:
        return (name, call.kind, "not checked", "", "", _short(call.remark))
    cost = call.report.cost
    numbers = (str(cost.evaluations), f"{cost.seconds:.2g}")
    return (name, call.kind, call.report.verdict.name, *numbers, _short(worst_words(call)))


def _short(words: str) -> str:
    return words if len(words) <= _WIDEST else f"{words[: _WIDEST - 1]}…"


def worst_words(call: LocalisedCall) -> str:
    """Say what decides about a call: the worst entry, a broken law, or the weakest promise."""
    finding = call.worst
    if finding is None or call.report is None:
        return ""
    if call.report.verdict is Verdict.PASS:
        resolution = call.report.resolution
        return "" if resolution is None else f"< {resolution:.1e}"
    if finding.entries:
        entry = finding.entries[0]
        where = f"∂{entry.output} / ∂{entry.input}"
        return f"{where}: claimed {entry.claimed:.4g}, measured {entry.measured.value:.4g}"
    if finding.claimed is not None and finding.measured is not None:
        return (
            f"{finding.where}: claimed {finding.claimed:.4g}, measured {finding.measured.value:.4g}"
        )
    return f"{finding.where}: {finding.message}" if finding.where else finding.message
