"""Structured pairs beside the random one: where kernels go wrong in low precision.

A term that n outputs share (a row's sum, its mean, its norm) is about 1/√n of a random pull: less
than is forgiven in low precision. It is all of the pull for some v with structure, along some u:

    v from { 1, the output, its sign },      u from { the point itself, 1, the claim's signs }.

All leaves move together, along all u at once, and that line is read by every v: four evaluations, a
pull for each v. Only where it disagrees is each u asked by itself.
A pair may be degenerate: v'J is zero for v = 1 of a softmax, Ju along the point itself for a norm.
What is forgiven is then what is forgiven to the random pair, at the same size of u and v.

Along the claim's signs all terms of a random pull add up, so the random v reads that line too: what
is forgiven may be so much that a constant factor hides in a random sum, and does not in this one.

These only blame. A pair that disagrees is asked of each leaf by itself, on a ladder of steps, and
again with magnitudes drawn afresh; the claim's own rounding is measured before it stands.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..._backends.base import Array
from ..._constants import CLEARLY, FINE, SHARED
from ..._errors import FunctionRaised
from ..._findings import Evidence, Verdict
from ..._judge.judge import held
from ..asking.question import Mode, Pushed, Question, adding_up
from ..base import Examination, Judged
from ..closer.bends import beyond_bends
from ..closer.look import look_closer
from ..closer.rounding import own_noise
from .entrywise import held_by_entries
from .shared_line import SharedLine
from .silent import Pair

_OUTPUTS = 4  # of more, structure is asked of the first
_SHARES = 1.0, 0.75, 1.25  # of each direction, where they are asked at once


def judge_structured(
    mode: Mode, judged: Sequence[tuple[Question, Judged]]
) -> tuple[list[tuple[Question, Judged]], set[Pair]]:
    """Return what was judged, with pairs of leaves blamed that only structure shows to be wrong.

    And those pairs in which no constant factor hides, as far as the same line tells.
    """
    known = {(one.part, one.output): (one, found) for one, found in judged}
    told: set[Pair] = set()
    pushed: Pushed = {}  # without a claim's signs the line is the same for all outputs
    for output in sorted({one.output for one, _ in judged})[:_OUTPUTS]:
        own = [pair for pair in judged if pair[0].output == output]
        if mode.examination.is_over_budget() or not _are_plain(mode.examination, own):
            continue
        suspected = [
            pair for pair in own if may_hide_a_factor(*pair) and pair[0].gradient is not None
        ]
        is_worth_it = any(_hides_a_term(one, found) for one, found in own)
        if not (is_worth_it or len(suspected) > 1):
            continue
        look = _look_at_all(mode, own, is_aligned=bool(suspected))
        if is_worth_it:
            _take_structured(mode, look, own, pushed)
        readings = look.readings()
        if readings and suspected:
            told |= {(part, output) for part in look.told(readings.pop(0))}
        if not any(look.disagreements(readings)):
            continue
        del look
        for one, found in _blamed(mode, own):
            if mode.examination.forgives:
                found = held_by_entries(mode, one, found, is_kink=False)
            if found.verdict is Verdict.FAIL:
                known[one.part, output] = one, found
    return list(known.values()), told


def may_hide_a_factor(one: Question, found: Judged) -> bool:
    """Say whether a constant factor may hide in a random sum that was found right."""
    return (
        found.verdict is Verdict.PASS
        and not (one.is_aligned or one.has_holes)
        and found.reading is not None
        and one.yardstick.is_lenient(found.reading, one.claimed)
    )


def _are_plain(examination: Examination, own: Sequence[tuple[Question, Judged]]) -> bool:
    """Say whether no leaf has failed, and all can be moved together."""
    for one, found in own:
        is_plain = not one.has_holes and examination.steps(one.part).own is None
        if found.verdict is Verdict.FAIL or found.reading is None or not is_plain:
            return False
    return any(one.direction.shape[0] for one, _ in own)


def _hides_a_term(one: Question, found: Judged) -> bool:
    if found.reading is None or one.is_absent or one.yardstick.roundoff <= FINE:
        return False
    if found.verdict is Verdict.INCONCLUSIVE:
        return True
    size = max(one.yardstick.terms, found.reading.slope)
    return one.yardstick.limit(found.reading) * math.sqrt(one.weights.shape[0]) > SHARED * size


def _look_at_all(
    mode: Mode, own: Sequence[tuple[Question, Judged]], *, is_aligned: bool
) -> SharedLine:
    """Return a line along all directions at once; the random cotangent reads it if need be."""
    asked = [one for one, _ in own if one.direction.shape[0]]
    look = SharedLine(mode.examination, _mixed(mode.examination, asked))
    if is_aligned:
        row = [adding_up(mode.ask_along(one, look.directions[one.part])) for one in asked]
        look.take(asked[0].weights, row)
    return look


def _take_structured(
    mode: Mode, look: SharedLine, own: Sequence[tuple[Question, Judged]], pushed: Pushed
) -> None:
    """Let every cotangent with structure read the line."""
    examination, output = mode.examination, own[0][0].output
    parts = _by_part(own)

    def row_of(cotangent: Array) -> list[Question]:
        row = mode.ask_row(output, cotangent, look.directions, pushed)
        return [_forgiven(examination, one, parts[one.part]) for one in row]

    for cotangent in _cotangents(examination, output):
        look.take(cotangent, row_of(cotangent))


def _by_part(own: Sequence[tuple[Question, Judged]]) -> dict[int, tuple[Question, Judged]]:
    return {one.part: (one, found) for one, found in own if one.direction.shape[0]}


def _blamed(
    mode: Mode, own: Sequence[tuple[Question, Judged]]
) -> Iterator[tuple[Question, Judged]]:
    """Yield the leaves of one output that some structured pair shows to be wrong."""
    examination, output = mode.examination, own[0][0].output
    parts = _by_part(own)
    drawn = {part: one.direction for part, (one, _) in parts.items()}
    cotangents = list(map(examination.backend.whole, _cotangents(examination, output)))
    pushed: Pushed = {}
    rows = [mode.ask_row(output, cotangent, drawn, pushed) for cotangent in cotangents]
    for directions in _directions(examination, rows[0]):
        look, turned = SharedLine(examination, directions), []
        for cotangent, row in zip(cotangents, rows, strict=True):
            turned.append([_along(mode, one, directions[one.part], parts[one.part]) for one in row])
            look.take(cotangent, turned[-1])
        for row, disagrees in zip(turned, look.disagreements(look.readings()), strict=False):
            pairs = (_confirmed(mode, one, parts[one.part]) for one in row if disagrees)
            if blamed := list(filter(None, pairs)):
                yield from blamed
                return


def _cotangents(examination: Examination, output: int) -> list[Array]:
    """Return 1, the output and its signs, where they are long not before they are used."""
    values, backend = examination.trace.vectors[output], examination.backend
    space, share = examination.problem.codomain.parts[output], 1 / (backend.largest(values) or 1.0)
    return [
        space.exactly(backend.ones, values),
        space.exactly(lambda value: value * share, values),
        space.exactly(backend.signs, values),
    ]


def _directions(examination: Examination, asked: Sequence[Question]) -> Iterator[dict[int, Array]]:
    """Yield directions of all leaves: the point itself, 1, and the signs of what is claimed."""
    for shares in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        yield _mixed(examination, asked, shares)


def _mixed(
    examination: Examination, asked: Sequence[Question], shares: Sequence[float] = _SHARES
) -> dict[int, Array]:
    """Return all these directions at once, in shares that let none of them cancel another."""
    backend, (scaled, plain, signed), mixed = examination.backend, shares, {}
    for one in asked:
        share, point = scaled / examination.scale(one.part), examination.point(one.part)
        space = examination.problem.domain.parts[one.part]
        vectors = (point,) if one.gradient is None else (point, one.gradient)

        def mix(point: Array, signs: Array | None = None, share: float = share) -> Array:
            size = backend.ones(point) * signed
            signs = size if signs is None else backend.copysign(size, signs)
            return backend.plus(signs + plain, share, point)

        mixed[one.part] = backend.whole(space.exactly(mix, *vectors))
    return mixed


def _along(
    mode: Mode, one: Question, direction: Array, beside: tuple[Question, Judged]
) -> Question:
    """Return the question along another direction, forgiven what others are."""
    return _forgiven(mode.examination, mode.ask_along(one, direction), beside)


def _forgiven(examination: Examination, one: Question, beside: tuple[Question, Judged]) -> Question:
    """Forgive what is forgiven to the random pair, at this size of u and v.

    Where signs are not random, roundings that all entries share (of a sum over a row) add up too.
    """
    norm, (other, found) = examination.norm, beside
    assert found.reading is not None
    longer = norm(one.direction) / (norm(other.direction) or 1.0)
    longer *= norm(one.weights) / (norm(other.weights) or 1.0)
    tolerance, reading = one.yardstick.tolerance, found.reading
    share = tolerance.rtol + CLEARLY * one.yardstick.roundoff * one.direction.shape[0] ** 0.5
    atol = tolerance.atol + share * other.yardstick.forgiven_terms(reading) * longer
    terms = max(one.yardstick.terms, abs(one.claimed))
    yardstick = replace(one.yardstick, terms=terms, tolerance=replace(tolerance, atol=atol))
    return replace(one, yardstick=yardstick)


def _confirmed(
    mode: Mode, one: Question, beside: tuple[Question, Judged]
) -> tuple[Question, Judged] | None:
    """Return the blame on one leaf, None unless it holds twice and beyond the claim's rounding."""
    closer = _look(mode, one)
    if closer is None:
        return None
    again = _look(mode, _forgiven(mode.examination, _redrawn(mode, one), beside))
    if again is None:
        return None
    reading = closer.reading
    assert reading is not None
    residual = reading.residual
    noise = own_noise(mode, one, abs(residual.value))
    widened = replace(reading, residual=replace(residual, error=residual.error + noise))
    twice = Evidence("independent", {}, (closer.evidence, again.evidence))
    found = Judged(Evidence("again", {}, (twice, held(one.yardstick, widened))), reading)
    return (one, found) if found.verdict is Verdict.FAIL else None


def _redrawn(mode: Mode, one: Question) -> Question:
    """Return the same signs with other magnitudes, drawn at random."""
    examination = mode.examination
    problem, backend = examination.problem, examination.backend
    exact = []
    for space, vector in (
        (problem.codomain.parts[one.output], one.weights),
        (problem.domain.parts[one.part], one.direction),
    ):
        drawn = vector * backend.absolute(examination.directions.draw(space))
        exact.append(space.coordinates(space.assemble(drawn)))
    return mode.ask(one.part, one.output, *exact)


def _look(mode: Mode, one: Question) -> Judged | None:
    """Return a closer look that blames, else None."""
    examination = mode.examination
    line = examination.line(one.part, one.direction)
    try:
        closer = look_closer(examination, one.part, line, one.functional, one.yardstick)
    except FunctionRaised:
        return None
    closer = beyond_bends(mode, one, closer, examination.steps(one.part))
    return closer if closer.verdict is Verdict.FAIL and not closer.is_at_kink else None
