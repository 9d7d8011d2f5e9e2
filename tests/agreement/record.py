"""Torch's slow-mode verdicts, asked once and kept in a file: they take most of an hour.

`python -m agreement.run --record` gives `torch_verdicts.json`: torch's version, and for every dtype
and sample the number of input elements and one word a question. A sample that would take torch
longer than a minute is "skipped" with the reason, and then asked of nobody.
"""

from __future__ import annotations

import json
import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from agreement.checkers import judge_with_torch
from agreement.questions import LARGEST, SAMPLES, SEED, Asked

__all__ = ["RECORD", "Record", "StaleRecord", "is_skipped"]

RECORD = Path(__file__).with_name("torch_verdicts.json")
PATIENCE = 60  # seconds a verdict
LARGEST_JACOBIAN = 10_000_000  # entries; beyond it slow mode takes many minutes


class StaleRecord(Exception):
    """The record belongs to another torch, or to other samples."""


class Record:
    """Torch's words, by dtype, sample and question; it belongs to one version of torch."""

    def __init__(self, path: Path = RECORD) -> None:
        self.path = path
        self.torch = version()
        self.words: dict[str, dict[str, dict[str, Any]]] = {}

    @classmethod
    def read(cls, path: Path = RECORD) -> Record:
        """The record as it was written; one of another torch, or of other samples, is refused."""
        record = cls(path)
        document = json.loads(path.read_text(encoding="utf-8"))
        for name, expected in record.head().items():
            if document[name] != expected:
                raise StaleRecord(
                    f"{path.name} was recorded with {name} = {document[name]!r}, this run has "
                    f"{expected!r}: record again with `make agreement RECORD=1`"
                )
        record.words = document["verdicts"]
        return record

    def head(self) -> dict[str, Any]:
        """What the verdicts depend on."""
        return {"torch": self.torch, "seed": SEED, "samples": SAMPLES, "largest": LARGEST}

    def word(self, question: Asked) -> str:
        """Torch's word; a question that was never recorded is an error, not an agreement."""
        place = question.place
        told = self.words.get(place.dtype, {}).get(place.case, {})
        if place.question not in told or told["elements"] != question.elements:
            raise LookupError(
                f"{self.path.name} has no verdict on {place} with {question.elements} elements: "
                "record again with `make agreement RECORD=1`"
            )
        return str(told[place.question])

    def ask(self, question: Asked) -> str:
        """Ask torch's slow mode, and keep its word."""
        place = question.place
        told = self.words.setdefault(place.dtype, {}).setdefault(place.case, {})
        told["elements"] = question.elements
        told[place.question] = word = slow_word(question)
        return word

    def operators(self, largest: int = LARGEST) -> dict[str, list[str]]:
        """For every dtype the operators with a sample of so few elements, in database order."""
        return {
            dtype: list(
                dict.fromkeys(
                    case.rpartition("[")[0]
                    for case, told in cases.items()
                    if told["elements"] <= largest
                )
            )
            for dtype, cases in self.words.items()
        }

    def write(self) -> None:
        """One line a sample, so that a change reads as one."""
        sections = []
        for dtype, told in self.words.items():
            lines = [f"  {json.dumps(case)}: {json.dumps(told[case])}" for case in told]
            sections.append(f" {json.dumps(dtype)}: {{\n" + ",\n".join(lines) + "\n }")
        head = "".join(f"{json.dumps(name)}: {json.dumps(x)},\n" for name, x in self.head().items())
        text = "{" + head + '"verdicts": {\n' + ",\n".join(sections) + "\n}}\n"
        self.path.write_text(text, encoding="utf-8")


def is_skipped(word: str) -> bool:
    """Whether torch's word is that it was not waited for."""
    return word.startswith("skipped")


def slow_word(question: Asked) -> str:
    """Torch's slow-mode verdict, or why there is none."""
    entries = jacobian_entries(question)
    if entries > LARGEST_JACOBIAN:
        return f"skipped: a Jacobian of {entries:.0e} entries"
    try:
        with at_most(PATIENCE):
            return judge_with_torch(question, "slow").word
    except TimeoutError:
        return f"skipped: over {PATIENCE} seconds"


def jacobian_entries(question: Asked) -> int:
    """Inputs times outputs of the first derivative; 0 where the function cannot be called."""
    try:
        with torch.no_grad(), torch.random.fork_rng(devices=[]), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outputs = question.function(*question.inputs)
    except Exception:
        return 0
    several = outputs if isinstance(outputs, tuple | list) else (outputs,)
    return question.elements * sum(x.numel() for x in several if isinstance(x, torch.Tensor))


class Impatience(BaseException):
    """Raised by the alarm; not an Exception, because checkers catch those."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Interrupt the body after so many seconds with a TimeoutError."""

    def ring(*_: object) -> None:
        raise Impatience

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except Impatience:
        raise TimeoutError from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def version() -> str:
    """Torch's version without the build: the same source on another device is the same torch."""
    return str(torch.__version__).partition("+")[0]
