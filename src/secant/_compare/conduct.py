"""compare(): the conductor. Quantise once; run kernel, truth and yardstick; hold them together."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._backends.base import Backend
from .._backends.process.restoration import EarlyRestoration, Restoration, random_states
from .._backends.registry import backend_named
from .._claims.base import ClaimRaised
from .._claims.rules import Rule
from .._claims.taken import take_pull
from .._errors import InputError
from .._findings import Verdict
from .._problem.pose import gather, pose
from .._problem.trees import Arguments
from .._report.comparison import Comparison, ComparisonRow
from .._report.model import Cost
from .._report.progress import peak_memory
from .._report.rerun import rerun_compare
from .._spaces.choose import space_of
from .._spaces.directions import Directions
from .._version import __version__
from .._words.comparisons import BACKWARD_RAISES
from .candidate import Candidate
from .closer import SecondLook
from .draws import Cotangents, draw_gradients, draw_output
from .judge import judge
from .pairing import is_alike, pair, widest_notes
from .runs import Reference, Runs, quantised
from .settings import CompareSettings, settle
from .side import Run, Side


def compare(
    function: Callable[..., Any], reference: Callable[..., Any], *inputs: Any, **settings: Any
) -> Comparison:
    """Hold a kernel's outputs and gradients against those of a trusted implementation."""
    started, memory = time.perf_counter(), peak_memory()
    chosen = settle(settings, function)
    if not callable(reference):
        raise InputError(f"expected a function as reference; got {type(reference).__name__}")
    arguments, backend = gather(function, inputs, chosen.kwargs or {})
    own, other = _rules(function, reference, arguments, backend, chosen)
    backend = own[0]
    with Restoration(backend) as restoration, EarlyRestoration(restoration):
        problem = pose(function, arguments, backend, is_given=chosen.pull is not None)
        places = [problem.chosen_place(part) for part in range(len(problem.points))]
        leaves = quantised(backend, arguments.leaves, chosen.dtype)
        paths = [problem.domain.path(part) for part in range(len(places))]
        _refuse(backend, [leaves[place] for place in places], paths, chosen)
        random = random_states(backend)
        kernel = Side(function, arguments, backend, places, random, own[1])
        trusted = Reference(
            Side(reference, arguments, other[0], places, random, other[1]),
            chosen.reference_device,
            backend,
        )
        rows, notes = _examine(kernel, trusted, leaves, chosen)
    sides = (kernel, trusted.side)
    framework, theirs = backend.version(), other[0].version()
    versions = [f"secant {__version__}", framework, theirs, f"numpy {np.__version__}"]
    return Comparison(
        kernel.name,
        trusted.side.name,
        ", ".join(dict.fromkeys(backend.dtype_name(leaves[place]) for place in places)),
        chosen.limit,
        tuple(rows),
        tuple(dict.fromkeys(notes)),
        Cost(
            sum(side.tally.evaluations for side in sides),
            sum(side.tally.pulls for side in sides),
            0,
            time.perf_counter() - started,
            peak_memory() - memory,
        ),
        chosen.seed,
        tuple(dict.fromkeys(versions)),
        rerun_compare(function, reference, len(inputs), chosen, CompareSettings()),
    )


def _rules(
    function: Callable[..., Any],
    reference: Callable[..., Any],
    arguments: Arguments,
    backend: Backend,
    settings: CompareSettings,
) -> tuple[tuple[Backend, Rule | None], tuple[Backend, Rule | None]]:
    """Return the framework of each side, and its derivative where that is a function of its own."""
    name = settings.reference_framework
    there = backend if name is None else backend_named(name, "reference_framework")
    own, theirs, is_needed = settings.pull, settings.reference_pull, settings.gradients
    return (
        take_pull("pull", own, function, arguments, backend, is_needed),
        take_pull("reference_pull", theirs, reference, arguments, there, is_needed),
    )


def _refuse(
    backend: Backend, points: Sequence[Any], paths: Sequence[str], settings: CompareSettings
) -> None:
    """Say which inputs leave nothing to compare."""
    if all(map(backend.is_exact, points)):
        raise InputError(
            "expected inputs of less precision than float64, in which the truth is computed; "
            'pass dtype="float32" (or float16, bfloat16) to round them, or use secant.check'
        )
    for point, path in zip(points, paths, strict=True):
        if not backend.is_finite(space_of(backend, point).coordinates(point)):
            raise InputError(
                f"expected the inputs to fit into {settings.dtype}; {path} overflows in it"
            )


def _examine(
    side: Side, reference: Reference, leaves: Sequence[Any], settings: CompareSettings
) -> tuple[list[ComparisonRow], list[str]]:
    """Run all three, lay them side by side, look closer where that is called for, and judge."""
    kernel, truth, found = side.run(leaves), reference.truth(leaves), reference.yardstick(leaves)
    yardstick = found if isinstance(found, Run) and is_alike(found, truth) else None
    pairing = pair(kernel, truth, yardstick)
    runs = Runs(kernel, truth, yardstick)
    notes = [*_remarks(kernel), *pairing.notes]
    if yardstick is None:
        why = found if isinstance(found, str) else "it returns something else than in float64"
        notes.append(f"a modelled yardstick is used, because in the kernel's dtype {why}")
    else:
        notes += widest_notes(kernel, yardstick, pairing.places)
    cotangents = Cotangents(runs, Directions(settings.seed), settings.draws)
    rows: list[ComparisonRow | Candidate] = list(pairing.rows)
    rows += [_first_look(draw_output(runs, place), settings) for place in pairing.places]
    if settings.gradients:
        asked, more = _differentiated(runs, pairing.places)
        notes += more
        for place in asked:
            rows += _gradients(runs, place, cotangents, settings)
    suspects = [row for row in rows if isinstance(row, Candidate)]
    if suspects:
        closer = SecondLook(runs, reference, leaves, cotangents, settings)
        notes += closer.settle(suspects)
    if side.has_drawn or reference.side.has_drawn:
        notes.append(
            "random numbers are drawn: every run begins with the same ones, but a framework may "
            "draw others in another dtype or on another device"
        )
    judged = [judge(row, settings.limit) if isinstance(row, Candidate) else row for row in rows]
    return judged, notes


def _first_look(candidate: Candidate, settings: CompareSettings) -> ComparisonRow | Candidate:
    """Return the row of an array that is within the limit; others are looked at more closely."""
    is_open = candidate.is_suspicious(settings.limit)
    return candidate if is_open else judge(candidate, settings.limit)


def _gradients(
    runs: Runs, place: int, cotangents: Cotangents, settings: CompareSettings
) -> list[ComparisonRow | Candidate]:
    try:
        drawn = list(draw_gradients(runs, place, cotangents))
    except ClaimRaised as error:
        what = f"∂{runs.kernel.path(place)}"
        return [ComparisonRow(what, Verdict.FAIL, reasons=(BACKWARD_RAISES(error=str(error)),))]
    return [_first_look(candidate, settings) for candidate in drawn]


def _differentiated(runs: Runs, places: Sequence[int]) -> tuple[list[int], list[str]]:
    """Choose the outputs whose gradients are compared: those of which both claim one.

    A kernel that claims none at all claims zero, as in a check.
    """
    own = [place for place in places if place in runs.kernel.attached]
    true = [place for place in places if place in runs.truth.attached]
    if own and not true:
        raise InputError(
            "expected the reference to be differentiable; none of its outputs depends on the "
            "inputs that are differentiated. Pass gradients=False to compare outputs only"
        )
    if not own:
        return true, []
    notes = [
        f"{runs.kernel.path(place)} claims no derivative in the "
        f"{'kernel' if place in true else 'reference'}: its gradients are not compared"
        for place in places
        if (place in own) != (place in true)
    ]
    return [place for place in own if place in true], notes


def _remarks(kernel: Run) -> list[str]:
    problem = kernel.problem
    parts = [
        p for p in range(len(problem.points)) if problem.chosen_place(p) in problem.leaves.mutated
    ]
    return [f"the kernel writes into its input {problem.domain.path(part)}" for part in parts]
