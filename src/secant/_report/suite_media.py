"""A suite as text, for the terminal, and as JSON: the counts, then what did not pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._findings import Verdict
from .._legible import legible
from .document import compose
from .fields import Misfit, reading, taken
from .json import FORMAT, fields_of, parsed, report_of, spelt
from .suite import EXPECTED, Case, Suite

if TYPE_CHECKING:
    from rich.console import RenderableType

_MOST_CASES = 20
_WIDEST = 100  # characters of what is said about one check
_COLOUR = {
    "PASS": "green",
    "FAIL": "red",
    "INCONCLUSIVE": "yellow",
    "REFUSED": "magenta",
    "EXPECTED": "cyan",
}


def text(suite: Suite) -> str:
    """Return the suite as plain text."""
    return "\n".join([headline(suite), *(f"  {line}" for _, line in lines(suite))])


def terminal(suite: Suite) -> RenderableType:
    """Return the suite as something rich can print."""
    from rich.console import Group
    from rich.text import Text

    shown = [Text(headline(suite), style=f"bold {_COLOUR[suite.outcome]}")]
    for outcome, line in lines(suite):
        styled = Text(f"  {line}")
        if outcome:
            styled.stylize(_COLOUR[outcome], 2, 2 + len(outcome))
        shown.append(styled)
    return Group(*shown)


def headline(suite: Suite) -> str:
    """Return the outcome, how many checks came to it, and what all of them cost."""
    counted = ", ".join(f"{count:,} {name}" for name, count in suite.counts.items() if count)
    return (
        f"{suite.outcome}  {legible(suite.title)}: {counted or 'no checks'}; "
        f"{suite.evaluations:,} evaluations, {suite.seconds:.3g} s"
    )


def lines(suite: Suite) -> list[tuple[str, str]]:
    """Return outcome and words for what did not pass, the gravest first, cut to one screen."""
    order = list(suite.counts)
    grave = [case for case in suite.cases if case.outcome not in (Verdict.PASS.name, EXPECTED)]
    grave.sort(key=lambda case: order.index(case.outcome))
    said = [(case.outcome, _line(case)) for case in grave[:_MOST_CASES]]
    more = len(grave) - len(said)
    return [*said, ("", f"and {more:,} more")] if more else said


def summary(case: Case) -> str:
    """Return in one line why a check did not pass: the cause, or where and what."""
    if case.report is None:
        return _cut(case.refusal)
    block = compose(case.report)[0]
    rows = {row.label: row.text for row in (*block.rows, *block.closing)}
    words = [rows[label] for label in ("where", "likely", "what") if label in rows]
    return _cut(": ".join(words[:2]))


def dump(suite: Suite) -> str:
    """Return the suite as JSON; NaN and infinities are spelt as strings."""
    return spelt(
        {
            "format": FORMAT,
            "kind": "suite",
            "outcome": suite.outcome,
            "title": suite.title,
            "seconds": suite.seconds,
            "versions": list(suite.versions),
            "counts": suite.counts,
            "cases": [case_fields(case) for case in suite.cases],
        }
    )


def load(text: str) -> Suite:
    """Read what `dump` wrote."""
    data = parsed(text, "suite")
    with reading("suite"):
        if not isinstance(data["cases"], list):
            raise Misfit("cases are no list")
        return Suite(
            taken(str, data["title"], "title"),
            tuple(case_of(item) for item in data["cases"]),
            taken(float, data["seconds"], "seconds"),
            taken(tuple[str, ...], data["versions"], "versions"),
        )


def case_fields(case: Case) -> dict[str, Any]:
    """Return what the JSON of one check of a suite holds."""
    return {
        "name": case.name,
        "outcome": case.outcome,
        "refusal": case.refusal,
        "labels": dict(case.labels),
        "report": None if case.report is None else fields_of(case.report),
    }


def case_of(data: Any) -> Case:
    """Return the check that such fields describe."""
    with reading("suite"):
        report = None if data["report"] is None else report_of(data["report"])
        return Case(
            taken(str, data["name"], "name"),
            report,
            taken(str, data["refusal"], "refusal"),
            taken(Mapping[str, str], data["labels"], "labels"),
            data["outcome"] == EXPECTED,
        )


def _line(case: Case) -> str:
    return f"{case.outcome}  {legible(case.name)}  {summary(case)}".rstrip()


def _cut(words: str) -> str:
    line = legible(" ".join(words.split()))
    return line if len(line) <= _WIDEST else f"{line[: _WIDEST - 1]}…"
