"""What may be printed: names and messages come from users' code and files, and may hold anything.

A control character can move the cursor, a bidirectional one can turn a line around, a new line can
begin with a verdict of its own: all are spelt out. Where a stream cannot encode a character, such
as ∂ in cp1252, it is spelt in ASCII.
"""

from __future__ import annotations

import codecs
import sys
import unicodedata
from typing import Any

_CONTROLS = ("Cc", "Cf", "Cs", "Zl", "Zp")  # controls, formats, halves of characters, separators
_ASCII = {
    "∂": "d",
    "±": "+-",
    "×": "x",
    "·": "*",
    "→": "->",
    "←": "<-",
    "⟨": "<",
    "⟩": ">",
    "…": "...",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "≈": "~",
    "−": "-",
    "–": "-",
    "—": "-",
    "√": "sqrt",
    "Σ": "sum",
    "∞": "inf",
    "ε": "eps",
    "ᵀ": "^T",
    "₀": "0",
    "₁": "1",
    "²": "^2",
    "³": "^3",
    "⁻": "^-",
    "∘": "*",
    "‖": "||",
    "τ": "tau",
    "•": "*",
    "─": "-",
    "│": "|",
    "╭": "+",
    "╮": "+",
    "╰": "+",
    "╯": "+",
    "δ": "delta",
    "ρ": "rho",
    "σ": "sigma",
    "ᴴ": "^H",
    "∈": "in",
    "ℝ": "R",
    "↦": "->",
    "✓": "yes",
    "✗": "no",
    "½": "1/2",
}
ERRORS = "secant.ascii"


def legible(text: str) -> str:
    r"""Return a text in one line, every character of it visible or a space.

    >>> legible("x\x1b[2J\n\u202ePASS")
    'x\\x1b[2J\\n\\u202ePASS'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_spelt, text))


def _spelt(character: str) -> str:
    if unicodedata.category(character) in _CONTROLS:
        return character.encode("unicode_escape").decode("ascii")
    return character


def legible_lines(text: str) -> list[str]:
    """Return the lines of a text, each legible."""
    return [legible(line) for line in text.split("\n")]


def encodable(text: str, stream: Any = None) -> str:
    """Return a text that a stream (standard output, unless another is given) can encode."""
    encoding = getattr(sys.stdout if stream is None else stream, "encoding", None)
    if not isinstance(encoding, str) or text.isascii():
        return text
    try:
        return text.encode(encoding, ERRORS).decode(encoding)
    except (LookupError, UnicodeError):  # an encoding that nobody knows
        return text


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    wanted = error.object[error.start : error.end]
    spelt = (_ASCII.get(one) or one.encode("ascii", "backslashreplace").decode() for one in wanted)
    return "".join(spelt), error.end


codecs.register_error(ERRORS, _in_ascii)
