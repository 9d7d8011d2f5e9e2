"""check(..., group=...): every process calls it; the first conducts, and all get its report.

Each process makes a problem of the function and its own arguments, and tells the first one about
its leaves. That one joins them into a function of the leaves of all and checks it as any other;
the others call and pull as they are asked.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from .._backends.base import Array, Backend
from .._backends.interface.processes import Lost, Message, Wire
from .._backends.process.restoration import EarlyRestoration, Restoration
from .._check import conduct
from .._errors import (
    EvaluationError,
    FunctionRaised,
    InputError,
    NotFinite,
    NothingReturned,
    SecantError,
    spell,
)
from .._findings import Verdict
from .._problem.pose import gather, pose
from .._problem.problem import Problem
from .._problem.trees import function_name
from .._problem.unfold import pose_module
from .._report.model import Report
from .._report.rerun import rerun_check
from .._settings import Settings, settle
from .causes import with_causes
from .company import Company
from .joints import Declared, declare, joints_of
from .leaves import localised, localised_module
from .lockstep import THINKING, Lockstep, lost_error
from .member import Member, Order, made
from .settings import GroupSettings, settle_together
from .words import askable, reworded_report, with_apart, with_unasked


@dataclass(frozen=True, slots=True)
class CheckEnding:
    """How a check has ended on the first process, told to the others."""

    report: Report | None = None
    error: tuple[str, str] | None = None  # the name of its class, what it says


def check_together(
    function: Callable[..., Any], inputs: Sequence[Any], group: Any, options: Mapping[str, Any]
) -> Report:
    """Hold the derivatives that a group of processes claims against what it computes together."""
    left = dict(options)
    together = settle_together(group, left)
    settings = asked = settle(left, function)
    arguments, backend = gather(function, inputs, settings.kwargs or {})
    wire = backend.processes.wire(group, together.timeout)
    with (
        contextlib.closing(wire),
        Restoration(backend) as restoration,
        EarlyRestoration(restoration),
        wire.bounded(),
    ):
        try:
            if settings.dtype is not None:
                function = backend.modules.converted(function, settings.dtype)
                arguments.convert(backend, settings.dtype)
                settings = replace(settings, dtype=None)
            problem, declared = _posed(function, arguments, backend, settings, together)
        except SecantError as error:
            _withdraw(wire, error)
            raise
        own = problem.leaves.own()
        others = wire.enrol(declared, own)
        member = Member(problem, wire, together)
        with problem, backend.processes.unreduced(function):
            if wire.rank:
                return _serve(wire, member, problem.name)
            rerun = partial(rerun_check, function, len(inputs), asked, group=together.said())
            enrolled = [(declared, own), *others]
            return _lead(wire, member, problem, enrolled, settings, together, rerun)


def _posed(
    function: Callable[..., Any],
    arguments: Any,
    backend: Backend,
    settings: Settings,
    together: GroupSettings,
) -> tuple[Problem, list[Declared]]:
    """Return this process's own problem, and its leaves as it declares them."""
    given = localised(backend, arguments)
    placed, inputs = dict(given.placed), len(arguments.leaves)
    averaging = backend.processes.sharded(function)
    unfolded = averaging or backend.modules.unfolded(function)
    if unfolded is None:
        problem = pose(function, given.arguments, backend, masked=settings.masked)
    else:
        inside = localised_module(backend, unfolded)
        problem = pose_module(
            function_name(function), inside, given.arguments, backend, masked=settings.masked
        )
        placed |= {inputs + k: one for k, one in inside.placed.items()}
    declared, copies = list[Declared](), backend.processes.replicas_of(function)
    for part, array in enumerate(problem.leaves.own()):
        place, path = problem.chosen_place(part), problem.domain.path(part)
        found = placed.get(place)
        shard = None if found is None else found.shard
        is_averaged = found is not None and averaging is not None and place >= inputs
        among = found.among if found is not None and is_averaged else 1
        is_share = copies is not None and place >= inputs
        if is_share:
            shard = backend.processes.ranks_of(copies)
        one = declare(backend, path, array, together, shard, among)
        declared.append(one._replace(is_share=is_share))
    return problem, declared


# -- the first process --------------------------------------------------------------------------


def _lead(
    wire: Wire,
    member: Member,
    problem: Problem,
    enrolled: Sequence[Message],
    settings: Settings,
    together: GroupSettings,
    rerun: Callable[[], str],
) -> Report:
    """Check the joined function; whatever comes of it, the others are told."""
    try:
        for rank, (said, _) in enumerate(enrolled):
            if isinstance(said, CheckEnding):
                _raise(said, f" on rank {rank}")
        with contextlib.closing(Lockstep(problem.name, wire, member)) as lockstep:
            declared, arrays = zip(*enrolled, strict=True)
            leaves = joints_of(problem.backend, declared, arrays, together)
            values = [arrays[rank][place] for rank, place in (one.first for one in leaves)]
            company = Company(lockstep, problem.backend, together, leaves)
            report = _conducted(company, problem.backend, values, settings, rerun)
    except BaseException as error:
        wire.tell(CheckEnding(error=_spelt(error)))
        raise
    wire.tell(CheckEnding(_travelling(report)))
    wire.keep()
    return report


def _conducted(
    company: Company,
    backend: Backend,
    values: Sequence[Array],
    settings: Settings,
    rerun: Callable[[], str],
) -> Report:
    started, size = time.perf_counter(), company.wire.size
    names = [joint.named(size) for joint in company.leaves]
    joined: Any = backend.processes.joined(
        company.name, names, values, company.call, company.stacks
    )
    report = conduct(joined, (), askable(settings), unfolds=True, restores=False)
    if company.lockstep.broken is not None:
        raise company.lockstep.broken
    report = with_unasked(with_apart(company, report), settings)
    if settings.explain and report.verdict is Verdict.FAIL:
        report = with_causes(company, backend, values, report, settings.seed)
        if company.lockstep.broken is not None:
            raise company.lockstep.broken
    spent = replace(
        report.cost,
        evaluations=company.tally.evaluations,
        pulls=company.tally.pulls,
        seconds=time.perf_counter() - started,
    )
    said = rerun() if report.rerun else ""
    return reworded_report(company, replace(report, cost=spent, rerun=said))


# -- all others ---------------------------------------------------------------------------------


def _serve(wire: Wire, member: Member, name: str) -> Report:
    """Do as the first process asks until it tells how the check has ended."""
    try:
        while True:
            said, given = wire.receive(0)
            if isinstance(said, CheckEnding):
                break
            if said != THINKING:
                answer = member.obey(made(Order, (*said, given)))
                wire.send(answer[:-1], 0, answer.arrays)
                if member.interruption is not None:
                    raise member.interruption
    except Lost as lost:
        raise lost_error(name, lost, wire.timeout) from lost
    _raise(said)
    assert said.report is not None
    wire.keep()
    return said.report


def _withdraw(wire: Wire, error: SecantError) -> None:
    """Tell that this process cannot take part."""
    ending = CheckEnding(error=_spelt(error))
    with contextlib.suppress(EvaluationError):  # who does not come need not be told
        wire.enrol(ending)
        if wire.rank == 0:
            wire.tell(ending)


_RAISED: dict[str, type[SecantError]] = {
    one.__name__: one
    for one in (FunctionRaised, EvaluationError, NotFinite, NothingReturned, InputError)
}  # subclasses first


def _spelt(error: BaseException) -> tuple[str, str]:
    for name, kind in _RAISED.items():
        if isinstance(error, kind):
            return name, str(error)
    if isinstance(error, Exception):
        return "EvaluationError", f"the check raised {spell(error)} on rank 0"
    return "EvaluationError", "rank 0 was interrupted"


def _raise(ending: CheckEnding, where: str = "") -> None:
    """Raise what has ended a check, if something was raised."""
    if ending.error is not None:
        name, said = ending.error
        raise _RAISED[name](said + where)


def _travelling(report: Report) -> Report:
    """Return a report as another process can have it: exceptions stay where they were raised."""
    findings = [one if one.raised is None else replace(one, raised=None) for one in report.findings]
    return replace(report, findings=tuple(findings))
