"""Gathers what a diagnosis rests on: leaves with their values, probes, flagged Jacobians.

Everything here runs after a failure only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ..._backends.base import Array
from ..._constants import FINE, KAPPA
from ..._measure.estimate import Estimate
from ..._spaces.base import Space
from ..._verdict.evidence import Comparison, Leaf, LeafPair, Numbers, Probed, coordinates
from ..asking.question import Mode, Question
from ..base import Examination
from ..full.suspects import FullPair
from .columns import ColumnReader, read
from .window import Window

_FEWEST_COLUMNS = 8  # of a Jacobian that show a pattern
_BATCH_AND_CHANNEL = 2  # dimensions in front of those that a kernel moves along


def scene_of(
    examination: Examination, part: int, output: int, window: Window | None = None
) -> LeafPair:
    """Return the leaves of a pair with their values, and the other inputs.

    Of large leaves there is what a window shows, where they fit it, and otherwise their shape.
    """
    problem = examination.problem

    def leaf(space: Space, path: str, vector: Array) -> Leaf:
        view = Window.around(space, None)
        if window is not None and not window.is_whole and window.fits(space.shape):
            return Leaf(path, window.cut(space, vector), whole=space.shape)
        if not view.is_whole:
            kind = np.complex128 if space.size == 2 * math.prod(space.shape) else np.float64
            return Leaf(path, np.broadcast_to(np.zeros((), kind), space.shape))
        return Leaf(path, view.cut(space, vector), space.unstored())

    inputs = [
        leaf(space, problem.domain.path(k), examination.point(k))
        for k, space in enumerate(problem.domain.parts)
    ]
    result = leaf(
        problem.codomain.parts[output],
        problem.codomain.path(output),
        examination.trace.vectors[output],
    )
    inputs[part] = replace(inputs[part], names=problem.domain.names)
    others = tuple(one for k, one in enumerate(inputs) if k != part)
    trace, devices_of = examination.trace, examination.backend.processes.devices_of
    devices = max(map(devices_of, (*trace.leaves, *trace.outputs)))
    roundoff = examination.roundoff(part, output)
    return LeafPair(inputs[part], result, others, roundoff, devices)


def comparison_of(examination: Examination, pair: FullPair) -> Comparison | None:
    """Return a whole Jacobian with its wrong entries flagged, None where it was not kept."""
    if pair.measured is None or pair.error is None or pair.mix is not None:
        return None
    place = pair.part, pair.output
    known = compared(examination, place, pair.claimed, pair.measured, pair.error)
    elsewhere = known.wrong.copy()
    elsewhere[:, sorted(pair.kinked)] = False
    # what is wrong beside kinks tells more than what is wrong on them
    return replace(known, wrong=elsewhere) if elsewhere.any() else known


def sampled_comparison(reader: ColumnReader, claimed: Numbers) -> Comparison | None:
    """Return the columns of a Jacobian that were looked at, with their wrong entries flagged."""
    columns = sorted(place for place, one in reader.measured.known.items() if one is not None)
    if len(columns) < _FEWEST_COLUMNS:
        return None
    place = reader.failed.part, reader.failed.output
    numbers = claimed[:, columns], *measured_by(reader, columns)
    return replace(compared(reader.examination, place, *numbers), some_columns=np.array(columns))


def measured_by(reader: ColumnReader, columns: Sequence[int]) -> tuple[Numbers, Numbers]:
    """Return columns that are known, and their bars: (outputs, columns)."""
    seen = [one for one in map(reader.measured.column, columns) if one is not None]
    to_numpy = reader.examination.backend.to_numpy
    slopes, bars = ([to_numpy(one[k]) for one in seen] for k in range(2))
    return np.stack(slopes, axis=1), np.stack(bars, axis=1)


def compared(
    examination: Examination,
    place: tuple[int, int],
    claimed: Numbers,
    measured: Numbers,
    error: Numbers,
) -> Comparison:
    """Return numbers with their wrong entries flagged; `place` is the part and the output."""
    tolerance, size = examination.tolerance(*place), np.abs(claimed)
    forgiven = error + tolerance.rtol * size + tolerance.atol
    limit: Numbers = np.maximum(forgiven, KAPPA * error + 1e-12 * size)
    with np.errstate(invalid="ignore"):
        wrong = np.abs(claimed - measured) > limit
    return Comparison(claimed, measured, error, limit, wrong, scene_of(examination, *place))


def evidence_of(
    mode: Mode, one: Question, comparison: Comparison | None, window: Window
) -> Probed | None:
    """Read one more question for the diagnosis: off a whole Jacobian, or off a line.

    All entries move one way if need be.
    """
    examination, backend = mode.examination, mode.examination.backend
    domain, codomain = spaces_of(examination, one)
    if not window.is_whole:
        one = mode.ask_along(one, window.restricted(domain, one.direction))
    if comparison is not None and not comparison.is_whole:
        one = mode.ask_along(one, _restricted(examination, one, comparison))
    own = examination.steps(one.part).own
    if comparison is not None and own is not None:  # units that one number each is a share of
        one = mode.ask_along(one, one.direction * own)
    measured = None if comparison is None else _contracted(examination, one, comparison)
    if measured is None:
        reading = read(examination, one)
        if reading is None:
            one = mode.ask_along(one, backend.absolute(one.direction))
            reading = read(examination, one)
        if reading is None:
            return None
        measured = reading.residual.shifted(one.claimed)
    is_short = codomain.size <= window.most or codomain.shape == domain.shape
    return Probed(
        one.claimed,
        measured,
        None if one.gradient is None else window.cut(domain, one.gradient),
        window.cut(domain, one.direction),
        _conjugated(mode, one, window),
        window.cut(codomain, one.weights) if is_short else None,
        _turned(mode, one) if domain.is_like(codomain) else None,
        _mirrored(mode, one) if window.is_whole and is_short else None,
        dict(_rivals(mode, one, window)),
    )


def _contracted(examination: Examination, one: Question, comparison: Comparison) -> Estimate | None:
    """Return v'Ju of the measured Jacobian, its bars added in quadrature; None if not finite.

    Below double precision entries are far more blurred than their sum along a line.
    """
    if one.yardstick.roundoff > FINE:
        return None
    v, u = (examination.backend.to_numpy(vector) for vector in (one.weights, one.direction))
    u = u[comparison.columns]
    value = float(v @ comparison.measured @ u)
    error = float(np.sqrt(v**2 @ comparison.error**2 @ u**2))
    return Estimate(value, error) if np.isfinite(value) and np.isfinite(error) else None


def _restricted(examination: Examination, one: Question, comparison: Comparison) -> Array:
    """Return a question's direction with zeros in columns that are not known."""
    domain, _ = spaces_of(examination, one)
    flags = np.zeros(domain.size)
    flags[comparison.columns] = 1.0
    return one.direction * examination.backend.vector(flags, domain.reference)


def spaces_of(examination: Examination, one: Question) -> tuple[Space, Space]:
    """Return the spaces of a question's input and output."""
    problem = examination.problem
    return problem.domain.parts[one.part], problem.codomain.parts[one.output]


def _conjugated(mode: Mode, one: Question, window: Window) -> Numbers | None:
    """Return conj(pull(conj v)) where input and output are complex."""
    examination = mode.examination
    domain, codomain = spaces_of(examination, one)
    mirror = codomain.conjugated(one.weights)
    if mirror is None:
        return None
    gradient = mode.ask(one.part, one.output, mirror, one.direction).gradient
    if gradient is None:
        return None
    mirrored: Numbers = np.conj(window.cut(domain, gradient))
    return mirrored


def _turned(mode: Mode, one: Question) -> float | None:
    """Return what is claimed with direction and cotangent in each other's place."""
    return mode.ask(one.part, one.output, one.direction, one.weights).claimed


def _mirrored(mode: Mode, one: Question) -> Numbers | None:
    """Return what v reversed in space is pulled to, reversed back; batch and channels stay."""
    examination, backend = mode.examination, mode.examination.backend
    domain, codomain = spaces_of(examination, one)
    weights = codomain.shaped(backend.to_numpy(one.weights))
    space = tuple(range(_BATCH_AND_CHANNEL, weights.ndim))
    if one.gradient is None or not space or len(domain.shape) != weights.ndim:
        return None
    flipped = backend.vector(coordinates(np.flip(weights, space)), codomain.reference)
    gradient = mode.ask(one.part, one.output, flipped, one.direction).gradient
    if gradient is None:
        return None
    mirrored: Numbers = np.flip(domain.shaped(backend.to_numpy(gradient)), space)
    return mirrored


def _rivals(mode: Mode, one: Question, window: Window) -> Iterator[tuple[int, Numbers]]:
    """Yield what the same pull gives to other inputs of the same shape and kind."""
    problem = mode.examination.problem
    if one.pulled is None:
        return
    own = problem.domain.parts[one.part]
    for part, gradient in enumerate(one.pulled.gradients):
        space = problem.domain.parts[part]
        is_alike = space.is_like(own) and part != one.part
        if is_alike and gradient is not None:
            numbers = window.cut(space, gradient)
            if np.isfinite(numbers).all():
                yield part, numbers
