"""What an input is to be: the small language of `--input`, parsed.

[NAME=]SHAPE[:DTYPE][:VALUES][:constant]     3x4   8:float32   scalar:0.1..2   5:int64:0..9
[NAME=]NUMBERS[:DTYPE][:constant]            0.5   [1.0, 2.0]   [[1, 2], [3, 4]]:float32
[NAME=]FILE[:ENTRY][:DTYPE][:constant]       data.npz:weight   data.npy   data.pt
[NAME=](LITERAL)                             (2)   (None)   ('mean')
"""

from __future__ import annotations

import ast
import difflib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..._errors import InputError

DTYPES = (
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
    *("int8", "int16", "int32", "int64", "uint8", "bool"),
)
# how many numbers each kind of values takes in brackets, at least and at most
KINDS = {
    "normal": (0, 2),
    "uniform": (0, 2),
    "randint": (1, 2),
    "spd": (0, 0),
    "zeros": (0, 0),
    "ones": (0, 0),
}
CONSTANT = "constant"
_FORM = "expected an input as 3x4, 3x4:float32, 3x4:0.1..2, [1.0, 2.0], data.npz:name or (LITERAL)"
_NAMED = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_FILE = re.compile(r"(.*\.(npz|npy|pt|pth))(?::(.*))?", re.IGNORECASE | re.DOTALL)
_SHAPE = re.compile(r"\d+(x\d+)*|scalar|")
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})")
_CALL = re.compile(r"([a-z]+)(?:\((.*)\))?")


@dataclass(frozen=True, slots=True)
class DrawnValues:
    """How numbers are drawn: a kind, and its numbers."""

    kind: str = "normal"
    numbers: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Spec:
    """One input: what it is called, where its numbers come from, and what is done with them."""

    text: str
    source: str  # drawn, numbers, file or literal
    name: str = ""  # of a keyword argument
    shape: tuple[int, ...] = ()  # of what is drawn
    value: Any = None  # numbers, or a literal
    file: Path = Path()
    entry: str = ""  # in the file
    dtype: str = ""
    values: DrawnValues | None = None
    is_constant: bool = False


def parse(text: str) -> Spec:
    """Return what an input's text says, or say what is wrong with it."""
    match = _NAMED.fullmatch(text)
    name, what = match.groups() if match else ("", text.strip())
    if what.startswith("("):
        return Spec(text, "literal", name, value=_literal(text, what))
    file = _FILE.fullmatch(what)
    if file:
        entry, rest = _entry(file[3] or "")
        fields = _fields(text, rest, is_drawn=False)
        return Spec(text, "file", name, file=Path(file[1]), entry=entry, **fields)
    head, _, rest = what.partition(":")
    shape = head.strip().lower()
    if _SHAPE.fullmatch(shape) and text:
        sizes = () if shape in ("scalar", "") else tuple(map(int, shape.split("x")))
        return Spec(text, "drawn", name, shape=sizes, **_fields(text, rest, is_drawn=True))
    numbers = _numbers(text, head)
    return Spec(text, "numbers", name, value=numbers, **_fields(text, rest, is_drawn=False))


def _literal(text: str, what: str) -> Any:
    try:
        return ast.literal_eval(what)
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError) as error:
        raise InputError(
            f"expected a Python literal between brackets, as (2), (None) or ('mean'); got {text!r}"
        ) from error


def _numbers(text: str, head: str) -> Any:
    try:
        numbers = ast.literal_eval(head.strip())
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError) as error:
        raise InputError(f"{_FORM}; got {text!r}{_meant_shape(head)}") from error
    if not isinstance(numbers, (list, float, complex, int)) or numbers is True or numbers is False:
        raise InputError(f"{_FORM}; got {text!r}{_meant_shape(head)}")
    return numbers


def _meant_shape(head: str) -> str:
    """Guess a shape whose sizes are parted by something else than an x, or a misspelt file."""
    sizes = re.findall(r"\d+", head)
    if sizes and re.fullmatch(r"[\d\s,*×X()-]+", head):
        return f". Did you mean {'x'.join(sizes)}?"
    if re.search(r"\.[A-Za-z]\w*$", head):
        return ". Files are read that end in .npz, .npy, .pt or .pth"
    return ""


def _entry(rest: str) -> tuple[str, str]:
    """Split what follows a file's name: an entry's name, unless it is a dtype or the like."""
    first, _, others = rest.partition(":")
    if first in DTYPES or first == CONSTANT:
        return "", rest
    return first, others


def _fields(text: str, rest: str, *, is_drawn: bool) -> dict[str, Any]:
    """Return dtype, values and whether it is constant: words in any order, each at most once."""
    found: dict[str, Any] = {}
    for word in filter(None, (one.strip() for one in rest.split(":"))):
        key, value = _field(text, word)
        if key in found:
            raise InputError(f"expected one {_CALLED[key]} in {text!r}; got a second, {word!r}")
        found[key] = value
    if not is_drawn and "values" in found:
        raise InputError(f"expected no values to be drawn for numbers that are given; got {text!r}")
    return found


_CALLED = {"dtype": "dtype", "values": "kind of values", "is_constant": "constant"}


def _field(text: str, word: str) -> tuple[str, Any]:
    if word in DTYPES:
        return "dtype", word
    if word == CONSTANT:
        return "is_constant", True
    ranged = _RANGE.fullmatch(word)
    if ranged:
        low, high = float(ranged[1]), float(ranged[2])
        if not low < high:
            raise InputError(f"expected a range from low to high in {text!r}; got {word!r}")
        return "values", DrawnValues("range", (low, high))
    call = _CALL.fullmatch(word)
    if call and call[1] in KINDS:
        return "values", _values(text, word, call[1], call[2] or "")
    known = [*DTYPES, *KINDS, CONSTANT]
    close = difflib.get_close_matches(word.partition("(")[0], known, 1)
    meant = f". Did you mean {close[0]}?" if close else ""
    raise InputError(
        f"expected a dtype ({', '.join(DTYPES)}), values ({', '.join(KINDS)} or LOW..HIGH) or "
        f"{CONSTANT} in {text!r}; got {word!r}{meant}"
    )


def _values(text: str, word: str, kind: str, inside: str) -> DrawnValues:
    least, most = KINDS[kind]
    parts = [one.strip() for one in inside.split(",")] if inside.strip() else []
    if not least <= len(parts) <= most or not all(re.fullmatch(_NUMBER, one) for one in parts):
        count = "no numbers" if most == 0 else f"{least} to {most} numbers"
        raise InputError(f"expected {kind} with {count} in brackets in {text!r}; got {word!r}")
    numbers = tuple(map(float, parts))
    if kind == "normal" and numbers[1:] and numbers[1] < 0:
        raise InputError(f"expected a spread that is not negative in {text!r}; got {word!r}")
    if kind != "normal" and numbers and not (0.0, *numbers)[-2] < numbers[-1]:
        raise InputError(f"expected a range from low to high in {text!r}; got {word!r}")
    return DrawnValues(kind, numbers)
