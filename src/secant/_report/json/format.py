"""What all JSON of secant has in common: its format and its spelling."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..._errors import InputError, spell, spell_value

FORMAT = 3


def spelt(document: Mapping[str, Any]) -> str:
    """Return plain data as JSON that any reader accepts."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def parsed(text: str, *kinds: str) -> dict[str, Any]:
    """Return the document in a text, if it is of one of these kinds and of this format."""
    data = document_in(text)
    if "format" not in data:
        raise InputError("expected the JSON of a secant report; it states no format")
    if data["format"] != FORMAT:
        raise InputError(f"expected a report of format {FORMAT}; got {spell_value(data['format'])}")
    if data.get("kind") not in kinds:
        got = spell_value(data.get("kind"))
        raise InputError(f"expected the JSON of a {' or '.join(kinds)}; got {got}")
    return data


def document_in(text: str) -> dict[str, Any]:
    """Return the object that a text holds as JSON."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:  # also numbers and nesting beyond all bounds
        raise InputError(f"expected the JSON of a secant report; {spell(error)}") from error
    if not isinstance(data, dict):
        raise InputError("expected the JSON of a secant report; it states no format")
    return data
