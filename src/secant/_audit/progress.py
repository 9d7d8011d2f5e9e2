"""How far an audit has come: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections import Counter
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from .._report.suite import OUTCOMES
from .ask import ItemAnswer

_PAUSE = 15.0  # seconds between two lines


class AuditProgress:
    """Counts operators and outcomes, and shows them on standard error."""

    def __init__(self, total: int, known: int = 0) -> None:
        self._total, self._done, self._known = total, known, known
        self._counts: Counter[str] = Counter()
        self._said = time.monotonic()
        self._bar: Progress | None = None
        self._task: Any = None

    def add(self, answer: ItemAnswer) -> None:
        """Take note of an answer."""
        self._done += 1
        self._counts.update(case["outcome"] for case in answer.cases)
        if self._bar is not None:
            self._bar.update(self._task, completed=self._done, counts=self._words())
        elif time.monotonic() - self._said >= _PAUSE:
            self._said = time.monotonic()
            self._say(f"{self._done:,} of {self._total:,} operators: {self._words()}")

    def _words(self) -> str:
        seen = [(name, self._counts[name]) for name in OUTCOMES]
        return ", ".join(f"{count:,} {name}" for name, count in seen if count)

    def _say(self, words: str) -> None:
        sys.stderr.write(f"secant: {words}\n")
        sys.stderr.flush()

    def __enter__(self) -> AuditProgress:
        if sys.stderr.isatty():
            self._bar = Progress(
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[counts]}"),
                TimeRemainingColumn(),
                console=Console(stderr=True, highlight=False),
                transient=True,
            )
            self._task = self._bar.add_task("", total=self._total, completed=self._known, counts="")
            self._bar.start()
        elif self._known:
            self._say(f"{self._known:,} of {self._total:,} operators are known already")
        return self

    def __exit__(self, *raised: object) -> None:
        if self._bar is not None:
            self._bar.stop()
