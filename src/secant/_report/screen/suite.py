"""A suite in words: the counts, then what did not pass."""

from __future__ import annotations

from ..._findings import Verdict
from ..._legible import legible
from ..suite import EXPECTED, Case, Suite
from .blocks import Block
from .report import composed as report_composed

_MOST_CASES = 20
_WIDEST = 100  # characters of what is said about one check


def composed(suite: Suite) -> list[Block]:
    """Return the suite as one block: the counts, then a line for each check that did not pass."""
    return [Block(suite.outcome, summed_up(suite), lines=tuple(_lines(suite)))]


def summed_up(suite: Suite) -> str:
    """Return how many checks came to which outcome, and what all of them cost."""
    counted = ", ".join(f"{count:,} {name}" for name, count in suite.counts.items() if count)
    return (
        f"{legible(suite.title)}: {counted or 'no checks'}; "
        f"{suite.evaluations:,} evaluations, {suite.seconds:.3g} s"
    )


def _lines(suite: Suite) -> list[tuple[str, str]]:
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
    block = report_composed(case.report)[0]
    rows = {row.label: row.text for row in (*block.rows, *block.closing)}
    words = [rows[label] for label in ("where", "likely", "what") if label in rows]
    return _cut(": ".join(words[:2]))


def _line(case: Case) -> str:
    return f"{case.name}  {summary(case)}".rstrip()


def _cut(words: str) -> str:
    line = legible(" ".join(words.split()))
    return line if len(line) <= _WIDEST else f"{line[: _WIDEST - 1]}…"
