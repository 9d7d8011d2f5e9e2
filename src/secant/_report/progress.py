"""A sign of life for checks longer than two seconds, and how much memory the process has used."""

from __future__ import annotations

import sys
import time
from typing import Any

from .._legible import legible
from .._problem.trace import Tally

resource: Any
try:
    import resource
except ImportError:  # not a POSIX system
    resource = None

_PATIENCE = 2.0  # seconds
_UNIT = 1 if sys.platform == "darwin" else 1024  # bytes, as the system counts memory


def is_shown(wanted: bool | None) -> bool:
    """Say whether anybody wants to see how a check goes on; unsaid, only who sits at a terminal."""
    return sys.stderr.isatty() if wanted is None else wanted


class Progress:
    """Shows a spinner with the number of evaluations on a terminal once the check takes long."""

    def __init__(self, name: str, tally: Tally, wanted: bool | None) -> None:
        self._name = name
        self._tally = tally
        self._wanted = wanted
        self._started = time.monotonic()
        self._status: Any = None

    def tick(self, tally: Tally) -> None:
        """Take note of one more evaluation."""
        if self._wanted is False or time.monotonic() - self._started < _PATIENCE:
            return
        if self._status is None:
            if not is_shown(self._wanted):
                self._wanted = False
                return
            self._status = _spinner()
            self._status.start()
        done = self._tally.evaluations + tally.evaluations
        self._status.update(_plain(f"checking `{legible(self._name)}`: {done} evaluations"))

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *raised: object) -> None:
        if self._status is not None:
            self._status.stop()


def _plain(words: str) -> Any:
    """Return words that are no markup."""
    from rich.text import Text

    return Text(words)


def _spinner() -> Any:
    from rich.console import Console

    return Console(stderr=True).status("checking")


def peak_memory() -> int:
    """Return the most memory the process has used so far, in bytes; 0 where nobody knows."""
    if resource is None:
        return 0
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * _UNIT
