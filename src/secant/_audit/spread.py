"""Spread items over a crew, and lose none of them when a worker dies.

Items fly in chunks. When a worker dies, nobody knows which item it was at, so every item that was
in flight is asked again, by itself, with nothing else in flight: an item that loses its worker then
is to blame, and once it has done so often enough it is given up.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from typing import Any

from .._errors import EvaluationError
from .ask import Answer, survey
from .crews import Crew
from .plan import Item, Plan, Survey

Task = Callable[[Plan, tuple[str, ...], Sequence[Item]], list[Answer]]

_LARGEST_CHUNK = 8  # items: enough that handing them over costs nothing beside asking them
_CHUNKS = 8  # for every worker at least, so that all of them end at about the same time
_LOOK = 5.0  # seconds between two looks at whether there is still a crew
_SURVEYS = 3  # how often the catalogue may take down the worker that reads it


def survey_by(crew: Crew, plan: Plan) -> Survey:
    """Let a worker read the catalogue; the others wake up meanwhile."""
    for _ in range(_SURVEYS):
        futures = [crew.submit(survey, plan) for _ in range(crew.size)]
        try:
            surveyed: Survey = _result(crew, futures[0])
            return surveyed
        except _Died:
            crew.mend()
    raise EvaluationError(
        f"the worker that reads the catalogue {plan.catalogue!r} died, {_SURVEYS} times"
    )


class Spread:
    """Items on their way: `answers` yields what comes back, `lost` is what no worker survived."""

    def __init__(self, crew: Crew, task: Task, plan: Plan, versions: tuple[str, ...]) -> None:
        self.lost: set[Item] = set()
        self._crew = crew
        self._ask: Callable[[Sequence[Item]], Future[list[Answer]]] = lambda items: crew.submit(
            task, plan, versions, items
        )

    def answers(self, items: Sequence[Item], end: float = math.inf) -> Iterator[list[Answer]]:
        """Ask all items, and yield the answers a chunk at a time, in the order they come in.

        What has not been begun by `end` is left.
        """
        chunks = deque(_chunks(items, self._crew.size))
        suspects: deque[Item] = deque()
        flying: dict[Future[list[Answer]], tuple[Item, ...]] = {}
        while chunks or flying:
            if time.perf_counter() > end:
                chunks.clear()
            while chunks and len(flying) < self._crew.most:
                chunk = chunks.popleft()
                flying[self._ask(chunk)] = chunk
            for future in self._landed(flying) if flying else ():
                chunk = flying.pop(future)
                try:
                    yield _result(self._crew, future)
                except _Died:
                    suspects.extend(chunk)
                    if self._crew.mend():
                        answered, unanswered = self._salvage(flying)
                        yield answered
                        suspects.extend(unanswered)
                        break
        for item in suspects:
            yield from self._alone(item)

    def _landed(self, flying: Iterable[Future[list[Answer]]]) -> Iterable[Future[list[Answer]]]:
        while True:
            done, _ = wait(flying, timeout=_LOOK, return_when=FIRST_COMPLETED)
            if done:
                return done
            self._crew.watch()

    def _salvage(
        self, flying: dict[Future[list[Answer]], tuple[Item, ...]]
    ) -> tuple[list[Answer], list[Item]]:
        """Return what was answered before a death took along all in flight, and what was not."""
        answered: list[Answer] = []
        unanswered: list[Item] = []
        for future, chunk in flying.items():
            try:
                answered += _result(self._crew, future)
            except _Died:
                unanswered += chunk
        flying.clear()
        return answered, unanswered

    def _alone(self, item: Item) -> Iterator[list[Answer]]:
        for _ in range(self._crew.deaths):
            future = self._ask((item,))
            self._landed([future])
            try:
                yield _result(self._crew, future)
            except _Died:
                self._crew.mend()
            else:
                return
        self.lost.add(item)


class _Died(Exception):
    """A task's worker died."""


def _result(crew: Crew, future: Future[Any]) -> Any:
    """Return a task's result; raise `_Died` for a death, and what the worker raised otherwise."""
    try:
        return future.result()
    except CancelledError as error:  # a broken pool cancels what it had not begun
        crew.watch()
        raise _Died from error
    except Exception as error:
        if crew.is_death(error):
            raise _Died from error
        raise


def _chunks(items: Sequence[Item], workers: int) -> Iterator[tuple[Item, ...]]:
    size = max(1, min(_LARGEST_CHUNK, len(items) // (_CHUNKS * workers)))
    for start in range(0, len(items), size):
        yield tuple(items[start : start + size])
