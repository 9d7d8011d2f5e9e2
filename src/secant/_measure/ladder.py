"""A ladder of steps, walked both ways when the first stencil does not settle a claim.

No step suits every function: kinks and curvature want shorter ones, hidden noise longer ones. The
rung that speaks is chosen by the measurement's own stability, never by agreement with the claim.
With E_k the value extrapolated from rungs k and k+1, s_k their spread and a_k = s_k t_k the noise
that spread would be (round-off in F is the same at every step, so a_k is constant where noise
rules), rung k's bar is

    4 max(s_k, rms of nearby a / t_k)  +  max over shorter rungs j of (|E_k − E_j| − noise of j).

The first part pools rungs, because two numbers may agree by luck; the second refuses a long step
that is steady about something else: sin(100 x) sampled once a period, a product that has died out.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from .._backends.base import Array, Backend
from .._constants import (
    ROUNDS_INSIDE,
    RUNGS,
    SEVERAL,
    SPREADS,
)
from .clear_sides import read_from_clear_sides
from .difference import Functional, Reading
from .estimate import Estimate
from .line import Line, Rung
from .noise import modelled
from .rungs import ContractedRung, Pair, extrapolated, finer_spread, height_of, stand_of
from .steps import Range, StepWalk, ladder_factor
from .stillness import grain_of, is_no_rounding, reading_of_still, still_as_far_as


def climb(
    line: Line, functional: Functional, steps: Range, is_enough: Callable[[Reading], bool]
) -> Reading | None:
    """Return the reading of the steadiest rung, two-sided or else one-sided; None if none exists.

    A one-sided rung must stand out: the border may lie nearer than the shortest step.
    The walk ends early once a bar is narrow enough to judge by.
    """
    for sample in line.samples:
        reading = _walk(line, functional, sample, steps, is_enough)
        if reading is not None and (sample == line.rung or is_resolved(reading)):
            return reading
        if sample == line.rung and line.is_defined(functional.output, steps.shortest):
            return None  # the function ends on neither side: one alone tells no more
    return None


def _walk(
    line: Line,
    functional: Functional,
    sample: Callable[[float], Rung | None],
    steps: Range,
    is_enough: Callable[[Reading], bool],
) -> Reading | None:
    walk = StepWalk(steps, ladder_factor(max(functional.roundoff, line.roundoff)))
    ladder = _Ladder(line.backend, functional)
    has_few = functional.weights.shape[0] < SEVERAL
    refused = 0
    while (step := walk.next(ladder.calmest())) is not None:
        rung = sample(step)
        if rung is None or not ladder.takes(rung):
            refused += rung is not None and not ladder.stands
            if refused == RUNGS and ladder.is_elsewhere(sample(steps.shortest)):
                return None  # it is another function right beside the point: it jumps there
            continue
        if len(ladder.stands) == 1 and ladder.stands[0].is_silent:
            still = still_as_far_as(line.backend, functional, walk, sample)
            if still is not None:
                return still
            if functional.reach and ladder.takes_silent(sample(steps.shortest)):
                walk.leave_out_shorter()
        if len(ladder.stands) > RUNGS and ladder.has_moved():
            best = ladder.steadiest()
            # with few outputs a spread is a matter of luck, and rungs must make up for it
            is_luck = has_few and len(ladder.stands) <= 2 * RUNGS
            is_settled = _is_overwhelming if is_luck else is_enough
            if best is not None and best.slope and is_settled(best):
                return best
    grain = grain_of(line.backend, functional, ladder.stands, sample, ladder.highest)
    return ladder.steadiest(grain) if grain else ladder.steadiest()


def _is_overwhelming(reading: Reading) -> bool:
    """Say whether what was subtracted is so far off that no better bar would change anything."""
    is_resolved = 100 * SPREADS * reading.residual.error <= reading.slope
    return is_resolved and abs(reading.residual.value) > 1e4 * reading.residual.error


class _Ladder:
    """The rungs sampled so far, as one functional sees them."""

    def __init__(self, backend: Backend, functional: Functional) -> None:
        self.backend = backend
        self.functional = functional
        self.stands: list[ContractedRung] = []  # shortest step first
        self.highest = 0.0  # move that was seen, also where the function is another one
        self._compared: dict[tuple[float, float], Pair] = {}

    def takes(self, rung: Rung) -> bool:
        """Take a rung, unless a value is not finite there or the function is another one."""
        stand = stand_of(self.backend, self.functional, rung)
        if not math.isfinite(stand.residual):
            return False
        self.highest = max(self.highest, stand.height)
        if self.is_elsewhere(rung):
            return False
        self.stands.append(stand)
        self.stands.sort(key=lambda one: one.step)
        return True

    def takes_silent(self, rung: Rung | None) -> bool:
        """Take a rung if nothing moves there: what stands still at two steps does so between."""
        output, weights = self.functional.output, self.functional.weights
        if rung is None or height_of(self.backend, output, rung, weights) != 0:
            return False
        return self.takes(rung)

    def is_elsewhere(self, rung: Rung | None) -> bool:
        """Say whether the step is so long that the function is another one there.

        The part of F that bends the same way on both sides exceeds the value at the point and the
        difference together: a product that has died out, x² far from its tiny x.
        """
        functional, size = self.functional, self.backend.norm_of_product
        if rung is None or rung.bends is None or not functional.base:
            return False
        bend = size(rung.bends[functional.output], functional.weights)
        moved = size(rung.differences[functional.output], functional.weights)
        return bend > functional.base + moved

    def steadiest(self, grain: float = 0.0) -> Reading | None:
        """Return the reading with the narrowest bar.

        Below the quantum of a function that rounds inside (`x.float().sin().double()`) nothing
        moves. Where outputs first move by what a rounding may be, or as soon as rounded inputs do,
        rungs where none moved are not heard. Else it may be a staircase; the bar covers both.

        Numbers that are rounded by a grain inside are so wherever they are, by as large a share:
        at steps that are powers of two of one another even by the very same.
        """
        moving = [one for one in self.stands if not one.is_silent]
        best = self._narrowest(moving)
        if len(moving) == len(self.stands):
            return best
        if grain and best is not None:
            share = min(grain / (self.functional.largest() or grain), 1.0)
            hidden = grain * self.backend.norm(self.functional.weights) / best.step
            error = max(best.residual.error, best.slope * share, hidden)
            is_stairs = share > ROUNDS_INSIDE
            return replace(best, residual=replace(best.residual, error=error), is_stairs=is_stairs)
        is_heard = best is not None and is_resolved(best)
        stillness = max(one.step for one in self.stands if one.is_silent)
        if moving and stillness <= ROUNDS_INSIDE * self.functional.reach:
            return best  # outputs stand still no further than rounded inputs do
        if is_heard and moving[0].height <= ROUNDS_INSIDE * self.functional.largest():
            return best
        still = self._narrowest(self.stands)
        if still is None:
            return None
        if still.slope:
            return still
        if moving and is_no_rounding(self.backend, self.functional, moving[0]):
            flat = [one for one in self.stands if one.step < moving[0].step]
            if not flat:
                return still
            # flat here, whatever lies further away: as far as it is seen to be
            return reading_of_still(self.functional, flat[-1].residual, flat[-1].step)
        for pair in self._pairs(moving):
            apart = abs(pair.value - still.residual.value) + SPREADS * pair.spread
            if SPREADS * pair.spread <= pair.slope and apart > still.residual.error:
                still = Reading(Estimate(still.residual.value, apart), pair.slope, still.step)
        return still

    def has_moved(self) -> bool:
        """Say whether any output moved on any rung: before, no rung can speak."""
        return not all(one.is_silent for one in self.stands)

    def calmest(self) -> float | None:
        """Return the step from which slopes change least: there, better ones may lie beyond."""
        pairs = self._pairs([one for one in self.stands if not one.is_silent])
        return min(pairs, key=lambda pair: pair.spread).step if len(pairs) > 1 else None

    def _narrowest(self, stands: Sequence[ContractedRung]) -> Reading | None:
        if len(stands) < RUNGS:
            return None
        functional, pairs = self.functional, self._pairs(stands)
        if grain := self._finest_move():
            pairs = [replace(pair, floor=max(pair.floor, grain / pair.step)) for pair in pairs]
        explained = _explained(pairs)
        best: Reading | None = None
        least = math.inf  # neither pooling nor doubt makes a bar narrower
        for place, pair in enumerate(pairs):
            if pair.slopes is None and SPREADS * pair.spread >= least:
                continue
            error = _own_bar(self.backend, pairs, place) + _doubt(pairs, place, explained)
            if best is None or error < least:
                best = Reading(Estimate(pair.value, error), pair.slope, pair.step)
                least = error
        if best is None or is_resolved(best):
            return best  # none where every rung overflows
        # Nothing stands out from the spread. A function that oscillates or saturates within one
        # step looks like noise and means a slope, which shorter steps see more of, not less. If
        # even the shortest sees more than round-off, and no less than the next, any slope is
        # possible; if not, cover the steepest that a rung no longer than this one saw above it.
        murmur = modelled(functional.roundoff, functional.ambient(self.backend), 1.0)
        heard = [pair.slope - pair.floor - murmur / pair.step for pair in pairs]
        steepest = max(
            one for one, pair in zip(heard, pairs, strict=True) if pair.step <= best.step
        )
        error = max(best.residual.error, SPREADS * steepest)
        if heard[0] > pairs[0].floor + murmur / pairs[0].step and not _fall(pairs):
            error = math.inf
        return Reading(Estimate(best.residual.value, error), best.slope, best.step)

    def _finest_move(self) -> float:
        """Return by what outputs first move that each stood still at a shorter step; 0 for none."""
        moves = [0.0]
        for near, far in itertools.pairwise(self.stands):
            if near.step > ROUNDS_INSIDE * self.functional.reach:
                break  # what stands still so far away may be flat
            moved = self.backend.unmade(_first_moves, near.slopes, far.slopes)
            moves.append(2 * far.step * self.backend.norm(moved))
        return max(moves)

    def _pairs(self, stands: Sequence[ContractedRung]) -> list[Pair]:
        """Return neighbouring rungs, extrapolated; each two are compared only once."""
        pairs = []
        for near, far in itertools.pairwise(stands):
            known = self._compared.get((near.step, far.step))
            if known is None:
                both = read_from_clear_sides(self.backend, self.functional, near, far)
                known = extrapolated(self.backend, self.functional, *both)
                self._compared[near.step, far.step] = known
            pairs.append(known)
        return pairs


def _first_moves(near: Array, far: Array) -> Array:
    return (near == 0) * far


def is_resolved(reading: Reading) -> bool:
    """Say whether the slopes stand out from the bar as from any spread, or nothing moved."""
    return reading.slope == 0 or SPREADS * reading.residual.error <= reading.slope


def _fall(pairs: Sequence[Pair]) -> bool:
    """Say whether slopes fall all the way to the shortest step, as those of curvature alone do."""
    first = pairs[:RUNGS]
    return all(
        near.slope <= (near.step / far.step) ** 0.5 * far.slope
        for near, far in itertools.pairwise(first)
    )


def _own_bar(backend: Backend, pairs: Sequence[Pair], place: int) -> float:
    """Return the bar of one rung but for its doubt; the formula is in the module's docstring."""
    pair = pairs[place]
    if pair.slopes is not None:
        spread = finer_spread(backend, pairs, place)
    else:
        first = max(0, min(place - RUNGS + 1, len(pairs) - RUNGS))
        pool = pairs[first : first + RUNGS]
        noise = math.hypot(*(one.noise for one in pool)) / math.sqrt(len(pool))
        spread = max(pair.spread, noise / pair.step)
    return max(SPREADS * spread, pair.floor)


def _explained(pairs: Sequence[Pair]) -> list[float]:
    """Return how far each rung may be off by the noise that it and shorter ones have shown."""
    loudest = itertools.accumulate((pair.noise for pair in pairs), max)
    both = zip(pairs, loudest, strict=True)
    return [max(SPREADS * noise / pair.step, pair.floor) for pair, noise in both]


def _doubt(pairs: Sequence[Pair], place: int, explained: Sequence[float]) -> float:
    """Return by how much a rung contradicts a shorter one beyond what noise explains there."""
    value = pairs[place].value
    return max([abs(value - pairs[k].value) - explained[k] for k in range(place)] + [0.0])
