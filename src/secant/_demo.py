"""The gallery behind `secant demo`: check every exhibit, show its report, explain its verdict.

Takes exhibits and a console; gives True if every verdict is the expected one.
"""

from __future__ import annotations

import textwrap
import time
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from ._check import check
from ._findings import Verdict
from ._gallery.galleries import Exhibit
from ._report.model import Report

_COLOUR = {"PASS": "green", "FAIL": "red", "INCONCLUSIVE": "yellow"}
_INDENT = 4


@dataclass(frozen=True, slots=True)
class ShownExhibit:
    """An exhibit after its check."""

    number: int
    exhibit: Exhibit
    report: Report

    @property
    def surprise(self) -> str | None:
        """What is not as expected: the verdict, the finding's kind or its codes; or None."""
        exhibit, report = self.exhibit, self.report
        verdict = Verdict[exhibit.expected]
        if report.verdict is not verdict:
            return f"expected {exhibit.expected}, found {report.verdict.name}"
        decisive = {finding.kind for finding in report.findings if finding.verdict is verdict}
        if exhibit.kind not in decisive:
            return f"expected a finding of {exhibit.kind}, found {', '.join(sorted(decisive))}"
        if exhibit.says and exhibit.says not in _said(report):
            return f"expected the report to say {exhibit.says}"
        return None


def _said(report: Report) -> set[str]:
    """Return the codes of a report's findings, and the inputs' entries that it names."""
    codes = {code for finding in report.findings for code in finding.codes}
    return codes | {entry.input for finding in report.findings for entry in finding.entries}


def list_exhibits(console: Console, exhibits: Sequence[Exhibit]) -> None:
    """Print numbers, titles and deserved verdicts."""
    table = _table("expected")
    for number, exhibit in enumerate(exhibits, start=1):
        table.add_row(str(number), exhibit.title, _verdict(exhibit.expected))
    console.print(table)


def show_exhibits(console: Console, exhibits: Sequence[Exhibit], numbers: Sequence[int]) -> bool:
    """Check the exhibits of these numbers, print each with its report, then a summary."""
    started = time.perf_counter()
    shown = []
    for number in numbers:
        exhibit = exhibits[number - 1]
        _introduce(console, number, exhibit)
        report = check(exhibit.function, *exhibit.inputs, **exhibit.settings)
        shown.append(ShownExhibit(number, exhibit, report))
        _judge(console, shown[-1])
    _summarise(console, shown, time.perf_counter() - started)
    return not any(one.surprise for one in shown)


def _introduce(console: Console, number: int, exhibit: Exhibit) -> None:
    title = Text(f"{number}  {exhibit.title}", style="bold")
    console.print(Rule(title, align="left", style="dim"))
    console.print(_indented(f"{'what':<10}{exhibit.about}", console.width))
    expected = Text(f"{'expected':<10}").append_text(_verdict(exhibit.expected))
    console.print(Padding(expected, (0, 0, 1, _INDENT), expand=False))


def _judge(console: Console, one: ShownExhibit) -> None:
    console.print(Padding(one.report, (0, 0, 1, _INDENT), expand=False))
    console.print(_indented(f"{'why':<10}{one.exhibit.why}", console.width))
    if one.surprise:
        console.print(Text(f"    SURPRISE  {one.surprise}", style="bold red"))
    console.print()


def _summarise(console: Console, shown: Sequence[ShownExhibit], seconds: float) -> None:
    table = _table("expected", "found", "decided by", "evaluations")
    for one in shown:
        found, worst = one.report.verdict.name, one.report.worst
        kind = one.exhibit.kind if one.surprise is None else worst.kind if worst else ""
        table.add_row(
            str(one.number),
            one.exhibit.title,
            _verdict(one.exhibit.expected),
            _verdict(found),
            kind,
            str(one.report.cost.evaluations),
        )
    console.print(Rule(Text("Summary", style="bold"), align="left", style="dim"))
    console.print(table)
    right = sum(one.surprise is None for one in shown)
    style = "bold green" if right == len(shown) else "bold red"
    words = f"{right} of {len(shown)} verdicts are the expected ones, in {seconds:.1f} s"
    console.print(Text(words, style=style))


def _table(*columns: str) -> Table:
    table = Table("", "exhibit", *columns, box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.columns[0].justify = "right"
    if columns[-1] == "evaluations":
        table.columns[-1].justify = "right"
    return table


def _verdict(name: str) -> Text:
    return Text(name, style=_COLOUR[name])


def _indented(text: str, width: int) -> Text:
    """Wrap under the text's own beginning, past its label."""
    return Text(
        textwrap.fill(
            text,
            width,
            initial_indent=" " * _INDENT,
            subsequent_indent=" " * (_INDENT + 10),
        )
    )
