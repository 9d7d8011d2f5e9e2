"""What all JSON of secant has in common: its format, its spelling, the kinds of documents."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import asdict, fields, is_dataclass
from typing import Any

from ..._errors import InputError, spell, spell_value
from ..._words.reason import WORDS, Spoken

FORMAT = 3


def spelt(document: Mapping[str, Any]) -> str:
    """Return a document as JSON that any reader accepts."""
    return json.dumps(plain(document), indent=2, ensure_ascii=False, allow_nan=False)


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


def fields_but(document: Any, without: Collection[str]) -> dict[str, Any]:
    """Return the fields of a dataclass that JSON holds as they are, all but some."""
    names = (one.name for one in fields(document) if one.name not in without)
    return {name: plain(getattr(document, name)) for name in names}


def plain(value: Any) -> Any:
    """Spell what JSON has no word for: NaN and infinities as strings, tuples as lists."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return value


def spoken(said: Spoken) -> dict[str, str | None]:
    """Return what reasons are said as, for readers that do not know the codes."""
    return {name: getattr(said, name) or None for name in WORDS}
