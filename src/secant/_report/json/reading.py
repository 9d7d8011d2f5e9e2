"""From JSON back to records, by their annotations: every field is of the type it is declared.

What came from elsewhere is not trusted: a report may have been edited, cut or made up.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import functools
import math
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from ..._errors import InputError, spell, spell_value
from ..._findings import Curve
from ..._words.reason import ASPECTS, WORDS, Reason, Spoken, said, topics
from ..comparison import ComparedError
from ..document import Document
from ..localisation import Localisation, LocalisedCall
from ..model import Frame, Jacobian, Report
from ..suite import EXPECTED, Case
from .writing import FRAME

_OPEN = (Document, Case, LocalisedCall)  # may hold what nobody here knows


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
    secant._report.json.reading.Misfit: seed is '1', which is no int
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
    if dataclasses.is_dataclass(kind) and isinstance(data, dict):
        make: Callable[..., Any] = _MADE.get(kind, _made)
        return make(kind, data, path)
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


def _made(kind: Any, data: Mapping[str, Any], path: str, **known: Any) -> Any:
    """Return a record of which some fields are known, and JSON says the others."""
    hints = _hints(kind)
    declared = {one.name: one for one in dataclasses.fields(kind) if one.name not in known}
    unread = WORDS if issubclass(kind, Spoken) else ("ratio",) if kind is ComparedError else ()
    for name in data:
        is_read = name in declared and hints[name] != Exception | None
        if not (is_read or name in unread or issubclass(kind, _OPEN)):
            raise Misfit(f"{path or 'it'} has {spell_value(name)}, which nobody knows")
    for name, one in declared.items():
        has_default = one.default is not dataclasses.MISSING
        if name not in data and not has_default and one.default_factory is dataclasses.MISSING:
            raise Misfit(f"{path or 'it'} has no {name!r}")
    prefix = f"{path}." if path else ""
    read = {
        name: taken(hints[name], data[name], f"{prefix}{name}") for name in declared if name in data
    }
    return kind(**known, **read)


# -- records whose fields do not stand alone -------------------------------------------------------


def _report(kind: Any, data: Mapping[str, Any], path: str) -> Report:
    whole: dict[tuple[str, str], Jacobian | None] = {}
    frames = {}
    items = data["jacobians"]
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise Misfit("jacobians are no list of objects")
    for item in items:
        pair = taken(str, item["output"], "output"), taken(str, item["input"], "input")
        whole[pair] = _jacobian(item)
        if item.get("rows") is not None:
            frames[pair] = _frame(item, whole[pair])
    made: Report = _made(kind, data, path, jacobians=whole, frames=frames)
    return made


def _jacobian(data: Mapping[str, Any]) -> Jacobian | None:
    if data["claimed"] is None:
        return None
    rows = tuple[tuple[float, ...], ...]
    matrices = [np.array(taken(rows, data[name], name), dtype=float) for name in Jacobian._fields]
    if any(one.ndim != 2 or one.shape != matrices[0].shape for one in matrices):
        raise Misfit(f"{', '.join(Jacobian._fields)} are no three matrices of one shape")
    return Jacobian(*matrices)


def _frame(data: Mapping[str, Any], jacobian: Jacobian | None) -> Frame:
    frame: Frame = taken(Frame, {name: data[name] for name in FRAME})
    shape = None if jacobian is None else jacobian.claimed.shape
    if shape != (len(frame.rows), len(frame.columns)):
        raise Misfit("a Jacobian has other rows or columns than it has names for")
    return frame


def _curve(kind: Any, data: Mapping[str, Any], path: str) -> Curve:
    curve: Curve = _made(kind, data, path)
    lengths = {len(one) for one in (curve.steps, curve.values, curve.errors)}
    if len(lengths) > 1 or not all(0 < step < math.inf for step in curve.steps):
        raise Misfit("a curve has steps that are not positive, or another number of values")
    return curve


def _compared_error(kind: Any, data: Mapping[str, Any], path: str) -> ComparedError:
    held: ComparedError = _made(kind, data, path)
    if not held.limit > 0:
        raise Misfit(f"{path} is held against a limit that is not positive")
    return held


def _localisation(kind: Any, data: Mapping[str, Any], path: str) -> Localisation:
    calls = taken(tuple[LocalisedCall, ...], data["calls"], "calls")
    if not calls or calls[0].report is None:
        raise Misfit("the first call, which is the module's own, has no report")
    for call in calls:
        if not 0 <= call.depth <= len(calls):
            raise Misfit(f"a call lies {call.depth} calls deep, of {len(calls)}")
    places = taken(tuple[int, ...], data["blamed"], "blamed")
    if not all(0 <= place < len(calls) for place in places):
        raise Misfit("one is blamed that is no call")
    blamed = tuple(calls[place] for place in places)
    made: Localisation = _made(kind, data, path, calls=calls, blamed=blamed)
    return made


def _case(kind: Any, data: Mapping[str, Any], path: str) -> Case:
    made: Case = _made(kind, data, path, is_expected=data["outcome"] == EXPECTED)
    return made


def _reason(_: Any, data: Mapping[str, Any], path: str) -> Reason:
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


_MADE: dict[Any, Callable[..., Any]] = {
    Report: _report,
    Curve: _curve,
    ComparedError: _compared_error,
    Localisation: _localisation,
    Case: _case,
    Reason: _reason,
}


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
