"""What a worker does: read a catalogue, draw an operator's samples, check each.

An operator's verdicts depend on the plan and its name alone. Answers are JSON: a report may hold an
exception that cannot leave its process, and what comes from a worker equals what a file gives back.
"""

from __future__ import annotations

import platform
import threading
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

import numpy

from .._catalogues.catalogues import Catalogue, Sample, Skipped, Terms, catalogue
from .._check import check
from .._errors import InputError, spell
from .._findings import Verdict
from .._many import judged
from .._report.json.writing import plain
from .._report.suite import Case
from .._version import __version__
from .confirm import confirmation
from .patience import Limit
from .plan import Item, Plan, Survey


@dataclass(frozen=True)
class ItemAnswer:
    """What became of an item: the JSON of its cases, or why it is not asked after all."""

    item: Item
    cases: tuple[dict[str, Any], ...] = ()
    skipped: str = ""
    samples: int = 0


# Threads of one process share modes, generators and the number of threads: they take turns.
_turns = threading.Lock()


def survey(plan: Plan) -> Survey:
    """Return which operators are asked on a plan's terms, and which are not, with the reason."""
    found = catalogue(plan.catalogue)
    items, labels, skipped = [], [], []
    for dtype in plan.dtypes:
        for operator in found.operators(plan.terms(dtype)):
            item = Item(operator.name, dtype)
            if plan.only and not any(fnmatchcase(operator.name, glob) for glob in plan.only):
                continue
            if operator.skipped:
                skipped.append((item, operator.skipped))
            else:
                items.append(item)
                labels.append({**operator.labels, "dtype": dtype, "device": plan.device})
    return Survey(tuple(items), tuple(labels), tuple(skipped), _versions(found))


def ask(plan: Plan, versions: tuple[str, ...], limit: Limit, item: Item) -> ItemAnswer:
    """Check all samples of an operator."""
    with _turns:
        found = _agreed(plan, versions)
        return _asked(found, plan, limit, item)


def fuzz(plan: Plan, versions: tuple[str, ...], limit: Limit, item: Item) -> ItemAnswer:
    """Change samples of an operator until one is wrong, and shrink that."""
    with _turns:
        found = _agreed(plan, versions)
        return _fuzzed(found, plan, limit, item)


def count(plan: Plan, versions: tuple[str, ...], limit: Limit, item: Item) -> ItemAnswer:
    """Draw all samples of an operator, and check none."""
    with _turns:
        found = _agreed(plan, versions)
        return _drawn(found, plan, limit, item)[0]


def _agreed(plan: Plan, versions: tuple[str, ...]) -> Catalogue:
    found = catalogue(plan.catalogue)
    if _versions(found) != versions:
        raise InputError(
            f"expected every worker to have {', '.join(versions)}; "
            f"one has {', '.join(_versions(found))}"
        )
    return found


def _drawn(
    found: Catalogue, plan: Plan, limit: Limit, item: Item
) -> tuple[ItemAnswer, Sequence[Sample]]:
    terms = plan.terms(item.dtype)
    try:
        with limit(plan.patience), found.conditions(terms, _seed(plan, item)):
            samples = found.samples(item.operator, terms, plan.samples, plan.seed)
    except Skipped as skipped:
        return ItemAnswer(item, skipped=str(skipped)), ()
    except Exception as error:
        said = f"its samples could not be drawn: {spell(error)}"
        return ItemAnswer(item, (plain(Case(str(item), refusal=said)),)), ()
    return ItemAnswer(item, samples=len(samples)), samples


def _asked(found: Catalogue, plan: Plan, limit: Limit, item: Item) -> ItemAnswer:
    answer, samples = _drawn(found, plan, limit, item)
    cases = []
    for number, sample in enumerate(samples):
        name = f"{item.operator}[{number}] {item.dtype}"
        # Anew for each: no sample sees another one's leavings.
        with limit(plan.patience), found.conditions(plan.terms(item.dtype), _seed(plan, item)):
            case = _judge(name, sample, plan.settings)
            if case.outcome == Verdict.FAIL.name:
                case = replace(case, labels=confirmation(found, item, sample, plan.order))
            cases.append(plain(case))
    return replace(answer, cases=(*answer.cases, *cases))


def _fuzzed(found: Catalogue, plan: Plan, limit: Limit, item: Item) -> ItemAnswer:
    from .fuzz import (  # imports Hypothesis, which an audit by samples does without
        KINDS,
        SAMPLES,
        Change,
        changed,
        changes,
        searched,
    )

    drawing = replace(plan, samples=SAMPLES, seed=plan.seed + item.round)
    answer, samples = _drawn(found, drawing, limit, item)
    if not samples:
        return answer
    terms, seed = plan.terms(item.dtype), _seed(plan, item)
    maker, tried = found.maker(terms), 0
    last = Case(f"{item.operator}[round {item.round}] {item.dtype}")

    def is_wrong(change: Change) -> bool:
        nonlocal last, tried
        tried += 1
        modes, order = change.kind
        with limit(plan.patience), found.conditions(terms, seed):
            sample = changed(samples[change.sample], change, maker)
            last = _judge(last.name, sample, {**plan.settings, "modes": modes, "order": order})
        last = replace(last, labels={"input": str(change)})
        return last.outcome == Verdict.FAIL.name

    kinds = [kind for kind in KINDS if _is_claimed(found, plan, item, *kind)]
    cases = []
    for change in searched(changes(len(samples), maker, kinds or KINDS[:1]), seed, is_wrong):
        is_wrong(change)  # once more, for its report
        with limit(plan.patience), found.conditions(terms, seed):
            sample = changed(samples[change.sample], change, maker)
            truth = confirmation(found, item, sample, change.kind[1])
        cases.append(plain(replace(last, labels={**last.labels, **truth})))
    return replace(answer, cases=(*answer.cases, *cases), samples=tried)


def _is_claimed(found: Catalogue, plan: Plan, item: Item, modes: str, order: int) -> bool:
    """Say whether an operator claims such derivatives; the catalogue is read once for all."""
    terms = replace(plan.terms(item.dtype), modes=modes, order=order)
    key = (plan.catalogue, terms)
    if key not in _claimed:
        listed = found.operators(terms)
        _claimed[key] = frozenset(one.name for one in listed if not one.skipped)
    return item.operator in _claimed[key]


_claimed: dict[tuple[str, Terms], frozenset[str]] = {}


def _seed(plan: Plan, item: Item) -> int:
    return (plan.seed + zlib.crc32(str(item).encode())) % 2**32


def _judge(name: str, sample: Sample, settings: Mapping[str, Any]) -> Case:
    own = {**settings, **sample.settings}
    return judged(name, partial(check, sample.function, *sample.inputs, **own))


def _versions(found: Catalogue) -> tuple[str, ...]:
    return (
        f"secant {__version__}",
        *found.versions(),
        f"numpy {numpy.__version__}",
        f"Python {platform.python_version()}",
    )
