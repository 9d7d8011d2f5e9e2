"""The page of a localisation: who is to blame, every call as a tree, pictures of the guilty one."""

from __future__ import annotations

from typing import Any

from ..._findings import Verdict
from ..localisation import Localisation, LocalisedCall
from ..screen.compose import compose
from ..screen.localisation import worst_words
from .report import pictures
from .view import cards, facts, outcome, summary
from .write import page

_MOST_DETAILS = 60  # calls whose findings are told
_SAID = {
    Verdict.PASS: "The module and every call in it are right, as far as can be seen.",
    Verdict.FAIL: "The module is wrong somewhere.",
    Verdict.INCONCLUSIVE: "These numbers cannot tell whether every call is right.",
}


def render(localisation: Localisation) -> str:
    """Return the localisation as one page that needs nothing else."""
    guilty = next((call for call in localisation.blamed if call.report is not None), None)
    drawn: dict[str, Any] = {"pairs": [], "curve": None}
    if guilty is not None and guilty.report is not None:
        drawn = pictures(guilty.report)
    draws = bool(drawn["pairs"] or drawn["curve"])
    closing = compose(localisation)[0].closing
    view = {
        "heading": localisation.name,
        "kind": "localisation",
        "outcome": outcome(localisation.verdict.name),
        "sentence": _SAID[localisation.verdict],
        "blame": localisation.sentence,
        "cause": _cause(localisation),
        "code": [(one.text, one.link) for one in closing if one.label == "code"],
        "advice": localisation.advice,
        "facts": facts(localisation.cost, localisation.seed),
        "calls": _calls(localisation),
        "guilty": "" if guilty is None else guilty.name,
        "rerun": "" if localisation else localisation.rerun,
        "versions": localisation.versions,
        "text": str(localisation),
        "pictures": drawn,
    }
    return page("localisation.html", view, ["pictures.js"] if draws else [], drawn, draws=draws)


def _cause(localisation: Localisation) -> str:
    causes = (call.worst.cause for call in localisation.blamed if call.worst is not None)
    return next((cause for cause in causes if cause), "")


def _calls(localisation: Localisation) -> list[dict[str, Any]]:
    told = 0
    rows = []
    for call in localisation.calls:
        detail = None
        if call.report is not None and (not call.report or told < _MOST_DETAILS):
            detail = cards(call.report) or [summary(call.report)]
            told += 1
        rows.append(_row(call, detail, is_blamed=any(call is one for one in localisation.blamed)))
    return rows


def _row(call: LocalisedCall, detail: Any, *, is_blamed: bool) -> dict[str, Any]:
    report = call.report
    return {
        "name": call.name,
        "kind": call.kind,
        "depth": min(call.depth, 12),
        "is_rule": call.is_rule,
        "is_blamed": is_blamed,
        "outcome": None if report is None else outcome(report.verdict.name),
        "evaluations": "" if report is None else f"{report.cost.evaluations:,}",
        "seconds": "" if report is None else f"{report.cost.seconds:.2g}",
        "worst": call.remark if report is None else worst_words(call),
        "detail": detail,
    }
