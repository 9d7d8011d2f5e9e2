"""From plain data to one self-contained page: jinja2 escapes the words, the data go as JSON.

Only the scripts that secant puts into a page may run, each known by its hash, and nothing may be
fetched: a name that got past the escaping would still be text.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..json.writing import plain
from .colours import DARK, LIGHT
from .needs import need, plotly_script

_ASSETS = Path(__file__).parent / "templates"
_ESCAPED = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}


def page(
    template: str, view: Mapping[str, Any], scripts: Sequence[str], data: Any, *, draws: bool
) -> str:
    """Return a page: a template filled with a view, scripts by name, and the data they show."""
    code = [asset(name) for name in scripts]
    if draws:
        code.insert(0, plotly_script())
    hashes = " ".join(f"'sha256-{_hash(script)}'" for script in code)
    return str(
        _environment()
        .get_template(template)
        .render(
            **view,
            style=asset("style.css"),
            scripts=code,
            hashes=hashes or "'none'",
            light=LIGHT,
            dark=DARK,
            data=None if data is None else embedded(data),
        )
    )


def embedded(data: Any) -> str:
    """Return data as JSON that may stand inside a script element: no letter of it ends one.

    >>> embedded("</script>")
    '"\\\\u003c/script\\\\u003e"'
    """
    text = json.dumps(plain(data), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for letter, escape in _ESCAPED.items():
        text = text.replace(letter, escape)
    return text


@functools.cache
def asset(name: str) -> str:
    """Return a script or a style sheet."""
    return (_ASSETS / name).read_text(encoding="utf-8")


@functools.cache
def _environment() -> Any:
    jinja2 = need("jinja2", "a page")
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(_ASSETS),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
