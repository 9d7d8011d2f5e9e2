"""From the options of a command to settings as `secant.check` and `secant.localise` take them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_AS_THEY_ARE = (
    *("modes", "order", "probe", "draws", "rtol", "atol", "step", "seed", "dtype"),
    *("nondeterminism", "max_evaluations", "max_seconds", "memory"),
)


def chosen_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that were given."""
    chosen = {name: given[name] for name in _AS_THEY_ARE if given[name] is not None}
    if given["laws"] is not None:
        names = [name.strip() for name in given["laws"].split(",")]
        chosen["laws"] = names[0] if len(names) == 1 else tuple(names)
    if given["lift"] is not None:
        chosen["lift"] = {"true": True, "false": False}.get(given["lift"].lower(), given["lift"])
    if given["masked"]:
        chosen["masked"] = True
    if given["no_explain"]:
        chosen["explain"] = False
    return chosen
