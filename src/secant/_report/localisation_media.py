"""A localisation as text, for the terminal, and as JSON and back: a table, then who is to blame."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from .._findings import Verdict
from .._legible import legible
from .document import Row, code_rows, legible_row
from .fields import Misfit, reading, taken
from .json import FORMAT, fields_of, parsed, report_of, spelt
from .localisation import Localisation, LocalisedCall
from .model import Cost

if TYPE_CHECKING:
    from rich.console import RenderableType

_MOST_ROWS = 20
_WIDEST = 72  # characters in the last column
_BESIDE = 1  # calls that are shown before and after one that does not pass
HEADER = ("submodule", "class", "verdict", "evaluations", "seconds", "worst")
Cells = tuple[str, ...]


def text(localisation: Localisation) -> str:
    """Return the localisation as plain text."""
    rows = closing(localisation)
    width = max(len(row.label) for row in rows)
    lines = [f"{localisation.verdict.name}  {title(localisation)}"]
    cells = [HEADER, *table(localisation)]
    widths = [max(len(row[k]) for row in cells if len(row) > 1) for k in range(len(HEADER))]
    for row in cells:
        padded = (cell.ljust(size) for cell, size in zip(row, widths, strict=False))
        lines.append(f"  {'  '.join(padded)}".rstrip())
    indent = "\n" + " " * (width + 4)
    lines += [f"  {row.label:<{width}}  {row.text.replace(chr(10), indent)}" for row in rows]
    return "\n".join(lines)


def terminal(localisation: Localisation) -> RenderableType:
    """Return the localisation as something rich can print."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    colour = {"PASS": "green", "FAIL": "red", "INCONCLUSIVE": "yellow"}
    verdict = localisation.verdict.name
    headline = Text(verdict, style=f"bold {colour[verdict]}")
    headline.append(f"  {title(localisation)}", style="bold")
    grid = Table(*HEADER, box=None, padding=(0, 1))
    for row in table(localisation):
        grid.add_row(*(Text(cell, style=colour.get(cell, "")) for cell in row))
    closes = Table.grid(padding=(0, 2))
    for one in closing(localisation):
        closes.add_row(Text(f"  {one.label}", style="dim"), Text(one.text))
    return Group(headline, grid, closes)


def dump(localisation: Localisation) -> str:
    """Return the localisation as JSON."""
    document = {
        "format": FORMAT,
        "kind": "localisation",
        "verdict": localisation.verdict.name,
        "name": localisation.name,
        "sentence": localisation.sentence,
        "advice": localisation.advice,
        "blamed": [localisation.calls.index(call) for call in localisation.blamed],
        "calls": [_call(call) for call in localisation.calls],
        "cost": asdict(localisation.cost),
        "seed": localisation.seed,
        "versions": list(localisation.versions),
        "rerun": localisation.rerun,
    }
    return spelt(document)


def load(text: str) -> Localisation:
    """Read what `dump` wrote."""
    data = parsed(text, "localisation")
    with reading("localisation"):
        if not isinstance(data["calls"], list):
            raise Misfit("calls are no list")
        calls = tuple(_call_of(item, most=len(data["calls"])) for item in data["calls"])
        if not calls or calls[0].report is None:
            raise Misfit("the first call, which is the module's own, has no report")
        blamed: tuple[int, ...] = taken(tuple[int, ...], data["blamed"], "blamed")
        if not all(0 <= place < len(calls) for place in blamed):
            raise Misfit("one is blamed that is no call")
        return Localisation(
            taken(str, data["name"], "name"),
            calls,
            tuple(calls[place] for place in blamed),
            taken(str, data["sentence"], "sentence"),
            taken(str, data["advice"], "advice"),
            taken(Cost, data["cost"], "cost"),
            taken(int, data["seed"], "seed"),
            taken(tuple[str, ...], data["versions"], "versions"),
            taken(str, data["rerun"], "rerun"),
        )


def title(localisation: Localisation) -> str:
    """Return what was taken apart."""
    count = len(localisation.calls)
    calls = "call" if count == 1 else "calls"
    return f"`{legible(localisation.name)}`, {count} {calls} checked one by one"


def table(localisation: Localisation) -> list[Cells]:
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
            cells.append(tuple(map(legible, _cells(call))))
        else:
            skipped.append(call)
    return cells + _skipped(skipped)


def closing(localisation: Localisation) -> list[Row]:
    """Return what stands below the table."""
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
    return list(map(legible_row, rows))


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


def _call(call: LocalisedCall) -> dict[str, Any]:
    return {
        "path": call.path,
        "kind": call.kind,
        "number": call.number,
        "depth": call.depth,
        "is_rule": call.is_rule,
        "verdict": None if call.verdict is None else call.verdict.name,
        "remark": call.remark,
        "report": None if call.report is None else fields_of(call.report),
    }


def _call_of(data: dict[str, Any], most: int) -> LocalisedCall:
    report = None if data["report"] is None else report_of(data["report"])
    depth: int = taken(int, data["depth"], "depth")
    if not 0 <= depth <= most:
        raise Misfit(f"a call lies {depth} calls deep, of {most}")
    return LocalisedCall(
        taken(str, data["path"], "path"),
        taken(str, data["kind"], "kind"),
        taken(int, data["number"], "number"),
        depth,
        taken(bool, data["is_rule"], "is_rule"),
        report,
        taken(str, data["remark"], "remark"),
    )
