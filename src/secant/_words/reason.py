"""Reasons: codes with fields, made where something is found, and said where it is read.

A topic is a code with its sentences: `what` was found, `why` that probably is, the `advice`, a
`note` beside a verdict, or the `place` where entries are wrong. A reason is one occurrence of it,
`CONSTANT_FACTOR(factor=1.05)`. Decisions read codes and fields; nothing reads a sentence.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .._records import quickly_made

Sentence = str | Callable[..., str]
"""A template, or what makes one of the fields; dialects and fields are filled in."""

_TOPICS: dict[str, Topic] = {}
_CHAPTERS = ("slopes", "causes", "matrices", "places", "laws", "remarks", "comparisons")


@functools.cache
def topics() -> Mapping[str, Topic]:
    """Return every code there is; a report that was saved or sent is said where none was made."""
    for chapter in _CHAPTERS:
        importlib.import_module(f".{chapter}", __package__)
    return dict(sorted(_TOPICS.items()))


@quickly_made
@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that was found, seen or done, as a code with fields.

    Attributes:
        code: Its name: `"CONSTANT_FACTOR"`. The reference has a section for each.
        fields: What is known about it: `{"factor": 1.05}`.
    """

    code: str
    fields: Mapping[str, Any] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash(self.code)


@dataclass(frozen=True)
class Topic:
    """A code, the sentences about it, and an example of its fields; the reference has the rest."""

    code: str
    what: Sentence | None = None
    why: Sentence | None = None
    advice: Sentence | None = None
    note: Sentence | None = None
    place: Sentence | None = None
    example: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _TOPICS[self.code] = self

    def __call__(self, **fields: Any) -> Reason:
        return Reason(self.code, fields)

    def explains(self, reasons: Iterable[Reason]) -> bool:
        """Say whether one of these reasons is of this code."""
        return any(one.code == self.code for one in reasons)


ASPECTS = ("what", "why", "advice", "note", "place")
WORDS = ("message", "cause", "advice", "note", "picture")
"""What reasons are said as; saved beside them, and never read."""


class Spoken:
    """What has reasons, in words."""

    __slots__ = ()
    reasons: tuple[Reason, ...]
    place: Reason | None
    dialect: str

    @property
    def message(self) -> str:
        """What was found, in words."""
        first = first_said(self.reasons, "what", self.dialect)
        return first or first_said(self.reasons, "note", self.dialect) or ""

    @property
    def cause(self) -> str | None:
        """What is probably wrong, in words, if a suspicion explains all that was measured."""
        return all_said(self.reasons, "why", self.dialect)

    @property
    def advice(self) -> str | None:
        """What to do next, in words."""
        return first_said(self.reasons, "advice", self.dialect)

    @property
    def note(self) -> str | None:
        """What a reader of a PASS should know, such as a kink, in words."""
        return all_said(self.reasons, "note", self.dialect)

    @property
    def picture(self) -> str | None:
        """Where the wrong entries lie, in words."""
        return None if self.place is None else said(self.place, "place", self.dialect)

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of its reasons."""
        return tuple(one.code for one in self.reasons)


def said(reason: Reason, aspect: str, dialect: str = "torch") -> str | None:
    """Return one sentence about a reason as users of a framework say it, None if there is none."""
    from .dialects import vocabulary
    from .spelling import FORMATTER

    sentence: Sentence | None = getattr(topics()[reason.code], aspect)
    if sentence is None:
        return None
    template = sentence if isinstance(sentence, str) else sentence(**reason.fields)
    return FORMATTER.vformat(template, (), {**vocabulary(dialect), **reason.fields})


def first_said(reasons: Iterable[Reason], aspect: str, dialect: str) -> str | None:
    """Return the first sentence of this aspect that some reasons have."""
    sentences = (said(reason, aspect, dialect) for reason in reasons)
    return next((one for one in sentences if one), None)


def all_said(reasons: Iterable[Reason], aspect: str, dialect: str) -> str | None:
    """Return all sentences of this aspect, each once."""
    sentences = (said(reason, aspect, dialect) for reason in reasons)
    return "; ".join(dict.fromkeys(one for one in sentences if one)) or None
