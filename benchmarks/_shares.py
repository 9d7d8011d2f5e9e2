"""The detection benchmark's answers, counted and laid out.

Takes the functions as judged unplanted, one `Finding` a planted error and one a hand-written
backward, and gives tables of headers and rows: verdicts and seconds on what is right, shares caught
by size and by kind, and every wrong gradient that a checker let pass. What is asked of secant
stands at the top; a share below it says so.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import rich.table

from _corpus import Function
from _detectors import CHECKERS, FAST, SECANT, SLOW, Answer
from _judges import VERDICTS
from _sections import markdown_table
from _spoils import KINDS

__all__ = [
    "Finding",
    "Table",
    "by_kind",
    "by_size",
    "front",
    "hand_written",
    "listing",
    "markdown",
    "on_terminal",
    "promise",
    "unplanted",
]

LEAST_CAUGHT = {1.0: 1.0, 1e-1: 1.0, 1e-2: 1.0, 1e-3: 1.0, 1e-5: 0.98}  # of secant, by size
MOST_SECONDS = 1.0  # of torch fast's, on what is right
LARGE = 1e-3  # sizes from here on are all to be caught


@dataclass(frozen=True)
class Finding:
    """One wrong gradient, and what everybody said about it."""

    name: str
    corpus: str
    kind: str
    size: float
    seed: int  # of secant's check: with it, the answer repeats
    largest: float  # entry of the Jacobian that the error is relative to
    answers: dict[str, Answer]


@dataclass(frozen=True)
class Table:
    """A title, a header, and rows of cells."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def unplanted(functions: Sequence[Function]) -> Table:
    """Verdicts and seconds on right gradients; torch's own verdicts chose the operators."""
    rows = []
    for corpus in dict.fromkeys(function.corpus for function in functions):
        own = [one for one in functions if one.corpus == corpus]
        chosen = [one for one in own if one.is_accepted]
        asked = own if corpus == "hand-written" else chosen
        for checker in CHECKERS:
            if all(checker in one.answers for one in asked) and asked:
                rows.append((corpus, *of_checker(asked, chosen, checker)))
    header = ("functions", "checker", "asked", *VERDICTS, "seconds", "ratio", "median ratio")
    return Table("right gradients; seconds where torch passes", header, tuple(rows))


def of_checker(
    asked: Sequence[Function], timed: Sequence[Function], checker: str
) -> tuple[str, ...]:
    """One checker's line about right gradients."""
    verdicts = Counter(one.answers[checker].verdict for one in asked)
    seconds = sum(one.answers[checker].seconds for one in timed)
    ratio = ratio_of(timed, checker)
    singles = [one.answers[checker].seconds / one.answers[FAST].seconds for one in timed]
    above = f" (above {MOST_SECONDS:g})" if checker == SECANT and ratio > MOST_SECONDS else ""
    return (
        checker,
        str(len(asked)),
        *(str(verdicts[verdict]) for verdict in VERDICTS),
        f"{seconds:.2f}",
        "" if checker == FAST else f"{ratio:.2f}{above}",
        "" if checker == FAST else f"{statistics.median(singles or [math.nan]):.2f}",
    )


def ratio_of(timed: Iterable[Function], checker: str) -> float:
    """A checker's seconds over torch fast's."""
    pairs = [(one.answers[checker].seconds, one.answers[FAST].seconds) for one in timed]
    return sum(own for own, _ in pairs) / sum(fast for _, fast in pairs) if pairs else math.nan


def by_size(findings: Sequence[Finding]) -> Table:
    """What is caught of every size, among the operators and among the larger functions."""
    rows = []
    for corpus in dict.fromkeys(finding.corpus for finding in findings):
        own = [one for one in findings if one.corpus == corpus]
        for size in sorted({one.size for one in own}, reverse=True):
            chosen = [one for one in own if one.size == size]
            shares = (share(chosen, checker, size) for checker in CHECKERS)
            rows.append((f"{corpus}, {short(size)}", str(len(chosen)), *shares, undecided(chosen)))
    header = ("functions, size", "planted", *CHECKERS, "secant inconclusive")
    return Table("planted errors caught, by size", header, tuple(rows))


def by_kind(findings: Sequence[Finding]) -> Table:
    """What is caught of every kind: from LARGE on by everybody, below by secant."""
    below = sorted({one.size for one in findings if one.size < LARGE}, reverse=True)
    rows = []
    for kind in KINDS:
        own = [one for one in findings if one.kind == kind]
        if not own:
            continue
        large = [one for one in own if one.size >= LARGE]
        rows.append(
            (
                kind,
                str(len(large)),
                *(share(large, checker) for checker in CHECKERS),
                *(share([one for one in own if one.size == size], SECANT) for size in below),
            )
        )
    smaller = tuple(f"secant, {short(size)}" for size in below)
    header = ("kind", f"{short(LARGE)} to 1", *CHECKERS, *smaller)
    return Table("planted errors caught in operators, by kind", header, tuple(rows))


def share(findings: Sequence[Finding], checker: str, size: float | None = None) -> str:
    """Caught of asked, with the share in per cent where some were missed; a dash for not asked."""
    answers = [one.answers[checker] for one in findings if checker in one.answers]
    if not answers:
        return "–"
    caught = sum(answer.is_caught for answer in answers)
    if caught == len(answers):
        return f"{caught}/{caught}"
    least = LEAST_CAUGHT.get(size, 0.0) if size is not None and checker == SECANT else 0.0
    part = caught / len(answers)
    below = f", below {100 * least:g}" if part < least else ""
    return f"{caught}/{len(answers)} ({100 * part:.1f} %{below})"


def undecided(findings: Sequence[Finding]) -> str:
    """How many secant could not tell; they count as not caught."""
    return str(sum(one.answers[SECANT].verdict == "inconclusive" for one in findings))


def hand_written(findings: Sequence[Finding]) -> Table:
    """The hand-written backwards that somebody let pass."""
    rows = [
        (one.name, *(one.answers[checker].verdict for checker in CHECKERS))
        for one in findings
        if not all(answer.is_caught for answer in one.answers.values())
    ]
    total = tuple(share(findings, checker) for checker in CHECKERS)
    rows.insert(0, (f"caught of {len(findings)}", *total))
    return Table(
        "wrong backwards written by hand, and who missed one", ("", *CHECKERS), tuple(rows)
    )


def front(
    functions: Sequence[Function], planted: Sequence[Finding], written: Sequence[Finding]
) -> Table:
    """The short table: false alarms, seconds, and what is caught."""
    groups: list[tuple[str, Callable[[Finding], bool]]] = [
        (f"planted, {short(LARGE)} to 1", lambda one: one.size >= LARGE),
        ("planted, 1e-4", lambda one: one.size == 1e-4),
        ("planted, 1e-5", lambda one: one.size == 1e-5),
        ("planted, 1e-6", lambda one: one.size == 1e-6),
    ]
    small = [one for one in planted if one.corpus == "operators"]
    large = [one for one in planted if one.corpus == "larger" and one.size >= LARGE]
    right = [one for one in functions if one.corpus == "operators" and one.is_accepted]
    timed = [one for one in functions if one.corpus != "hand-written" and one.is_accepted]
    rows: list[tuple[str, ...]] = []
    for label, belongs in groups:
        chosen = [one for one in small if belongs(one)]
        if chosen:
            rows.append((label, *(share(chosen, checker) for checker in CHECKERS)))
    rows.append(
        (f"larger functions, {short(LARGE)} to 1", *(share(large, one) for one in CHECKERS))
    )
    rows.append(("written by hand", *(share(written, checker) for checker in CHECKERS)))
    alarms = [sum(one.answers[checker].verdict == "fail" for one in right) for checker in CHECKERS]
    rows.append((f"false alarms on {len(right)} right ones", *map(str, alarms)))
    untold = [
        sum(one.answers[checker].verdict not in ("pass", "fail") for one in right)
        for checker in CHECKERS
    ]
    rows.append(("not told about them", *map(str, untold)))
    fast, secant = (f"{ratio_of(timed, checker):.2f}" for checker in (FAST, SECANT))
    slow = f"{ratio_of([one for one in timed if SLOW in one.answers], SLOW):.0f}"
    rows.append(("seconds on right ones, over torch fast's", fast, slow, secant))
    return Table("what is caught", ("wrong gradients caught", *CHECKERS), tuple(rows))


def missed(findings: Iterable[Finding], least: float) -> list[str]:
    """Every wrong gradient of some size that secant does not call wrong, one line each."""
    return [
        f"{one.name}  {one.kind}  {short(one.size)}  seed {one.seed}  largest {one.largest:.3g}  "
        f"{answer.verdict}  resolution {told(answer.resolution)}  {answer.reason}".rstrip()
        for one in findings
        for answer in [one.answers[SECANT]]
        if one.size >= least and not answer.is_caught
    ]


def promise(findings: Sequence[Finding]) -> str:
    """Whether single wrong entries larger than the resolution that was stated were let pass."""
    single = [
        (one.size * one.largest, one.answers[SECANT].resolution)
        for one in findings
        if one.kind == "one entry" and one.answers[SECANT].verdict == "pass"
    ]
    broken = sum(resolution is not None and error > resolution for error, resolution in single)
    return (
        f"Single wrong entries that secant lets pass: {len(single)}; larger than the resolution "
        f"it states: {broken}."
    )


def told(resolution: float | None) -> str:
    """A resolution, or that there is none."""
    return "none" if resolution is None else f"{resolution:.2g}"


def short(size: float) -> str:
    """A size in as few signs as it takes: 1, 1e-3."""
    return f"{size:.0e}".replace("e-0", "e-").replace("e+00", "")


def listing(
    functions: Sequence[Function], findings: Sequence[Finding], least: float
) -> list[tuple[str, list[str]]]:
    """Every right gradient secant does not pass, and every wrong one it does not catch."""
    doubted = [
        f"{one.case.name}  {answer.verdict}  {answer.reason}"
        for one in functions
        for answer in [one.answers[SECANT]]
        if answer.verdict != "pass" and (one.is_accepted or one.corpus == "hand-written")
    ]
    lines = missed(findings, least)
    which = f"of size {short(least)} and above " if least else ""
    return [
        (f"Right gradients that secant does not pass: {len(doubted)}.", doubted),
        (f"Wrong gradients {which}that secant does not catch: {len(lines)}.", lines),
    ]


def on_terminal(table: Table) -> rich.table.Table:
    """A table for the terminal."""
    shown = rich.table.Table(title=table.title)
    for place, name in enumerate(table.header):
        shown.add_column(name, justify="right" if place else "left")
    for row in table.rows:
        shown.add_row(*row)
    return shown


def markdown(table: Table) -> str:
    """A table for a README."""
    return markdown_table(table.header, table.rows)
