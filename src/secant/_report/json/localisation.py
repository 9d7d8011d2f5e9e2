"""A localisation as JSON and back, with the report of every call."""

from __future__ import annotations

from typing import Any

from ..localisation import Localisation, LocalisedCall
from .fields import Misfit, reading, taken, taken_but
from .format import FORMAT, fields_but
from .report import fields_of as report_fields
from .report import report_of

_CALLS = ("calls", "blamed")


def fields_of(localisation: Localisation) -> dict[str, Any]:
    """Return what the JSON of a localisation holds."""
    return {
        "format": FORMAT,
        "kind": "localisation",
        "verdict": localisation.verdict.name,
        **fields_but(localisation, _CALLS),
        "blamed": [localisation.calls.index(call) for call in localisation.blamed],
        "calls": [_call(call) for call in localisation.calls],
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
        others = taken_but(Localisation, data, _CALLS)
        return Localisation(calls=calls, blamed=tuple(calls[k] for k in blamed), **others)


def _call(call: LocalisedCall) -> dict[str, Any]:
    return {
        **fields_but(call, ("report",)),
        "verdict": None if call.verdict is None else call.verdict.name,
        "report": None if call.report is None else report_fields(call.report),
    }


def _call_of(data: dict[str, Any], most: int) -> LocalisedCall:
    report = None if data["report"] is None else report_of(data["report"])
    call = LocalisedCall(report=report, **taken_but(LocalisedCall, data, ("report",)))
    if not 0 <= call.depth <= most:
        raise Misfit(f"a call lies {call.depth} calls deep, of {most}")
    return call
