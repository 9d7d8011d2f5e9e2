"""Arguments written as Python or JSON literals: read, never evaluated.

>>> arguments("8, 16, bias=false, mode=mean", "init")
([8, 16], {'bias': False, 'mode': 'mean'})
"""

from __future__ import annotations

import ast
from typing import Any

from ..._errors import InputError

_WORDS = {"true": True, "false": False, "null": None, "none": None}


def arguments(text: str, option: str) -> tuple[list[Any], dict[str, Any]]:
    """Return positional and keyword arguments as they would stand between two brackets."""
    try:
        call = ast.parse(f"_({text}\n)", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise _unreadable(option, text)
        named = {keyword.arg: _value(keyword.value) for keyword in call.keywords}
        return [_value(one) for one in call.args], _strings(named)
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError) as error:
        raise _unreadable(option, text) from error


def _strings(named: dict[str | None, Any]) -> dict[str, Any]:
    if None in named:
        raise ValueError("stars are no literals")
    return {str(name): value for name, value in named.items()}


def _value(node: ast.expr) -> Any:
    """Return what a literal stands for; a bare word is a string, or one of JSON's words."""
    if isinstance(node, ast.Name):
        return _WORDS.get(node.id, node.id)
    return ast.literal_eval(node)


def _unreadable(option: str, text: str) -> InputError:
    return InputError(
        f"expected `--{option}` to hold literals as 4, 0.5, true, word, 'some words' or (1, 2), "
        f"with or without NAME= before them; got {text!r}"
    )
