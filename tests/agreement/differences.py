"""Where secant's verdict is not torch's, and why: `known_differences.toml`.

Takes the file, and gives a `Known` that says whether a difference is listed and which of its
entries nothing needed. An entry names one or several operators (all samples of `abs`, or `abs[0]`
alone), dtypes, questions and modes, both words, and the reason. Whatever it names has to occur: an
entry that is wider than the differences it explains would hide the next one.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from agreement.checkers import MODES
from agreement.questions import DTYPES, QUESTIONS, Place

__all__ = ["KNOWN", "REASONS", "Difference", "Known", "Listed"]

KNOWN = Path(__file__).with_name("known_differences.toml")
REASONS = ("ours right: ", "theirs right: ", "definition: ")
ALLOWED = {"dtype": tuple(DTYPES), "question": tuple(QUESTIONS), "mode": tuple(MODES)}


@dataclass(frozen=True)
class Difference:
    """Two words on the same question."""

    place: Place
    mode: str
    torch: str  # the word of its slow mode
    secant: str
    reason: str = ""  # the first line of secant's message

    def __str__(self) -> str:
        return f"{self.place} {self.mode}: torch {self.torch}, secant {self.secant} {self.reason}"


@dataclass(frozen=True)
class Listed:
    """One combination of an entry: what it expects, and where."""

    operator: str  # "abs", or "abs[0]"
    dtype: str
    question: str
    mode: str
    torch: str
    secant: str

    @property
    def name(self) -> str:
        """The operator without the sample's number."""
        return self.operator.rpartition("[")[0] or self.operator

    def covers(self, difference: Difference) -> bool:
        """Whether the difference is just this one."""
        place = difference.place
        return (
            self.operator in (place.operator, place.case)
            and (self.dtype, self.question) == (place.dtype, place.question)
            and (self.mode, self.torch) == (difference.mode, difference.torch)
            and self.secant == difference.secant
        )


class Known:
    """The listed differences, and which of them were met."""

    def __init__(self, entries: list[dict[str, Any]]) -> None:
        self.met: dict[Listed, bool] = {}
        for entry in entries:
            for listed in expanded(entry):
                if listed in self.met:
                    raise ValueError(f"{KNOWN.name} lists {listed} twice")
                self.met[listed] = False

    @classmethod
    def read(cls, path: Path = KNOWN) -> Known:
        """The file's entries, each validated."""
        return cls(tomllib.loads(path.read_text(encoding="utf-8")).get("difference", []))

    def explains(self, difference: Difference) -> bool:
        """Whether the difference is listed; what lists it is then met."""
        covering = [listed for listed in self.met if listed.covers(difference)]
        self.met.update(dict.fromkeys(covering, True))
        return bool(covering)

    def unused(self, seen: set[tuple[str, str, str, str]]) -> list[Listed]:
        """What is listed for an (operator, dtype, question, mode) that was seen, and not met."""
        return [
            listed
            for listed, met in self.met.items()
            if not met and (listed.name, listed.dtype, listed.question, listed.mode) in seen
        ]


def expanded(entry: dict[str, Any]) -> list[Listed]:
    """Every combination that an entry names."""
    names = {"operator", "dtype", "question", "mode", "torch", "secant", "why"}
    if set(entry) != names:
        raise ValueError(f"expected the keys {sorted(names)}; got {sorted(entry)}")
    if not entry["why"].startswith(REASONS):
        raise ValueError(f"expected `why` to begin with one of {REASONS}; got {entry['why']!r}")
    several = {name: as_list(entry[name]) for name in ("operator", *ALLOWED)}
    for name, allowed in ALLOWED.items():
        for value in several[name]:
            if value not in allowed:
                raise ValueError(f"expected {name} to be one of {allowed}; got {value!r}")
    return [
        Listed(*combination, entry["torch"], entry["secant"])
        for combination in product(*several.values())
    ]


def as_list(value: str | list[str]) -> list[str]:
    """One name, or several."""
    return [value] if isinstance(value, str) else value
