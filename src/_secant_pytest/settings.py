"""The settings of one check: the call's own, then the test's marks, then those of the run.

Imports secant only where a mark or a call is at hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import pytest

from .options import INCONCLUSIVE, Options

MARK = "secant"


def marked(item: pytest.Item | None) -> dict[str, Any]:
    """Return what a test's marks say, the closest one last and so the one that counts."""
    marks = [] if item is None else list(item.iter_markers(MARK))
    return {name: value for mark in reversed(marks) for name, value in mark.kwargs.items()}


def is_idle(item: pytest.Item) -> bool:
    """Say whether a test has a mark of its own, and no fixture that heeds it."""
    is_marked = any(mark.name == MARK for mark in item.own_markers)
    return is_marked and "gradient" not in getattr(item, "fixturenames", ())


def trouble(item: pytest.Item) -> str:
    """Return why a test's marks cannot be used, with the test's name; empty where they can."""
    marks = list(item.iter_markers(MARK))
    if not marks:
        return ""
    from secant import InputError

    try:
        for mark in marks:
            if mark.args:
                said = ", ".join(map(repr, mark.args))
                raise InputError(f'expected settings by name, such as probe="full"; got {said}')
            _refuse_unknown(mark.kwargs)
            _validate(mark.kwargs)
    except InputError as error:
        return f"{item.nodeid}: @pytest.mark.secant: {error}"
    return ""


def settled(
    verb: str, options: Options, marks: Mapping[str, Any], own: Mapping[str, Any]
) -> tuple[dict[str, Any], str]:
    """Return the settings for one call, and what becomes of the test if numbers cannot tell.

    What was said for a run or by a mark goes to the verbs that know it; a call's own is passed on.
    """
    known = _known()[verb]
    general = {**options.settings, **marks}
    settings = {name: value for name, value in general.items() if name in known} | dict(own)
    settings.pop("inconclusive", None)
    inconclusive = own.get("inconclusive", marks.get("inconclusive", options.inconclusive))
    _refuse_inconclusive(inconclusive)
    return settings, inconclusive


def _known() -> dict[str, tuple[str, ...]]:
    """Return the names of the settings that each verb has."""
    from secant._compare.settings import CompareSettings
    from secant._settings import ABOUT_GROUPS, GIVEN, Settings

    own = tuple(field.name for field in fields(Settings))
    return {
        "check": (*own, *GIVEN, *ABOUT_GROUPS),
        "localise": own,
        "compare": tuple(field.name for field in fields(CompareSettings)),
    }


def _refuse_unknown(settings: Mapping[str, Any]) -> None:
    from secant import InputError
    from secant._errors import one_of

    every = dict.fromkeys(name for names in _known().values() for name in names)
    choices = (*every, "inconclusive")
    for name in settings:
        if name not in choices:
            raise InputError(f"expected a setting to be {one_of(choices)}; got {name!r}")


def _validate(settings: Mapping[str, Any]) -> None:
    """Refuse bad values of a mark as the verbs would."""
    from secant._compare import settings as of_compare
    from secant._settings import settle

    known = _known()
    if "inconclusive" in settings:
        _refuse_inconclusive(settings["inconclusive"])
    settle({name: value for name, value in settings.items() if name in known["localise"]})
    of_compare.settle(
        {
            name: value
            for name, value in settings.items()
            if name in known["compare"] and name not in known["localise"]
        }
    )


def _refuse_inconclusive(value: Any) -> None:
    from secant._errors import expected, one_of

    if value not in INCONCLUSIVE:
        raise expected("inconclusive", one_of(INCONCLUSIVE), value)
