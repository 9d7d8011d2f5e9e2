"""A localisation as JSON and back, with the report of every call."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ..localisation import Localisation, LocalisedCall
from ..model import Cost
from .fields import Misfit, reading, taken
from .format import FORMAT
from .report import fields_of as report_fields
from .report import report_of


def fields_of(localisation: Localisation) -> dict[str, Any]:
    """Return what the JSON of a localisation holds."""
    return {
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


def localisation_of(data: dict[str, Any]) -> Localisation:
    """Return the localisation that such fields describe."""
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


def _call(call: LocalisedCall) -> dict[str, Any]:
    return {
        "path": call.path,
        "kind": call.kind,
        "number": call.number,
        "depth": call.depth,
        "is_rule": call.is_rule,
        "verdict": None if call.verdict is None else call.verdict.name,
        "remark": call.remark,
        "report": None if call.report is None else report_fields(call.report),
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
