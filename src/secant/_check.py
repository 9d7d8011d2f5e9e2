"""check(): the conductor. It reads as the picture: problem, claims, measurement, laws, verdict."""

from __future__ import annotations

import functools
import math
import operator
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ._backends.base import Backend
from ._backends.process.restoration import EarlyRestoration, Restoration
from ._claims.forward import ForwardClaim
from ._claims.taken import Given, settle_given, take
from ._errors import SecantError
from ._findings import SLOPES, Finding, Verdict, gravest_of, in_forward_mode
from ._laws.base import PulledClaim
from ._laws.every import examine_laws
from ._laws.tangents import examine_tangents
from ._probes.asking.forward import ForwardMode
from ._probes.asking.reverse import ReverseMode
from ._probes.base import Examination
from ._probes.choose import prepare, probe
from ._probes.failing.code import with_code
from ._probes.full.suspects import FullPair
from ._probes.given import examine_given
from ._probes.lifted import LiftedExamination, lift_examination
from ._probes.remarks import remarks, unread
from ._problem.gradient import gradient_at
from ._problem.grain import take_for_coarse, take_for_single
from ._problem.naming import name_leaves, with_args
from ._problem.pose import gather, pose, with_numbers
from ._problem.problem import Problem
from ._problem.trace import Tally
from ._problem.trees import function_name
from ._problem.unfold import pose_module
from ._report.kept import Leaves, frames_of, jacobians_of
from ._report.model import Cost, Frame, Jacobian, Report
from ._report.progress import Progress, is_shown, peak_memory
from ._report.rerun import rerun_check
from ._settings import GIVEN, Settings
from ._spaces.directions import Directions
from ._verdict.unasked import nothing_checked, unasked, would_exceed
from ._version import __version__


def check(
    function: Callable[..., Any],
    *inputs: Any,
    pull: Callable[..., Any] | None = None,
    push: Callable[..., Any] | None = None,
    jacobian: Callable[..., Any] | None = None,
    gradient: Callable[..., Any] | None = None,
    **settings: Any,
) -> Report:
    """Hold a function's claimed derivatives against what the function does."""
    by_hand = {"pull": pull, "push": push, "jacobian": jacobian, "gradient": gradient}
    chosen, written = settle_given(by_hand, settings, function)
    if chosen.args:
        function, written = with_args(function, written, len(inputs), chosen.args)
    return conduct(function, inputs, chosen, written or None, unfolds=not written)


def conduct(
    function: Callable[..., Any],
    inputs: Sequence[Any],
    chosen: Settings,
    written: Mapping[str, Callable[..., Any]] | None = None,
    *,
    unfolds: bool = False,
    only_marked: bool = False,
    restores: bool = True,
) -> Report:
    """Check with settings that are settled, derivatives written by hand if there are some.

    With `unfolds`, a module's parameters are leaves; without `restores`, the caller puts back what
    is disturbed.
    """
    started = time.perf_counter()
    if written is not None:
        inputs = with_numbers(inputs)
    arguments, backend = gather(function, inputs, chosen.kwargs or {})
    given = None
    if written is not None or not backend.records:
        backend, given = take(function, arguments, backend, written, chosen)
    if chosen.dtype is not None:
        function = backend.modules.converted(function, chosen.dtype)
        arguments.convert(backend, chosen.dtype)
    is_large = _entries(arguments.leaves) >= _WORTH_WEIGHING
    memory = peak_memory() if is_large else 0
    name, total = function_name(function), Tally()
    watched = Progress(name, total, chosen.progress) if is_shown(chosen.progress) else None
    restoration = Restoration(backend) if restores else None
    early = EarlyRestoration(restoration) if restoration else _NOTHING
    with restoration or _NOTHING, early, watched or _NOTHING:
        unfolded = backend.modules.unfolded(function) if unfolds else None
        problem = (
            pose(function, arguments, backend, masked=chosen.masked, is_given=written is not None)
            if unfolded is None
            else pose_module(
                name, unfolded, arguments, backend, masked=chosen.masked, only_marked=only_marked
            )
        )
        if chosen.names:
            name_leaves(problem, chosen.names)
        with problem:
            findings, jacobians, frames = _examine_orders(problem, chosen, total, watched, given)
    verdict = gravest_of(findings)
    if backend.dialect != "torch" and verdict is not Verdict.PASS:
        findings = [_in_dialect(finding, backend.dialect) for finding in findings]
    grown = peak_memory() - memory if is_large else 0
    seconds = time.perf_counter() - started
    return Report(
        name,
        tuple(findings),
        Cost(total.evaluations, total.pulls, total.pushes, seconds, grown),
        chosen.seed,
        _versions(backend),
        "" if verdict is Verdict.PASS else rerun_check(function, len(inputs), chosen, written),
        jacobians,
        frames,
    )


@functools.cache
def _versions(backend: Backend) -> tuple[str, ...]:
    every = (f"secant {__version__}", backend.version(), f"numpy {np.__version__}")
    return tuple(dict.fromkeys(every))


def _in_dialect(finding: Finding, dialect: str) -> Finding:
    """Return a finding in the words of a framework, unless it speaks of a derivative by hand."""
    return finding if finding.dialect in GIVEN else replace(finding, dialect=dialect)


_KIND, _NOTHING = operator.attrgetter("kind"), nullcontext()
# Asking the system for the peak is dear in some containers; small problems do not raise it.
_WORTH_WEIGHING = 1 << 14


def _entries(leaves: Sequence[Any]) -> int:
    """Return how many entries the leaves have together, as far as they tell."""
    entries = 0
    for leaf in leaves:
        try:
            entries += math.prod(getattr(leaf, "shape", (0,)))
        except (TypeError, RuntimeError):  # no array, or one without a shape
            continue
    return entries


def _examine_orders(
    problem: Problem,
    settings: Settings,
    total: Tally,
    progress: Progress | None,
    given: Given | None,
) -> tuple[list[Finding], Mapping[Leaves, Jacobian | None], dict[Leaves, Frame]]:
    """Examine the problem, then its gradient's problem, up to the order asked for."""
    directions = Directions(settings.seed)
    findings: list[Finding] = []
    jacobians: Mapping[Leaves, Jacobian | None] = {}
    frames: dict[Leaves, Frame] = {}
    lifted, before = None, (0, 0.0)
    started = time.perf_counter()
    try:
        for order in range(1, settings.order + 1):
            problem.watch(None if progress is None else progress.tick)
            examination = Examination(problem, problem.trace(), settings, directions, order)
            if order == 1 or lifted is not None:
                lifted = lift_examination(examination, lifted)
            examination, found, pairs = _examined(examination, lifted, given)
            worst = gravest_of(found)
            findings += found if worst is not Verdict.FAIL else with_code(found, examination, given)
            total.add(problem.tally)
            if lifted is not None:
                total.add(lifted.examination.problem.tally)
            if order == 1:
                is_pictured = settings.pictures or worst is not Verdict.PASS
                jacobians = jacobians_of(problem, pairs) if pairs else {}
                frames = frames_of(problem, pairs, is_pictured=is_pictured) if pairs else {}
            if order == settings.order or not examination.trace.is_differentiable:
                break
            spent = total.evaluations, time.perf_counter() - started
            most = settings.max_evaluations, settings.max_seconds
            if would_exceed(most, spent, before):
                findings.append(unasked(f"order {order + 1} is beyond the limits"))
                break
            before = spent
            spaces = problem.codomain.parts
            cotangents = [space.assemble(directions.draw(space)) for space in spaces]
            if given is not None:
                problem, lifted = given.gradient_at(problem, cotangents), None
                continue
            problem = gradient_at(problem, cotangents)
            lifted = None if lifted is None else lifted.gradient_at(cotangents)
    except SecantError as error:
        if gravest_of(findings) is Verdict.PASS:
            raise
        findings.append(unasked(str(error)))  # a gradient that is known to be wrong stays wrong
    if not any(map(SLOPES.__contains__, map(_KIND, findings))):
        findings.append(nothing_checked(problem))
    return findings, jacobians, frames


def _examined(
    examination: Examination, lifted: LiftedExamination | None, given: Given | None
) -> tuple[Examination, list[Finding], list[FullPair]]:
    """Examine a problem, once more as one of the fewer digits that it computes in somewhere."""
    problem, trace = examination.problem, examination.trace
    if lifted is not None:
        return examination, *examine(examination, lifted, given)
    take_for_single(problem, trace.vectors)
    found, pairs = examine(examination, None, given)
    if gravest_of(found) is Verdict.PASS:
        return examination, found, pairs
    is_single = take_for_single(problem, trace.vectors, is_suspected=True)
    # no version without its casts could be trusted: short steps may see the flats that they make
    wrong = {one.kind for one in found if one.verdict is Verdict.FAIL}
    is_coarse = bool(wrong) and wrong <= set(SLOPES) and take_for_coarse(problem, trace.casts)
    if is_single or is_coarse:
        settings, directions = examination.settings, examination.directions
        examination = Examination(problem, trace, settings, directions, examination.order)
        found, pairs = examine(examination, None, given)
    return examination, found, pairs


def examine(
    examination: Examination, lifted: LiftedExamination | None = None, given: Given | None = None
) -> tuple[list[Finding], list[FullPair]]:
    """Examine one problem in every mode asked for, then its laws."""
    if given is not None:
        findings, pairs = examine_given(examination, lifted, given)
        said = remarks(examination, findings)
        return [*findings, *said, *unread(examination, findings, pairs)], pairs
    problem, settings = examination.problem, examination.settings
    findings, pairs = [], []
    forward, modes = None, settings.directions
    if "forward" in modes:
        own = problem.backend.has_own_rules(examination.trace.outputs)
        forward = ForwardClaim(problem, has_own_rules=own)
    if "reverse" in modes:
        mode = ReverseMode.of(examination)
        found, pairs = probe(mode) if lifted is None else lifted.judge(mode)
        findings += found
        if mode.pulleds and examination.trace.is_differentiable:
            kept = _ask_laws(mode, forward, {} if forward is None else bars_of(found))
            findings += kept if lifted is None else lifted.laws(kept, partial(_laws_of, forward))
    if forward is not None:
        pusher = ForwardMode(examination, forward)
        found, forward_pairs = probe(pusher) if lifted is None else lifted.judge(pusher)
        if not any(finding.raised for finding in found):
            found += examine_tangents(
                forward, examination.directions, settings.laws, settings.atol or 0.0
            )
        findings += in_forward_mode(found)
        pairs = pairs or forward_pairs
    said = remarks(examination, findings)
    return [*findings, *said, *unread(examination, findings, pairs)], pairs


def bars_of(found: Sequence[Finding]) -> dict[tuple[int, int], float]:
    """Return the bars of what was measured, by input and output; adjointness alone reads them."""
    return {
        (one.input, one.output): one.measured.error
        for one in found
        if one.measured is not None and one.input is not None and one.output is not None
    }


def _ask_laws(
    mode: ReverseMode,
    forward: ForwardClaim | None,
    bars: Mapping[tuple[int, int], float] | None = None,
) -> list[Finding]:
    examination, settings = mode.examination, mode.examination.settings
    pulled_claim = PulledClaim(
        examination.problem,
        examination.directions,
        mode.claim,
        mode.pulleds,
        settings.nondeterminism,
        settings.atol or 0.0,
        settings.rtol or 0.0,
        bars or {},
    )
    return examine_laws(pulled_claim, settings.laws, forward)


def _laws_of(forward: ForwardClaim | None, examination: Examination) -> list[Finding]:
    """Ask the laws of another version of the function."""
    mode = ReverseMode.of(examination)
    prepare(mode)
    return _ask_laws(mode, None if forward is None else ForwardClaim(examination.problem))
