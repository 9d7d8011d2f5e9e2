"""Anything that is reported as plain JSON data: the fields of a record, and what is said beside.

What stands beside is for other readers, who know no codes and judge nothing. It is never read back.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from typing import Any

from ..._words.reason import WORDS, Spoken
from ..comparison import ComparedError
from ..document import Document, JudgedDocument
from ..localisation import Localisation, LocalisedCall
from ..model import Frame, Jacobian, Report
from ..suite import Case, Suite
from .format import FORMAT

FRAME = tuple(one.name for one in fields(Frame))
_MOST_ENTRIES = 4096  # of a Jacobian that is written out
_UNWRITTEN = ("raised", "is_expected", "frames")  # what is no data, or stands beside


def plain(value: Any) -> Any:
    """Return what JSON has words for: NaN and infinities as strings, verdicts by their names."""
    if is_dataclass(value) and not isinstance(value, type):
        own = {one.name: getattr(value, one.name) for one in fields(value)}
        every = {**_head(value), **own, **_beside(value)}
        return {name: plain(item) for name, item in every.items() if name not in _UNWRITTEN}
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return value


def _beside(record: Any) -> dict[str, Any]:
    """Return what is written beside the fields of a record, or in their place."""
    match record:
        case Report():
            return {"resolution": record.resolution, "jacobians": _whole(record)}
        case Localisation():
            return {"blamed": [record.calls.index(call) for call in record.blamed]}
        case Suite():
            return {"counts": record.counts}
        case Case():
            return {"outcome": record.outcome}
        case LocalisedCall():
            return {"verdict": record.verdict}
        case ComparedError():
            return {"ratio": record.ratio}
        case Spoken():
            return {name: getattr(record, name) or None for name in WORDS}
    return {}


def _head(record: Any) -> dict[str, Any]:
    """Return what a document begins with; other records begin with their fields."""
    if not isinstance(record, Document):
        return {}
    head = {"format": FORMAT, "kind": type(record).__name__.lower()}
    if isinstance(record, JudgedDocument):
        return {**head, "verdict": record.verdict}
    return {**head, "outcome": record.outcome} if isinstance(record, Suite) else head


def _whole(report: Report) -> list[dict[str, Any]]:
    """Return the Jacobians of a report with the names of their rows and columns, where small."""
    return [
        {"output": pair[0], "input": pair[1], **_matrices(jacobian, report.frames.get(pair))}
        for pair, jacobian in report.jacobians.items()
    ]


def _matrices(jacobian: Jacobian | None, frame: Frame | None) -> dict[str, Any]:
    if jacobian is None or jacobian.claimed.size > _MOST_ENTRIES:
        return dict.fromkeys((*Jacobian._fields, *FRAME))
    matrices = {name: matrix.tolist() for name, matrix in jacobian._asdict().items()}
    return {**matrices, **(dict.fromkeys(FRAME) if frame is None else asdict(frame))}
