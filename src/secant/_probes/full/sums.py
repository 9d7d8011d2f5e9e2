"""All columns at once: a Jacobian that is claimed whole is held against random sums of its columns.

Moving every coordinate by a random share dᵢ of its own step shows of every output, for the price of
one column,

    F_j(x + d) − F_j(x − d) = 2 Σᵢ Jⱼᵢ dᵢ + O(d³),

and the claim says what that is. A wrong entry δ puts its output off by δ|dᵢ|, whatever the others
are. Several in one row can cancel in a sum: with dᵢ = ± uᵢ hᵢ, uᵢ between 1/2 and 3/2, that stays
within a bar b with a probability of at most b / δh for the largest of them, and within those of two
independent sums with the square of it. In double precision an entry that is off by more than is
forgiven is off by a thousand bars, so that two sums leave a chance of one in a million.

Outputs are read one by one, and what is noise in an output is so whichever coordinate moves: units
of rows and columns matter no more than to columns alone. Only agreement counts. Anything else, a
kink or a wide bar included, is left to the probe that measures column by column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..._constants import COVERAGE, FINE, KAPPA, LEAST_WEIGHT, SPREADS
from ..._findings import Verdict
from ..._judge.yardstick import negligible, screening_for
from ..._measure.noise import expected_bar, modelled
from ..._spaces.directions import Directions
from ..asking.columns import Matrix, pooled
from ..asking.question import Mode
from ..base import Examination
from .pair import examine_stillness, say_what_hides
from .suspects import FullPair

Claimed = Sequence[Sequence[Matrix]]  # by output and leaf
Mixes = Sequence[Matrix | None]


def judge_in_sums(mode: Mode, claimed: Claimed, mixes: Mixes) -> dict[int, list[FullPair]]:
    """Return the pairs, by leaf, of those leaves whose claims the sums of all columns confirm.

    All leaves move together first, then each by itself that others may have blurred.
    """
    examination = mode.examination
    domain, codomain = examination.problem.domain.parts, examination.problem.codomain.parts
    if examination.settings.pictures or any(one.roundoff > FINE for one in (*domain, *codomain)):
        return {}
    parts = [part for part, space in enumerate(domain) if space.size]
    drawn = examination.directions.aside()  # what is asked next is the same, whatever they say
    settled = _settled(mode, parts, drawn, claimed, mixes) if parts else {}
    for part in parts if len(parts) > 1 else ():
        if part not in settled:
            settled |= _settled(mode, [part], drawn, claimed, mixes)
    return settled


def _settled(
    mode: Mode, parts: Sequence[int], drawn: Directions, claimed: Claimed, mixes: Mixes
) -> dict[int, list[FullPair]]:
    first = Along(mode.examination, parts, drawn)
    sums = _confirmed(first, claimed, mixes) if first.take(1.0, 2.0) else None
    second = None if sums is None else _agreeing(first, sums, claimed, mixes)
    if sums is None or second is None:
        return {}
    settled = {}
    for part in parts:
        pairs: list[FullPair] = []
        for output, one in enumerate(sums):
            both, matrix = (first, second), claimed[output][part]
            pair = _judged(mode, both, part, output, one, matrix, mixes[output])
            if pair is None:
                break
            pairs.append(pair)
        else:
            settled[part] = pairs
    return settled


# -- the function, and its sums ------------------------------------------------------------------


class Along:
    """The function along a random direction of all coordinates, each moved by its own step."""

    def __init__(self, examination: Examination, parts: Sequence[int], drawn: Directions) -> None:
        self.examination = examination
        self.parts = parts
        self.drawn = drawn
        self.moved: dict[int, list[np.ndarray]] = {part: [] for part in parts}
        self.differences: list[list[np.ndarray]] = [[] for _ in examination.trace.vectors]
        directions = {}
        for part in parts:
            own = examination.steps(part).for_columns(examination.point(part), examination.backend)
            directions[part] = own * drawn.draw(examination.problem.domain.parts[part])
        self._line = examination.joint_line(directions, dict.fromkeys(parts, 1.0))
        self._moves = self._line.kept_moves(1.0)

    def take(self, *times: float) -> bool:
        """Take the differences between so many moves ahead and behind; say whether they exist."""
        backend = self.examination.backend
        for one in times:
            rung = self._line.between(one, self._line.pairs(self._moves, one))
            if rung is None:
                return False
            for part, moved in zip(self.parts, rung.displacements, strict=True):
                self.moved[part].append(backend.to_numpy(backend.whole(moved)))
            for taken, difference in zip(self.differences, rung.differences, strict=True):
                taken.append(backend.to_numpy(difference))
        return True

    def shown(self, output: int, mix: Matrix | None) -> Matrix:
        """Return the differences of an output, or of mixtures of its entries."""
        shown = np.stack(self.differences[output])
        return shown if mix is None else shown @ mix.T

    def residuals(self, output: int, claimed: Sequence[Matrix], mix: Matrix | None) -> Matrix:
        """Return the same, less what is claimed of them."""
        residuals = self.shown(output, mix)
        for part, moved in self.moved.items():
            residuals = residuals - np.stack(moved) @ claimed[part].T
        return residuals


@dataclass(frozen=True, slots=True)
class Sums:
    """The sums of all columns of one output, beside those that are claimed."""

    residual: np.ndarray  # by how much they are off
    bar: np.ndarray
    allowed: np.ndarray  # the bar, and what is forgiven
    is_still: np.ndarray  # entries that did not move at all
    base: np.ndarray  # the size of the outputs at the point


def _confirmed(along: Along, claimed: Claimed, mixes: Mixes) -> list[Sums] | None:
    """Return the sums of all outputs; None unless all of them agree with the claimed ones."""
    sums = []
    for output, matrices in enumerate(claimed):
        one = _held(along, output, matrices, mixes[output])
        if not (np.abs(one.residual) <= one.allowed).all():
            return None
        sums.append(one)
    return sums


def _held(along: Along, output: int, claimed: Sequence[Matrix], mix: Matrix | None) -> Sums:
    """Return the sums of one output, extrapolated, with bars like those of a column alone."""
    examination, parts = along.examination, along.parts
    base = np.abs(examination.backend.to_numpy(examination.trace.vectors[output]))
    base = base + examination.unrepeated(output)
    if mix is not None:
        base = np.sqrt(base**2 @ mix.T**2)
    shown = along.shown(output, mix)
    near, far = along.residuals(output, claimed, mix) / [[2], [4]]
    size = np.abs(shown[0]) / 2
    roundoff = max(examination.roundoff(part, output) for part in parts)
    reach = max(one.scale / one.first for one in map(examination.steps, parts))
    noise = modelled(roundoff, 1.0, 1.0) * (base + reach * size)
    spread = pooled(np.abs(near - far)[None], size[None])[0]
    bar = np.maximum(SPREADS * spread, np.maximum(noise, expected_bar(roundoff) * size))
    screening = screening_for(examination.settings, roundoff, examination.used)
    least = min(float(np.abs(moved[0]).min()) / 2 for moved in along.moved.values())
    allowed = bar + screening.rtol * size + screening.atol * least
    return Sums((4 * near - far) / 3, bar, allowed, np.logical_not(shown.any(axis=0)), base)


def _agreeing(first: Along, sums: Sequence[Sums], claimed: Claimed, mixes: Mixes) -> Along | None:
    """Return another direction whose sums agree as well, if need be by bars of their own."""
    examination, parts = first.examination, first.parts
    if sum(examination.problem.domain.parts[part].size for part in parts) == 1:
        return first  # of a single column nothing cancels
    second = Along(examination, parts, first.drawn)
    if not second.take(1.0):
        return None
    for output, one in enumerate(sums):
        (near,) = second.residuals(output, claimed[output], mixes[output])
        if not (np.abs(near) / 2 <= one.allowed).all():
            is_right = second.take(2.0) and _confirmed(second, claimed, mixes) is not None
            return second if is_right else None
    return second


# -- what they promise ---------------------------------------------------------------------------


def _judged(
    mode: Mode,
    both: tuple[Along, Along],
    part: int,
    output: int,
    sums: Sums,
    claimed: Matrix,
    mix: Matrix | None,
) -> FullPair | None:
    """Judge a pair whose sums agree by what would have shown in them; None unless that is enough.

    The size of a row is what its output changes by when the leaf changes by its own size. An entry
    shows in the sum by its own move.
    """
    examination = mode.examination
    tolerance, roundoff = examination.tolerance(part, output), examination.roundoff(part, output)
    total = claimed.size if mix is None else mix.shape[1] * claimed.shape[1]
    pair = FullPair(output, part, claimed, total=total, mix=mix, is_forgiven=examination.forgives)
    pair.tolerance, pair.in_sums = tolerance, True
    if not total:
        return pair
    steps, entries = examination.steps(part), np.abs(claimed)
    own = np.array([steps.scale]) if steps.own is None else examination.backend.to_numpy(steps.own)
    first, second = (np.abs(along.moved[part][0]) / 2 for along in both)
    moves = np.maximum(first, second)  # an entry shows where it moves further
    alone, beside = 1 / float(moves.min()), float((own / moves).max())
    rows, nominal = np.sqrt(np.sum((entries * own) ** 2, axis=1)), sums.base / steps.longest
    is_nothing = rows <= negligible(roundoff) * nominal * own.min()
    if is_nothing.all() and len(both[0].parts) > 1:
        return None  # whether it moves anything is seen where it moves alone
    is_zero = sums.is_still & (rows == 0)
    share = float(np.linalg.norm(rows)) / (float(np.linalg.norm(sums.base)) or 1.0)
    rows = np.maximum(rows, sums.base * share)  # that hardly moves, as its value lets expect
    forgiven = tolerance.rtol * rows + tolerance.atol * own.min()
    is_narrow = sums.bar * beside <= np.maximum(tolerance.comfortable * rows, forgiven / 4)
    is_narrow |= is_nothing & (sums.bar * alone <= COVERAGE * expected_bar(roundoff) * nominal)
    is_narrow |= is_zero
    if not is_narrow.all():
        return None
    weight = 1.0 if mix is None else LEAST_WEIGHT**0.5
    promise = (KAPPA + 1) * float(sums.bar.max()) * alone
    promise += tolerance.rtol * float(entries.max()) + tolerance.atol
    shares = (KAPPA + 1) * sums.bar * beside + tolerance.rtol * rows + tolerance.atol * own.max()
    shares = np.where(is_nothing, 0.0, shares) / np.where(is_nothing, 1.0, rows)
    pair.resolution, pair.coarseness = promise / weight, float(shares.max()) / weight
    pair.has_moved = not sums.is_still.all()
    if not pair.has_moved:
        examine_stillness(mode, pair)
    say_what_hides(pair)
    if pair.verdict is not Verdict.PASS:
        return None
    if mix is None and 3 * 8 * total <= examination.settings.memory:
        pair.whole = partial(_spread_out, claimed, both[0].moved[part][0] / 2, moves, own, sums)
    return pair


def _spread_out(
    claimed: Matrix, moved: np.ndarray, moves: np.ndarray, own: np.ndarray, sums: Sums
) -> tuple[Matrix, Matrix, Matrix]:
    """Return a Jacobian as claimed, as measured, and its bars.

    Sums of all columns measure the claim, but for the least that must be added to it to make up for
    what they are off by.
    """
    weights = moved / own**2
    weights /= np.dot(weights, moved)
    return claimed, claimed + np.outer(sums.residual, weights), np.outer(sums.bar, 1 / moves)
