"""Outputs that are claimed not to depend on some leaves: seen to stand still, many at once.

Second derivatives are mostly zeros. Asked pair by pair each takes a handful of evaluations; but an
output that keeps every bit while several leaves move, nearby and as far as makes sense, stands
still for each of them. What moves further away, and by no rounding, stands still nearby; where that
is not as plain, it is left to the closer look.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from ..._backends.base import Array
from ..._measure.difference import Reading
from ..._measure.line import Rung
from ..._measure.rungs import height_of
from ..._measure.stillness import reading_of_still, still_nearby
from ..asking.question import Question
from ..base import Examination

Pair = tuple[int, int]  # a leaf and an output


def still_readings(
    examination: Examination, questions: Sequence[Question], directions: Mapping[int, Array]
) -> list[tuple[Question, Reading]]:
    """Return those questions that claim nothing and see nothing move, with their readings."""
    asked: dict[Pair, Question] = {}
    for one in questions:
        if _claims_stillness(examination, one):
            asked[one.part, one.output] = one
    if not asked:
        return []
    found: list[tuple[Question, Reading]] = []
    moving: list[tuple[Question, tuple[int, ...]]] = []
    for parts, outputs in _groups(list(asked)):
        near = _rung(examination, directions, {part: examination.step(part) for part in parts})
        silent = [one for one in outputs if _is_silent(examination, one, near)]
        if not silent or examination.is_over_budget():
            continue
        steps = {part: examination.steps(part).longest for part in parts}
        far = _rung(examination, directions, steps)
        for output in silent:
            own = [asked[part, output] for part in parts]
            if far is not None and _is_silent(examination, output, far):
                found += _read(examination, own, far, steps)
            else:
                moving += [(one, parts) for one in own]
    if not examination.only_glances:
        found += _still_nearby(examination, moving, directions)
    return found


def _read(
    examination: Examination, own: Sequence[Question], rung: Rung, steps: Mapping[int, float]
) -> Iterator[tuple[Question, Reading]]:
    """Yield what a silent rung says of each leaf that has moved, by a step of its own."""
    for one, moves in zip(own, rung.displacements, strict=True):
        claimed, step = one.functional.claimed(examination.backend, [moves]), steps[one.part]
        yield one, reading_of_still(one.functional, -claimed / (2 * step), step)


def _still_nearby(
    examination: Examination,
    questions: Sequence[tuple[Question, tuple[int, ...]]],
    directions: Mapping[int, Array],
) -> Iterator[tuple[Question, Reading]]:
    """Yield those whose outputs move, but far away; leaf by leaf, since a line knows its rungs.

    They are given with the leaves of their group, all of which stood still at the first step. What
    several leaves leave alone at the shortest steps as well, each of them does.
    """
    nearest: dict[tuple[int, ...], Rung | None] = {}

    def is_still(output: int, parts: tuple[int, ...]) -> bool:
        if parts not in nearest:
            steps = {part: examination.steps(part).shortest for part in parts}
            nearest[parts] = _rung(examination, directions, steps)
        return _is_silent(examination, output, nearest[parts])

    for one, parts in sorted(questions, key=lambda pair: pair[0].part):
        if examination.is_over_budget():
            return
        line, steps = (
            examination.line(one.part, directions[one.part]),
            examination.steps(one.part),
        )
        seen = partial(is_still, one.output, parts) if len(parts) > 1 else None
        read = still_nearby(line, one.functional, steps, seen)
        if read is not None:
            yield one, read


def _claims_stillness(examination: Examination, one: Question) -> bool:
    return (
        one.yardstick.claims_nothing
        and not one.has_holes
        and bool(one.direction.shape[0] and one.weights.shape[0])
        and examination.steps(one.part).own is None
    )


def _groups(pairs: Sequence[Pair]) -> list[tuple[tuple[int, ...], list[int]]]:
    """Return leaves to be moved together, with the outputs that they all leave alone.

    Leaf by leaf, or all leaves of an output, whichever takes fewer lines.
    """
    by_leaf: dict[int, list[int]] = {}
    by_output: dict[int, list[int]] = {}
    for part, output in pairs:
        by_leaf.setdefault(part, []).append(output)
        by_output.setdefault(output, []).append(part)
    together: dict[tuple[int, ...], list[int]] = {}
    for output, parts in by_output.items():
        together.setdefault(tuple(parts), []).append(output)
    if len(together) < len(by_leaf):
        return list(together.items())
    return [((part,), outputs) for part, outputs in by_leaf.items()]


def _rung(
    examination: Examination, directions: Mapping[int, Array], steps: Mapping[int, float]
) -> Rung | None:
    if len(steps) == 1:  # a closer look finds what its line remembers
        ((part, step),) = steps.items()
        return examination.line(part, directions[part]).rung(step)
    return examination.joint_line({part: directions[part] for part in steps}, steps).rung(1.0)


def _is_silent(examination: Examination, output: int, rung: Rung | None) -> bool:
    return rung is not None and height_of(examination.backend, output, rung) == 0
