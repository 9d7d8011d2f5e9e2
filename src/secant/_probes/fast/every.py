"""The fast probe: a few random directions per input, cotangents per output, every pair by itself.

First all inputs move at once, each along its own direction (`together.py`): three or four
evaluations, however many inputs there are. Only leaves for which that does not settle every output
are asked by themselves.
"""

from __future__ import annotations

from dataclasses import replace

from ..._constants import COARSE, FINE, KAPPA
from ..._findings import Evidence, Verdict
from ..._judge.judge import NOTHING, UNKNOWN
from ..._measure.difference import Functional, Reading, quick
from ..._measure.estimate import Estimate
from ..._words import slopes
from ..asking.question import Mode, Question
from ..asking.reverse import ReverseMode
from ..base import Judged
from ..closer.bends import beyond_bends
from ..closer.path import along_path
from ..closer.rounding import beyond_rounding
from ..failing.locate import located_in
from ..full.coloured import judge_coloured
from ..full.pair import compare_pair
from .entrywise import acquitted, are_slight, forgiven, has_wrong_entry, held_by_entries, weigh
from .looking import is_isolated, is_small, look
from .openings import another_step, first_step
from .silent import Pair
from .structured import judge_structured, may_hide_a_factor
from .together import settle_together, unsettled, within


def judge_all(mode: Mode) -> list[tuple[Question, Judged]]:
    """Judge every output against every input leaf, along one direction each."""
    examination = mode.examination
    domain = examination.problem.domain.parts
    directions, questions = {}, {}
    for part, space in enumerate(domain):
        directions[part] = examination.directions.draw(space)
    for part, direction in directions.items():
        questions[part] = mode.ask_prepared(part, direction)
    settled = settle_together(examination, questions, directions)
    judged: list[tuple[Question, Judged]] = []
    failed, only_glances = 0, examination.only_glances
    for part, direction in directions.items():
        if not direction.shape[0]:
            judged += [(one, _NOTHING) for one in questions[part]]
            continue
        left = unsettled(questions[part], settled)
        if left and examination.has_seen_enough(failed):
            examination.unasked += 1
            continue
        alone = iter(_judge_part(mode, part, left) if left else ())
        has_failed = False  # or, at a glance, is open
        for one in questions[part]:
            found = settled.get((one.part, one.output))
            pair = next(alone) if found is None else (one, found)
            wanting = pair[1].verdict is Verdict.FAIL or only_glances
            has_failed = has_failed or (wanting and pair[1].verdict is not Verdict.PASS)
            judged.append(pair)
        failed += has_failed
    if only_glances and failed:
        return judged
    told: set[Pair] = set()
    if any(one.yardstick.roundoff > FINE for one, _ in judged):  # no term hides in double
        judged, told = judge_structured(mode, judged)
    for place, (one, found) in enumerate(judged):
        if may_hide_a_factor(one, found) and (one.part, one.output) not in told:
            judged[place] = _aligned_too(mode, one, found)
    return judged


def _aligned_too(mode: Mode, one: Question, judged: Judged) -> tuple[Question, Judged]:
    """Ask once more with all terms adding up, where a constant factor may hide in a random sum."""
    if mode.examination.is_over_budget():
        return one, judged
    aligned = mode.ask_aligned(one)
    again, found = _judge_part(mode, one.part, [aligned])[0]
    return (again, found) if found.verdict is Verdict.FAIL else (one, judged)


# a leaf without entries has no derivative to be wrong about
_NOTHING = Judged(NOTHING, Reading(Estimate(0.0, 0.0), 0.0, 0.0), resolution=0.0)


def _judge_part(mode: Mode, part: int, questions: list[Question]) -> list[tuple[Question, Judged]]:
    """Judge every output against one input leaf that moves alone."""
    examination = mode.examination
    whole: list[Question] = []
    functionals: list[Functional] = []
    for one in questions:
        if one.holes is None:
            whole.append(one)
            functionals.append(one.functional)
    found: dict[int, Reading] = {}
    if whole:
        line = examination.line(part, whole[0].direction)
        step = first_step(examination, part, whole)
        readings = quick(line, functionals, step) or []
        read = list(zip(whole, readings, strict=False))
        factor = another_step(examination, read)
        if factor is not None:
            readings = quick(line, functionals, step * factor) or readings
        found = dict(zip(map(id, whole), readings, strict=False))
    judged = []
    for one in questions:
        judged.append(_judge(mode, one, found.get(id(one))))
    return judged


def _judge(mode: Mode, one: Question, reading: Reading | None) -> tuple[Question, Judged]:
    """Judge one question; the answer's question is another one where that could tell more."""
    if not one.weights.shape[0]:
        return one, _NOTHING
    if reading is not None and one.yardstick.is_fine(reading):
        return one, within(one, reading, is_fine=True)
    if one.is_aligned and reading and one.yardstick.is_beyond_blame(reading, one.claimed):
        return one, within(one, reading)  # asked to blame alone
    if mode.examination.only_glances:
        return one, Judged(UNKNOWN, reading)
    if mode.examination.steps(one.part).own is not None:
        return one, _mixed(mode, one)
    if mode.examination.forgives and isinstance(mode, ReverseMode):
        pairs = judge_coloured(mode, [one.part])  # cheaper than a closer look at their sum
        if pairs is not None:
            pair = pairs[one.output]
            return one, pair.judged(reading)
    weighed = None
    if reading is not None and mode.examination.forgives and one.yardstick.is_comfortable(reading):
        weighed = weigh(mode, one, reading)
        if weighed.resolution is not None:
            return one, acquitted(one, reading, weighed)
    closer = look(mode, one)
    if closer.verdict is Verdict.INCONCLUSIVE and not one.is_aligned and one.yardstick.terms:
        aligned = mode.ask_aligned(one)
        summed = look(mode, aligned)
        if summed.verdict is not Verdict.INCONCLUSIVE:
            one, closer = aligned, summed
    if closer.verdict is Verdict.FAIL:
        closer = _fail_only_if_an_entry_is_wrong(mode, one, _confirmed(mode, one, closer))
        closer = beyond_bends(mode, one, closer, mode.examination.steps(one.part))
    # a path can only acquit: an aligned question that cannot tell was asked to blame
    is_unclear = closer.verdict is Verdict.INCONCLUSIVE and not one.is_aligned
    if closer.verdict is Verdict.FAIL or is_unclear:
        closer = along_path(mode, one, closer)
    if closer.verdict is Verdict.FAIL and (mode.examination.forgives or closer.is_at_kink):
        concluded = _concluded(mode, one, closer)
        return one, held_by_entries(mode, one, concluded, weighed, is_kink=closer.is_at_kink)
    return one, _concluded(mode, one, closer)


def _concluded(mode: Mode, one: Question, closer: Judged) -> Judged:
    """Return what a closer look comes to; small pairs that it cannot tell are asked entry-wise."""
    if (
        closer.verdict is Verdict.INCONCLUSIVE
        and not one.is_aligned  # asked to blame alone
        and one.yardstick.roundoff <= COARSE
        and is_small(one)
        and closer.evidence.rule != "trend"  # jumps are everyone's
        and not mode.examination.is_over_budget()
        and not is_isolated(mode.examination, one)
    ):
        pair = compare_pair(mode, one.part, one.output)
        if pair.verdict is Verdict.PASS:  # entries can be told where their sum cannot
            return pair.judged(closer.reading)
    resolution, is_wrong = None, closer.verdict is Verdict.FAIL
    if closer.reading is not None and not (is_wrong or closer.is_at_kink):  # which promise nothing
        resolution = one.yardstick.resolution(closer.reading)
    return replace(closer, resolution=resolution)


def _mixed(mode: Mode, one: Question) -> Judged:
    """Judge a leaf that mixes units entry by entry: moved together they tear the function apart."""
    if not is_small(one):
        return Judged(UNKNOWN, None, notes=(slopes.MIXED_SIZES(),))
    pair = compare_pair(mode, one.part, one.output)
    located = located_in(pair) if pair.verdict is Verdict.FAIL else None
    return replace(pair.judged(), located=located)


def _confirmed(mode: Mode, first: Question, closer: Judged) -> Judged:
    """Ask second, independent directions; FAIL stands only if they fail too.

    They acquit only with bars in which what the first was off by would have shown. One along which
    the function turns out to be computed inexactly judges, by its trend, what is off by little.
    """
    others, could_tell = [], True
    assert closer.reading is not None
    off = abs(closer.reading.residual.value)
    examination, (part, output) = mode.examination, (first.part, first.output)
    for attempt in range(2):
        if examination.is_over_budget():
            break
        weights = examination.directions.draw(examination.problem.codomain.parts[output])
        fresh = mode.ask(part, output, weights, examination.other_direction(part, attempt))
        fresh = _sharpened(mode.ask_aligned(fresh) if first.is_aligned else fresh, off)
        again = look(mode, fresh, is_smooth=closer.is_smooth)
        if again.evidence.rule == "trend" and first.yardstick.is_slight(closer.reading):
            # computed inexactly, though along the first direction it jumps nowhere
            both = closer.evidence, again.evidence.parts[1]
            return replace(again, evidence=Evidence("trend", {}, both))
        others.append(again)
        if again.reading is not None:
            could_tell = could_tell and fresh.yardstick.limit(again.reading) <= off
        if again.verdict is Verdict.FAIL:
            break
    parts = closer.evidence, *(one.evidence for one in others)
    facts = {"could_tell": float(could_tell)}
    confirmed = replace(closer, evidence=Evidence("independent", facts, parts))
    if confirmed.verdict is Verdict.FAIL:
        return beyond_rounding(mode, first, confirmed)
    if confirmed.verdict is Verdict.PASS:
        return replace(others[0], evidence=confirmed.evidence)
    return replace(confirmed, notes=(slopes.NOT_CONFIRMED(),))


def _sharpened(one: Question, off: float) -> Question:
    """Return the question with no bar called comfortable in which so much would not show."""
    yardstick, size = one.yardstick, max(one.yardstick.terms, abs(one.claimed))
    if not size:
        return one
    share = min(yardstick.tolerance.comfortable, off / (2 * KAPPA * size))
    tolerance = replace(yardstick.tolerance, comfortable=share)
    return replace(one, yardstick=replace(yardstick, tolerance=tolerance))


def _fail_only_if_an_entry_is_wrong(mode: Mode, one: Question, closer: Judged) -> Judged:
    """Let residuals that are all slight stand only if some entry is wrong."""
    examination = mode.examination
    if closer.verdict is not Verdict.FAIL or examination.forgives or closer.reading is None:
        return closer
    if not are_slight(examination, one, closer.evidence):
        return closer
    by_entries = forgiven(closer.evidence, is_right=not has_wrong_entry(mode, one))
    closer = replace(closer, evidence=by_entries)
    return closer if closer.verdict is Verdict.FAIL else replace(closer, notes=(slopes.SLIGHT(),))
