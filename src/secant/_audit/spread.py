"""Spread items over a crew, and lose none of them when a worker dies.

A worker that had no more patience says with which item, and that is given up. When one dies
otherwise, nobody knows which item it was at, so all that may have been begun are asked again, each
by itself: an item that loses its worker then is to blame, and is given up once it has done so often
enough.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from typing import Any

from .._errors import EvaluationError, SecantError, spell
from .ask import ItemAnswer, survey
from .crews import Crew
from .patience import Limit, TookTooLong
from .plan import Item, Plan, Survey

Task = Callable[[Plan, tuple[str, ...], Limit, Item], ItemAnswer]

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
    """Items on their way: `answers` yields what comes back, `lost` is what has none, and why."""

    def __init__(self, crew: Crew, task: Task, plan: Plan, versions: tuple[str, ...]) -> None:
        self.lost: dict[Item, str] = {}
        self._crew = crew
        self._late = f"did not return within {plan.patience:g} s"
        self._died = "its worker died, again and again"
        if not crew.tells_late:
            self._died += f", or {self._late}"
        self._ask: Callable[[Item], Future[ItemAnswer]] = lambda item: crew.submit(
            task, plan, versions, crew.limit(item), item
        )

    def answers(self, items: Sequence[Item], end: float = math.inf) -> Iterator[ItemAnswer]:
        """Ask all items, and yield the answers in the order they come in.

        What has not been begun by `end` is left.
        """
        waiting, suspects = deque(items), deque[Item]()
        flying: dict[Future[ItemAnswer], Item] = {}
        while waiting or flying:
            if time.perf_counter() > end:
                waiting.clear()
            while waiting and len(flying) < self._crew.most:
                item = waiting.popleft()
                flying[self._ask(item)] = item
            for future in self._landed(flying) if flying else ():
                try:
                    yield _result(self._crew, future)
                    del flying[future]
                except TookTooLong:
                    self.lost[flying.pop(future)] = self._late
                except _Died:
                    if self._crew.mend():
                        yield from self._salvage(flying, waiting, suspects)
                        break
                    suspects.append(flying.pop(future))
        for item in suspects:
            yield from self._alone(item)

    def _landed(self, flying: Iterable[Future[ItemAnswer]]) -> Iterable[Future[ItemAnswer]]:
        while True:
            done, _ = wait(flying, timeout=_LOOK, return_when=FIRST_COMPLETED)
            if done:
                return done
            self._crew.watch()

    def _salvage(
        self,
        flying: dict[Future[ItemAnswer], Item],
        waiting: deque[Item],
        suspects: deque[Item],
    ) -> Iterator[ItemAnswer]:
        """Yield what was answered before a death took along all in flight; sort out the rest.

        Items are begun in their order: no more of them than there are workers were.
        """
        left = []
        for future, item in flying.items():
            try:
                yield _result(self._crew, future)
            except _Died:
                left.append(item)
        flying.clear()
        late = [item for item in left if self._crew.was_late(item)]
        self.lost.update(dict.fromkeys(late, self._late))
        begun = [] if late else left[: self._crew.size]
        suspects.extend(begun)
        waiting.extendleft(item for item in reversed(left) if item not in (*late, *begun))

    def _alone(self, item: Item) -> Iterator[ItemAnswer]:
        for _ in range(self._crew.deaths):
            future = self._ask(item)
            self._landed([future])
            try:
                yield _result(self._crew, future)
            except _Died as died:
                self._crew.mend()
                self.lost[item] = str(died) or self._died
            else:
                self.lost.pop(item, None)
                return
            if self._crew.was_late(item):
                self.lost[item] = self._late
                return


class _Died(Exception):
    """A task's worker died, or raised what no check does: an accelerator may be lost to it."""


def _result(crew: Crew, future: Future[Any]) -> Any:
    """Return a task's result; raise `_Died` where there is none, and secant's own errors."""
    try:
        return future.result()
    except CancelledError as error:  # a broken pool cancels what it had not begun
        crew.watch()
        raise _Died from error
    except SecantError:
        raise
    except Exception as error:
        if crew.is_death(error):
            raise _Died from error
        raise _Died(f"cannot be asked: {spell(error)}") from error
