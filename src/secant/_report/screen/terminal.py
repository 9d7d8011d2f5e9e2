"""Text in colour: what a headline says, labels dimmed, outcomes as in all media."""

from __future__ import annotations

import re

from rich.text import Text

_COLOUR = {
    "PASS": "green",
    "FAIL": "red",
    "INCONCLUSIVE": "yellow",
    "REFUSED": "magenta",
    "EXPECTED": "cyan",
    "SAME": "green",
    "BETTER": "green",
    "CHANGED": "yellow",
    "WORSE": "red",
}
_HEADLINE = re.compile(rf"( {{0,2}})({'|'.join(_COLOUR)})\b")
_LABEL = re.compile(r"  \w+(?=  )")


def coloured(text: str) -> Text:
    """Return a document's text in colour, line by line as it is."""
    return Text("\n").join(map(_coloured, text.splitlines()))


def _coloured(line: str) -> Text:
    text = Text(line)
    match, label = _HEADLINE.match(line), _LABEL.match(line)
    if match:
        text.stylize(f"bold {_COLOUR[match[2]]}", *match.span(2))
        if not match[1]:
            text.stylize("bold", match.end())
    elif label:
        text.stylize("dim", *label.span())
    return text
