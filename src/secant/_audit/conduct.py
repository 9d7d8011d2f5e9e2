"""audit(): the conductor. Survey the catalogue, take what is known, ask the rest, make a suite."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from .._errors import InputError
from .._report.suite import Case, Suite
from .._report.suite_media import case_of
from .crews import Crew, crew_of
from .plan import Item, Plan, Survey
from .progress import Meter
from .spread import Spread, survey_by
from .state import State


def audit(
    plan: Plan,
    *,
    workers: int | None = None,
    executor: str | None = None,
    state: Path | None = None,
) -> tuple[Suite, Survey]:
    """Check every operator of a plan; return the suite, and the survey that says what is not in it.

    `state` is a file: what it knows is not asked again, and what is asked is added to it.
    """
    started = time.perf_counter()
    with _working(crew_of(executor, workers)) as crew, State(state) as file:
        surveyed = survey_by(crew, plan)
        if not surveyed.items:
            raise InputError(_nothing(plan, surveyed))
        known = file.open(plan, surveyed.versions)
        asked = [item for item in surveyed.items if item not in known]
        spread = Spread(crew, plan, surveyed.versions)
        with Meter(len(surveyed.items), len(surveyed.items) - len(asked)) as meter:
            for answers in spread.answers(asked):
                known.update(answers)
                file.add(answers)
                meter.add(answers)
    return _suite(plan, surveyed, known, spread.lost, time.perf_counter() - started), surveyed


def look(plan: Plan, *, workers: int | None = None, executor: str | None = None) -> Survey:
    """Return what an audit would ask."""
    with _working(crew_of(executor, 1 if workers is None and executor is None else workers)) as crew:
        return survey_by(crew, plan)


@contextmanager
def _working(crew: Crew) -> Iterator[Crew]:
    try:
        yield crew
    finally:
        crew.close()


def _suite(
    plan: Plan,
    surveyed: Survey,
    known: Mapping[Item, list[dict[str, Any]]],
    lost: Mapping[Item, int],
    seconds: float,
) -> Suite:
    cases: list[Case] = []
    for item, labels in zip(surveyed.items, surveyed.labels, strict=True):
        if item in lost:
            cases.append(Case(str(item), refusal="its worker died", labels=labels))
        else:
            cases += [replace(case_of(fields), labels=labels) for fields in known[item]]
    title = f"audit of {plan.catalogue} on {plan.device}"
    return Suite(title, tuple(cases), seconds, surveyed.versions)


def _nothing(plan: Plan, surveyed: Survey) -> str:
    if surveyed.skipped:
        reasons = dict.fromkeys(reason for _, reason in surveyed.skipped)
        return f"expected an operator that can be asked; {'; '.join(reasons)}"
    return f"expected `only` to match an operator of {plan.catalogue}; got {' '.join(plan.only)}"
