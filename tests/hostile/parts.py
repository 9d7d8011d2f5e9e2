"""What the families share: points, exceptions, timers, and the ways into a check."""

from __future__ import annotations

import contextlib
import functools
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any


class Halt(Exception):
    """The user's own exception."""


class Counter:
    """Raises at the k-th call."""

    def __init__(self, place: int, kind: type[BaseException]) -> None:
        self.calls, self._place, self._kind = 0, place, kind

    def __call__(self) -> None:
        self.calls += 1
        if self.calls == self._place:
            raise self._kind("stop")


@contextlib.contextmanager
def timer(delay: float, handler: Callable[[int, Any], Any] | None = None) -> Iterator[None]:
    """Interrupt with a real timer; by default by SIGINT, as Ctrl-C does."""

    def fire(number: int, frame: Any) -> None:
        if handler is None:
            signal.raise_signal(signal.SIGINT)
        else:
            handler(number, frame)

    before = signal.signal(signal.SIGALRM, fire)
    signal.setitimer(signal.ITIMER_REAL, delay)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def in_threads(acts: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run them at the same time; return what they return, or raise what one raised."""
    answers: list[Any] = [None] * len(acts)
    together = threading.Barrier(len(acts))

    def run(place: int) -> None:
        together.wait()
        try:
            answers[place] = acts[place]()
        except BaseException as error:
            answers[place] = error

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return answers


def verdicts(answers: Sequence[Any]) -> str:
    """Return the verdicts that came up, in order of their names."""
    found = {getattr(getattr(one, "verdict", one), "name", str(one)) for one in answers}
    return " ".join(sorted(found))


def named(name: str, make: Callable[..., Any], *arguments: Any, **keywords: Any) -> tuple[str, Any]:
    """Return a name and what makes a scene, ready for `Case(*named(…))`."""
    return name, functools.partial(make, *arguments, **keywords)
