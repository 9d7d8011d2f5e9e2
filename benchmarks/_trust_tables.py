"""The trust benchmark's answers, counted and laid out as Markdown.

`promises` is the short table: what is asked of secant, what was found, and whether it is kept.
`tables` has one table a part, a row for every truth, dtype and setting; `false_verdicts` lists
every false verdict under the name that shows it.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from _answers import Answer
from _judges import VERDICTS
from _sections import escape, markdown_table

__all__ = ["false_verdicts", "promises", "tables"]

Test = Callable[[Answer], bool]
RIGHT = (
    "right",
    "kink",
    "faint",
)  # programs whose gradient is right, whether or not it can be told


@dataclass(frozen=True)
class Promise:
    """Something that may happen to a share of some answers at most."""

    what: str
    part: str
    among: Test
    counts: Test
    most: float  # of those asked


def is_lifted(answer: Answer) -> bool:
    """Whether it was asked with default settings."""
    return "lift=False" not in answer.row


PROMISES = (
    Promise(
        "right programs that FAIL",
        "programs",
        lambda one: is_lifted(one) and one.row[0] in RIGHT,
        lambda one: one.verdict == "fail",
        1 / 2000,
    ),
    Promise(
        "right programs that are INCONCLUSIVE",
        "programs",
        lambda one: is_lifted(one) and one.row[0] == "right",
        lambda one: one.verdict == "inconclusive",
        0.01,
    ),
    Promise(
        "wrong programs that PASS",
        "wrong",
        is_lifted,
        lambda one: one.verdict == "pass",
        1 / 2000,
    ),
    Promise(
        "wrong programs, lift=False, that PASS",
        "wrong",
        lambda one: not is_lifted(one) and one.expected == "fail",
        lambda one: one.verdict == "pass",
        1 / 2000,
    ),
    Promise(
        "right programs, lift=False, that FAIL",
        "programs",
        lambda one: not is_lifted(one) and one.row[0] in RIGHT,
        lambda one: one.verdict == "fail",
        1 / 2000,
    ),
    Promise(
        "PASS with a resolution coarser than a tenth of the gradient",
        "programs",
        lambda one: one.row[0] == "right" and one.verdict == "pass",
        lambda one: one.is_coarse,
        0.0,
    ),
    Promise(
        "an entry off by 2 resolutions that PASSes",
        "resolution",
        lambda one: one.row[0] == "2 R",
        lambda one: one.verdict == "pass",
        0.002,
    ),
    Promise(
        "an entry off by 20 resolutions that PASSes",
        "resolution",
        lambda one: one.row[0] == "20 R",
        lambda one: one.verdict == "pass",
        0.0,
    ),
    Promise(
        "a growing error whose verdict gets milder",
        "growing",
        lambda _: True,
        lambda one: one.expected == "graver",
        0.0,
    ),
    Promise(
        "an error as large as the gradient that PASSes",
        "growing",
        lambda one: one.expected in ("fail", "graver"),
        lambda one: one.verdict == "pass",
        0.0,
    ),
    Promise(
        "a verdict that changes with units, one power for all",
        "units",
        lambda one: "one for all" in one.row,
        lambda one: one.expected == "unchanged",
        0.0,
    ),
    Promise(
        "a verdict that changes with units, one power for each entry",
        "units",
        lambda one: "one for each entry" in one.row and one.row[0] != "column",
        lambda one: one.expected == "unchanged",
        0.0,
    ),
    Promise(
        "a column 5 % off, one power for each entry, full probe, that does not FAIL",
        "units",
        lambda one: one.row[0] == "column" and "one for each entry" in one.row,
        lambda one: one.verdict != "fail",
        0.0,
    ),
    Promise(
        "inexact functions, rough, right, that FAIL",
        "inexact",
        lambda one: one.row == ("right", "rough"),
        lambda one: one.verdict == "fail",
        0.0,
    ),
    Promise(
        "inexact functions, smooth, off by at most 1 %: FAIL that names no tolerance, or fails so",
        "inexact",
        lambda one: one.row[:2] == ("right", "smooth, off"),
        lambda one: one.verdict == "fail" and (one.forgiving is None or len(one.row) > 2),
        0.0,
    ),
    Promise(
        "inexact functions, wrong, tolerance below 1e-3, that do not FAIL",
        "inexact",
        lambda one: one.expected == "fail",
        lambda one: one.verdict != "fail",
        0.0,
    ),
    Promise(
        "casts, small entries, cancellation: wrong that PASS",
        "casts",
        lambda one: one.row[0] == "wrong",
        lambda one: one.verdict == "pass",
        0.0,
    ),
    Promise(
        "casts, small entries, cancellation: right that FAIL",
        "casts",
        lambda one: one.row[0] == "right",
        lambda one: one.verdict == "fail",
        0.0,
    ),
)


def promises(answers: Sequence[Answer]) -> str:
    """What is asked of secant, beside what was found."""
    rows = []
    for one in PROMISES:
        asked = [answer for answer in answers if answer.part == one.part and one.among(answer)]
        if not asked:
            continue
        count = sum(one.counts(answer) for answer in asked)
        kept = "" if count <= one.most * len(asked) else "above"
        most = "none" if one.most == 0 else f"{100 * one.most:g} %"
        rows.append((one.what, str(len(asked)), str(count), most, kept))
    raised = sum(answer.verdict == "raises" for answer in answers)
    rows.append(("exceptions", str(len(answers)), str(raised), "none", "above" if raised else ""))
    return markdown_table(("", "asked", "found", "at most", ""), rows)


def tables(answers: Sequence[Answer]) -> list[str]:
    """One table a part: a row for every truth, dtype and setting."""
    shown = []
    for part in dict.fromkeys(answer.part for answer in answers):
        own = [answer for answer in answers if answer.part == part]
        header = (part, "asked", *VERDICTS, "false", "coarse PASS", "evaluations")
        lines = [line_of(row, [one for one in own if one.row == row]) for row in rows_of(own)]
        shown.append(markdown_table(header, lines))
    return shown


def rows_of(answers: Sequence[Answer]) -> list[tuple[str, ...]]:
    """The rows of a part's table, in the order of their names."""
    return sorted({answer.row for answer in answers})


def line_of(row: tuple[str, ...], answers: Sequence[Answer]) -> tuple[str, ...]:
    """One row's counts."""
    verdicts = Counter(answer.verdict for answer in answers)
    return (
        ", ".join(row),
        str(len(answers)),
        *(str(verdicts[verdict]) for verdict in VERDICTS),
        str(sum(answer.is_false for answer in answers)),
        str(sum(answer.is_coarse for answer in answers)),
        f"{statistics.median(answer.evaluations for answer in answers):.0f}",
    )


LISTED = 40  # false verdicts of a part; what has more is not listed to be looked at one by one


def false_verdicts(answers: Sequence[Answer]) -> str:
    """Every false verdict on a line, up to LISTED of a part."""
    false = [answer for answer in answers if answer.is_false]
    lines = [f"False verdicts: {len(false)}."]
    if false:
        lines += ["", "| question | row | verdict | reason |", "|---|---|---|---|"]
    for part in dict.fromkeys(answer.part for answer in false):
        own = [answer for answer in false if answer.part == part]
        lines += [
            f"| `{one.name}` | {', '.join(one.row)} | {one.verdict} | {escape(one.reason)} |"
            for one in own[:LISTED]
        ]
        if len(own) > LISTED:
            lines.append(f"| {part}: {len(own) - LISTED} more | | | |")
    return "\n".join(lines)
