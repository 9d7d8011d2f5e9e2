"""audit(): the conductor. Survey the catalogue, take what is known, ask the rest, make a suite."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from .._errors import InputError
from .._report.json.reading import taken
from .._report.json.writing import plain
from .._report.suite import Case, Suite
from .ask import ItemAnswer, ask, count, fuzz
from .crews import Crew, crew_of
from .plan import Item, Plan, Survey
from .progress import AuditProgress
from .spread import Spread, survey_by
from .state import State

_MINUTES = 10.0  # that are fuzzed, unless it is said how many


@dataclass(frozen=True)
class Audit:
    """The suite, the operators that are not in it, each with the reason, and what it took."""

    suite: Suite
    skipped: tuple[tuple[Item, str], ...]
    inputs: int  # that were asked now, not before
    seconds: float  # of all workers, for those


def audit(
    plan: Plan,
    *,
    workers: int | None = None,
    executor: str | None = None,
    state: Path | None = None,
    minutes: float | None = None,
    rounds: int | None = None,
) -> Audit:
    """Check every operator of a plan.

    `state` is a file: what it knows is not asked again, and what is asked is added to it. A plan
    that fuzzes goes round after round: so many, or until `minutes` have passed.
    """
    started = time.perf_counter()
    with _working(crew_of(executor, workers)) as crew, State(state) as file:
        surveyed = _surveyed(crew, plan)
        known = file.open(plan, surveyed.versions)
        spread = Spread(crew, fuzz if plan.fuzz else ask, plan, surveyed.versions)
        has_end = plan.fuzz and (minutes is not None or rounds is None)
        end = started + 60 * (minutes or _MINUTES) if has_end else math.inf
        begun, inputs = time.perf_counter(), 0
        for items in _rounds(surveyed, plan, rounds, end):
            asked = [item for item in items if item not in known]
            with AuditProgress(len(items), len(items) - len(asked)) as meter:
                for answer in spread.answers(asked, end):
                    known[answer.item] = answer
                    file.add(answer)
                    meter.add(answer)
                    inputs += answer.samples
        seconds = crew.size * (time.perf_counter() - begun)
    known |= {item: _unanswered(item, reason) for item, reason in spread.lost.items()}
    cases = tuple(_cases(surveyed, known))
    title = f"{'fuzz' if plan.fuzz else 'audit'} of {plan.catalogue} on {plan.device}"
    if plan.fuzz:
        title += f", {sum(answer.samples for answer in known.values()):,} inputs"
    suite = Suite(title, cases, time.perf_counter() - started, surveyed.versions)
    return Audit(suite, (*surveyed.skipped, *_skipped(surveyed, known)), inputs, seconds)


def look(
    plan: Plan, *, workers: int | None = None, executor: str | None = None
) -> tuple[dict[Item, int], tuple[tuple[Item, str], ...]]:
    """Return how many samples of which operators an audit would ask, and what it would skip."""
    with _working(crew_of(executor, workers)) as crew:
        surveyed = _surveyed(crew, plan)
        known: dict[Item, ItemAnswer] = {}
        for answer in Spread(crew, count, plan, surveyed.versions).answers(surveyed.items):
            known[answer.item] = answer
    skipped = (*surveyed.skipped, *_skipped(surveyed, known))
    left_out = {item for item, _ in skipped}
    samples = {
        item: known[item].samples if item in known else 0
        for item in surveyed.items
        if item not in left_out
    }
    return samples, skipped


@contextmanager
def _working(crew: Crew) -> Iterator[Crew]:
    try:
        yield crew
    finally:
        crew.close()


def _surveyed(crew: Crew, plan: Plan) -> Survey:
    surveyed = survey_by(crew, plan)
    if surveyed.items:
        return surveyed
    if surveyed.skipped:
        reasons = dict.fromkeys(reason for _, reason in surveyed.skipped)
        raise InputError(
            f"expected an operator that can be asked; got one that {'; '.join(reasons)}"
        )
    raise InputError(
        f"expected `only` to match an operator of {plan.catalogue}; got {' '.join(plan.only)!r}"
    )


def _rounds(
    surveyed: Survey, plan: Plan, rounds: int | None, end: float
) -> Iterator[Sequence[Item]]:
    """Yield all items, once; where they are fuzzed, again in another round until time is up."""
    if not plan.fuzz:
        yield surveyed.items
        return
    for number in itertools.count(1):
        if time.perf_counter() > end or (rounds is not None and number > rounds):
            return
        yield [replace(item, round=number) for item in surveyed.items]


def _unanswered(item: Item, reason: str) -> ItemAnswer:
    return ItemAnswer(item, (plain(Case(str(item), refusal=reason)),))


def _cases(surveyed: Survey, known: Mapping[Item, ItemAnswer]) -> Iterator[Case]:
    """Yield what became of the operators, in the catalogue's order, and round by round."""
    place = {item: k for k, item in enumerate(surveyed.items)}
    asked = [item for item in known if replace(item, round=0) in place]
    for item in sorted(asked, key=lambda item: (place[replace(item, round=0)], item.round)):
        labels = surveyed.labels[place[replace(item, round=0)]]
        for fields in known[item].cases:
            case: Case = taken(Case, fields)
            yield replace(case, labels={**labels, **case.labels})


def _skipped(surveyed: Survey, known: Mapping[Item, ItemAnswer]) -> Iterator[tuple[Item, str]]:
    for item in surveyed.items:
        if item in known and known[item].skipped:
            yield item, known[item].skipped
