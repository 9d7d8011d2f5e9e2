"""From what a check gave to a case of the run's suite; loaded with the first case that is kept.

A suite holds reports, so a comparison is laid out as one, row by row, and a localisation is spoken
for by the call that decides about it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from secant import (
    Comparison,
    ComparisonRow,
    Cost,
    Estimate,
    Finding,
    Localisation,
    Report,
    SecantError,
    Verdict,
)
from secant._problem.pose import gather
from secant._report.suite import Case
from secant._words.comparisons import AGREEMENT, YARDSTICKS_OFF

from .calls import PASSES, RAISES
from .interception import CHECKS

if TYPE_CHECKING:
    from .answering import Heard
    from .calls import Call

Result = Report | Comparison | Localisation | SecantError


def case_of(
    verb: str,
    result: Result,
    function: Callable[..., Any],
    inputs: Sequence[Any],
    settings: Mapping[str, Any],
) -> Case:
    """Return what became of one call of a verb; its name and its file are its test's."""
    labels = {} if verb == "check" else {"verb": verb}
    dtypes = _dtypes(function, inputs, settings)
    if dtypes:
        labels["dtype"] = dtypes
    if isinstance(result, SecantError):
        return Case("", None, str(result), labels)
    if isinstance(result, Comparison):
        return Case("", _laid_out(result), labels=labels)
    if isinstance(result, Localisation):
        report, call = _decisive(result)
        return Case("", report, labels={**labels, "call": call})
    return Case("", result, labels=labels)


def case_of_call(call: Call, heard: Heard) -> Case:
    """Return what became of a call of another checker: secant's answer, or how the two compare."""
    labels = {"check": CHECKS[call.check].public, "place": call.place}
    subject = f"answer to `{call.check}`"
    if call.original is not None:
        labels |= {"original": call.original.outcome, "secant": call.secant.outcome}
        subject = f"agreement with `{call.check}`"
    if call.sabotage is not None:
        labels["caught"] = call.sabotage.caught
    report: Report | None = getattr(heard.error, "report", None)
    if call.original is None:
        if call.secant.outcome == RAISES:
            return Case("", None, call.reason, labels)
        if report is not None:
            return Case("", report, labels=labels)
    verdict = _verdict_of(call)
    said = AGREEMENT(text=call.reason or call.secant.outcome)
    finding = Finding(verdict, "agreement", subject, call.place, (said,))
    cost = Cost(0, 0, 0, call.secant.seconds, 0)
    if report is None:
        laid_out = Report(call.check, (finding,), cost, 0, (), "")
    else:
        own = () if call.is_agreed else report.findings
        laid_out = dataclasses.replace(report, findings=(finding, *own))
    return Case("", laid_out, labels=labels)


def _verdict_of(call: Call) -> Verdict:
    """Return how a call is judged: secant's answer by itself, or whether it is the original's."""
    if call.original is not None and not call.is_agreed:
        return Verdict.FAIL
    if call.secant.undecided:
        return Verdict.INCONCLUSIVE
    is_answer = call.original is None
    return Verdict.FAIL if is_answer and call.secant.outcome != PASSES else Verdict.PASS


def _laid_out(comparison: Comparison) -> Report:
    subject = f"comparison with `{comparison.reference}`"
    return Report(
        comparison.name,
        tuple(_finding(row, subject) for row in comparison.rows),
        comparison.cost,
        comparison.seed,
        comparison.versions,
        comparison.rerun,
    )


def _finding(row: ComparisonRow, subject: str) -> Finding:
    """Say a row as a finding: the kernel claims, the truth is as far off as the yardstick is."""
    worst = row.entries[0] if row.entries else None
    measured = None
    if worst is not None:
        yardstick = worst.truth if worst.yardstick is None else worst.yardstick
        measured = Estimate(worst.truth, abs(yardstick - worst.truth))
    held = row.norm or row.worst
    off = () if held is None else (YARDSTICKS_OFF(ratio=held.ratio, limit=held.limit),)
    return Finding(
        row.verdict,
        "derivative",
        subject,
        row.what if worst is None else worst.where,
        row.reasons if row.message else (*off, *row.reasons),
        claimed=None if worst is None else worst.kernel,
        measured=measured,
        place=row.place,
        wrong=row.wrong,
        total=row.size,
    )


def _decisive(localisation: Localisation) -> tuple[Report, str]:
    """Return the report of the call that decides, and its name: one to blame, or the whole."""
    for call in (*localisation.blamed, *localisation.calls):
        if call.report is not None and call.verdict is localisation.verdict:
            return call.report, call.name
    return localisation.whole, localisation.name


def _dtypes(
    function: Callable[..., Any], inputs: Sequence[Any], settings: Mapping[str, Any]
) -> str:
    """Return the dtypes that a check is about, as far as its inputs tell."""
    if settings.get("dtype") is not None:
        return str(settings["dtype"]).rpartition(".")[2]
    try:
        arguments, backend = gather(function, inputs, settings.get("kwargs") or {})
    except SecantError:
        return ""
    names = (
        backend.dtype_name(leaf)
        for leaf in arguments.leaves
        if backend.is_array(leaf) and backend.is_inexact(leaf)
    )
    return ", ".join(dict.fromkeys(names))
