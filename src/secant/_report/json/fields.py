"""From JSON back to dataclasses, by their annotations: every field is of the type it is declared.

What came from elsewhere is not trusted: a report may have been edited, cut or made up.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import functools
import types
import typing
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ..._errors import InputError, spell, spell_value
from ..._words.reason import ASPECTS, WORDS, Reason, Spoken, said, topics


class Misfit(ValueError):
    """Something is not what it is declared to be; says where."""


@contextlib.contextmanager
def reading(kind: str) -> Iterator[None]:
    """Turn all that a document of this kind may lack into one sentence."""
    try:
        yield
    except InputError:
        raise
    except KeyError as error:
        raise InputError(f"expected the JSON of a secant {kind}; it has no {error}") from error
    except Misfit as error:
        raise InputError(f"expected the JSON of a secant {kind}; {error}") from error
    except (TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
        raise InputError(f"expected the JSON of a secant {kind}; {spell(error)}") from error


def taken(kind: Any, data: Any, path: str = "") -> Any:
    """Return what JSON says as an instance of `kind`, or raise `Misfit`.

    >>> taken(tuple[float, ...], [1, "nan"])
    (1.0, nan)
    >>> taken(int, "1", "seed")
    Traceback (most recent call last):
    secant._report.json.fields.Misfit: seed is '1', which is no int
    """
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        (other,) = (one for one in inside if one is not type(None))
        return None if data is None else taken(other, data, path)
    if origin is tuple and isinstance(data, list):
        return tuple(taken(inside[0], one, f"{path}[{k}]") for k, one in enumerate(data))
    if origin is Mapping and isinstance(data, dict):
        return {
            taken(inside[0], key, path): taken(inside[1], one, f"{path}[{spell_value(key)}]")
            for key, one in data.items()
        }
    if kind is Reason and isinstance(data, dict):
        return _reason(data, path)
    if dataclasses.is_dataclass(kind) and isinstance(data, dict):
        return kind(**_fields(kind, data, path))  # type: ignore[operator]
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        if isinstance(data, str) and data in kind.__members__:
            return kind[data]
    elif kind is float:
        if _is_number(data):
            return float(data)
    elif type(data) is kind and (kind is not str or _is_text(data)):
        return data
    name = kind.__name__ if isinstance(kind, type) else str(origin.__name__ if origin else kind)
    raise Misfit(f"{path or 'it'} is {spell_value(data)}, which is no {name}")


def taken_but(kind: Any, data: Mapping[str, Any], without: Collection[str]) -> dict[str, Any]:
    """Return what JSON says of the fields of a dataclass, all but some."""
    hints = {name: one for name, one in _hints(kind).items() if name not in without}
    return {name: taken(one, data[name], name) for name, one in hints.items()}


def _fields(kind: Any, data: dict[str, Any], path: str) -> dict[str, Any]:
    hints = _hints(kind)
    if issubclass(kind, Spoken):
        data = {name: one for name, one in data.items() if name not in WORDS}
    declared = {one.name: one for one in dataclasses.fields(kind)}
    prefix = f"{path}." if path else ""
    for name in data:
        if name not in declared or hints[name] == Exception | None:
            raise Misfit(f"{path or 'it'} has {spell_value(name)}, which nobody knows")
    for name, one in declared.items():
        has_default = one.default is not dataclasses.MISSING
        if name not in data and not has_default and one.default_factory is dataclasses.MISSING:
            raise Misfit(f"{path or 'it'} has no {name!r}")
    return {name: taken(hints[name], data[name], f"{prefix}{name}") for name in data}


def _reason(data: dict[str, Any], path: str) -> Reason:
    """Return a reason whose code is known, with the fields that this code has."""
    code, fields = data.get("code"), data.get("fields")
    topic = topics().get(code) if isinstance(code, str) else None
    if topic is None or not isinstance(fields, dict) or set(fields) != set(topic.example):
        raise Misfit(f"{path} is {spell_value(data)}, which is no reason that is known")
    reason = topic(**{name: _value(fields[name], topic.example[name]) for name in fields})
    try:
        for aspect in ASPECTS:
            said(reason, aspect)
    except Exception as error:
        raise Misfit(f"{path} is {spell_value(data)}, which says nothing") from error
    return reason


def _value(data: Any, example: Any) -> Any:
    """Return a field as it was before it was JSON: lists are tuples, words may be numbers."""
    if isinstance(data, list):
        return tuple(_value(one, None) for one in data)
    is_word = isinstance(data, str) and not isinstance(example, str)
    return float(data) if is_word and _is_number(data) else data


@functools.cache
def _hints(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _is_number(data: Any) -> bool:
    """Say whether it is a number, or a word for what JSON has no number for."""
    if isinstance(data, str):
        return data in ("nan", "inf", "-inf")
    return isinstance(data, (int, float)) and not isinstance(data, bool)


def _is_text(data: str) -> bool:
    """Say whether a string has no half of a character, which no file can hold."""
    try:
        data.encode()
    except UnicodeEncodeError:
        return False
    return True
