"""A report as blocks of words: a block for each mistake, or one for what passed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from ..._findings import SLOPES, Entry, Finding, Verdict
from ..._measure.estimate import Estimate
from ..model import Report
from ..pairs import spell_pair
from .blocks import Block, Row, Table, plural

_MOST_BLOCKS = 3
_MOST_ENTRIES = 10
_MOST_RIGHT = 4
_FEWEST_DIGITS = 6
_MOST_DIGITS = 17
_HEADER = ("entry", "claimed", "measured ± error")
_DOUBTED = (Verdict.FAIL, Verdict.INCONCLUSIVE)


def composed(report: Report) -> list[Block]:
    """Return the blocks a reader needs: what failed or could not be told, or what passed."""
    verdict = report.verdict
    if verdict is Verdict.PASS:
        return [_passed(report)]
    grave = [finding for finding in report.findings if finding.verdict is verdict]
    grave.sort(key=lambda finding: finding.kind == "derivative")  # laws name causes
    once = told_once(grave)
    blocks = [block_of(report, finding, also) for finding, also in once[:_MOST_BLOCKS]]
    more = len(once) - len(blocks)
    tail = (
        [Row("more", f"{more} more {plural(more, 'finding')} of this kind in report.findings")]
        if more
        else []
    )
    closing = (*tail, *_right_beside(report, grave), Row("rerun", report.rerun))
    return [*blocks[:-1], replace(blocks[-1], closing=closing)]


def told_once(findings: Sequence[Finding]) -> list[tuple[Finding, list[Finding]]]:
    """Return findings, each with the others that speak of the same mistake.

    That is the same value of the same rule, or the same cause in the same code.
    """
    groups: dict[object, list[Finding]] = {}
    for place, one in enumerate(findings):
        is_known = len(one.code) == 1 and one.kind in SLOPES
        is_value = is_known and one.code[0].value is not None
        key: object = place
        if is_value or (is_known and one.cause):
            key = (one.subject, one.code, None if is_value else one.cause)
        groups.setdefault(key, []).append(one)
    return [(first, others) for first, *others in groups.values()]


def _right_beside(report: Report, grave: list[Finding]) -> list[Row]:
    """Return which pairs of leaves are right where others are wrong: where not to look."""
    wrong = {one.subject for one in grave if one.kind in SLOPES and one.verdict is Verdict.FAIL}
    doubted = {(one.subject, one.where) for one in report.findings if one.verdict in _DOUBTED}
    right = dict.fromkeys(
        one.where
        for one in report.findings
        if one.kind == "derivative"
        and one.verdict is Verdict.PASS
        and one.total != 0
        and one.subject in wrong
        and (one.subject, one.where) not in doubted
    )
    if not right:
        return []
    more = f" and {len(right) - _MOST_RIGHT} more" if len(right) > _MOST_RIGHT else ""
    return [Row("right", ", ".join(list(right)[:_MOST_RIGHT]) + more)]


def _passed(report: Report) -> Block:
    measured = [finding for finding in report.findings if finding.kind == "derivative"]
    others = [finding for finding in report.findings if finding.kind != "derivative"]
    laws = [
        finding.kind for finding in others if finding.kind not in ("precision", "module", "unread")
    ]
    subjects = list(dict.fromkeys(finding.subject for finding in measured))
    rows = [Row("checked", f"{len(measured)} {plural(len(measured), 'pair')} of leaves", "")]
    if laws:
        rows.append(Row("laws", ", ".join(dict.fromkeys(laws))))
    if measured and all(finding.total == 0 for finding in measured):
        rows.append(Row("resolution", "nothing: there was no entry to be wrong"))
    elif report.resolution is not None:
        size = f" above {report.resolution:.1e}" if report.resolution else ""
        rows.append(Row("resolution", f"any single wrong entry{size} is caught"))
    lifted = dict.fromkeys(one.message for one in others if one.kind == "precision")
    rows += [Row("lifted", message) for message in lifted]
    notes = dict.fromkeys(finding.note for finding in report.findings if finding.note)
    rows += [Row("note", note) for note in notes]
    cost = report.cost
    rows.append(
        Row(
            "cost",
            f"{cost.evaluations} {plural(cost.evaluations, 'evaluation')}, {cost.pulls} "
            f"{plural(cost.pulls, 'pull')}, {cost.pushes} {plural(cost.pushes, 'push')}, "
            f"{cost.seconds:.2g} s",
            f"seed {report.seed}",
        )
    )
    subject = " and ".join(subjects) or "derivative"
    return Block("PASS", f"{subject} of `{report.name}`", tuple(rows))


def block_of(report: Report, finding: Finding, also: Sequence[Finding] = ()) -> Block:
    """Return what a reader needs to know about one finding, and others of the same mistake."""
    rows: list[Row] = []
    worst = finding.entries[0] if finding.entries else None
    place = finding.where if worst is None else spell_pair(worst.output, worst.input)
    if place:
        rows.append(Row("where", place, _count(finding)))
    claimed = finding.claimed if worst is None else worst.claimed
    measured = finding.measured if worst is None else worst.measured
    is_slope = finding.kind in SLOPES
    is_wrong_slope = finding.verdict is Verdict.FAIL and is_slope and worst is None
    is_dead = finding.kind == "liveness" and finding.verdict is Verdict.FAIL
    if claimed is None or measured is None or is_dead or not (is_wrong_slope or worst):
        rows.append(Row("what", finding.message))
    digits = _digits(claimed, measured)
    if claimed is not None:
        rows.append(Row("claimed", f"{claimed:.{digits}g}"))
    if measured is not None:
        apart = _bars_apart(claimed, measured.value, measured.error)
        rows.append(Row("measured", _spelt(measured, digits), apart))
    if finding.picture:
        rows.append(Row("wrong", finding.picture))
    if finding.verdict is Verdict.FAIL and finding.kind not in (*SLOPES, "precision"):
        rows.append(Row("broken", f"the {finding.kind} law"))
    if finding.cause:
        rows.append(Row("likely", finding.cause))
    rows += code_rows(finding)
    if also:
        wheres = [one.where for one in also]
        more = f" and {len(wheres) - _MOST_RIGHT} more" if len(wheres) > _MOST_RIGHT else ""
        rows.append(Row("also", ", ".join(wheres[:_MOST_RIGHT]) + more))
    if finding.note and finding.note != finding.message:
        rows.append(Row("note", finding.note))
    if finding.advice:
        rows.append(Row("next", finding.advice))
    entries = tuple(_table_row(entry) for entry in finding.entries[:_MOST_ENTRIES])
    tables = (Table(_HEADER, entries, depth=4),) if len(entries) > 1 else ()
    title = f"{finding.subject} of `{report.name}`"
    return Block(finding.verdict.name, title, tuple(rows), tables)


def code_rows(finding: Finding) -> list[Row]:
    """Return where the derivative is written, a row for each place that it may be."""
    words = [""] if len(finding.code) < 2 else ["either ", *["or "] * (len(finding.code) - 1)]
    return [
        Row("code", f"{word}{code}", link=code.link)
        for word, code in zip(words, finding.code, strict=False)
    ]


def _count(finding: Finding) -> str:
    if finding.wrong is None or finding.total is None:
        return ""
    about = "about " if finding.wrong_is_estimate else ""
    counted = finding.counted
    if finding.total == 1:
        counted = "entry" if counted == "entries" else "column"
    return f"({about}{finding.wrong:,} of {finding.total:,} {counted} wrong)"


def _bars_apart(claimed: float | None, measured: float, error: float) -> str:
    if claimed is None or not error or not math.isfinite(claimed - measured + error):
        return ""
    return f"({abs(claimed - measured) / error:.1e} error bars apart)"


def _digits(claimed: float | None, measured: Estimate | None) -> int:
    """Return how many digits show that two numbers differ, and by what."""
    if claimed is None or measured is None:
        return _FEWEST_DIGITS
    apart, size = abs(claimed - measured.value), max(abs(claimed), abs(measured.value))
    if not apart or not math.isfinite(size / apart):
        return _FEWEST_DIGITS
    return min(max(_FEWEST_DIGITS, math.ceil(math.log10(size / apart)) + 2), _MOST_DIGITS)


def _spelt(measured: Estimate, digits: int) -> str:
    return f"{measured.value:.{digits}g} ± {measured.error:.1g}"


def _table_row(entry: Entry) -> tuple[str, str, str]:
    digits = _digits(entry.claimed, entry.measured)
    where = spell_pair(entry.output, entry.input)
    return where, f"{entry.claimed:.{digits}g}", _spelt(entry.measured, digits)
