"""A comparison as JSON and back, with the ratios that other readers need."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ..comparison import Comparison
from .fields import Misfit, reading, taken
from .format import FORMAT, spoken


def fields_of(comparison: Comparison) -> dict[str, Any]:
    """Return what the JSON of a comparison holds."""
    fields = asdict(comparison)
    for row, data in zip(comparison.rows, fields["rows"], strict=True):
        data |= spoken(row)
        data["verdict"] = row.verdict.name
        for name, held in (("norm", row.norm), ("worst", row.worst)):
            if held is not None:
                data[name]["ratio"] = held.ratio
    head = {"format": FORMAT, "kind": "comparison", "verdict": comparison.verdict.name}
    return {**head, **fields}


def comparison_of(data: dict[str, Any]) -> Comparison:
    """Return the comparison that such fields describe."""
    with reading("comparison"):
        if not isinstance(data["rows"], list):
            raise Misfit("rows are no list")
        head = ("format", "kind", "verdict")
        fields = {key: value for key, value in data.items() if key not in head}
        fields["rows"] = [_without_ratios(row) for row in data["rows"]]
        made: Comparison = taken(Comparison, fields)
        for row in made.rows:
            if any(held is not None and not held.limit > 0 for held in (row.norm, row.worst)):
                raise Misfit(f"{row.what} is held against a limit that is not positive")
        return made


def _without_ratios(row: Any) -> Any:
    """Leave out what is written for other readers."""
    if not isinstance(row, dict):
        return row
    return {
        key: {one: held[one] for one in held if one != "ratio"}
        if key in ("norm", "worst") and isinstance(held, dict)
        else held
        for key, held in row.items()
    }
