"""Every entry of a leaf's Jacobians, measured column by column, suspects looked at unbatched."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from ..._constants import (
    COVERAGE,
    KAPPA,
    LEAST_WEIGHT,
    MEANINGFUL,
)
from ..._findings import Verdict
from ..._judge.judge import held, verdict_of
from ..._judge.yardstick import negligible
from ..._measure.noise import expected_bar
from ..._measure.stillness import still_nearby
from ..._words import slopes
from ..asking.columns import Columns, Matrix, measured_columns
from ..asking.question import Mode
from ..base import Examination
from ..closer.look import look_closer
from ..closer.rounding import beyond_rounding
from .kinked import lies_between_slopes, persists
from .mixtures import mixed
from .suspects import FullPair, Suspect, settle
from .ties import examine_ties


def judge_leaf(
    mode: Mode,
    part: int,
    claimed: Sequence[Matrix],
    mixes: Sequence[Matrix | None],
    *,
    is_kept: bool,
) -> list[FullPair]:
    """Judge all entries of all outputs' Jacobians with respect to one leaf.

    Once more where the function turns out not to repeat itself: that belongs into every bar.
    """
    examination, was_restless = mode.examination, mode.examination.is_restless()
    pairs = [
        _open_pair(examination, output, part, matrix, mixes[output], is_kept=is_kept)
        for output, matrix in enumerate(claimed)
    ]
    suspects: list[list[Suspect]] = [[] for _ in pairs]
    for chunk in measured_columns(examination, part, mode.batching):
        for pair, found in zip(pairs, suspects, strict=True):
            if pair.total:
                found += first_sight(examination, pair, mixed(chunk, pair.output, pair.mix))
    blamed = None
    for pair, found in zip(pairs, suspects, strict=True):
        if found:
            blamed = settle(mode, pair, found, blamed)
        if not pair.has_moved and pair.total:
            examine_stillness(mode, pair)
        if pair.kinked:
            examine_ties(mode, pair)
        say_what_hides(pair)
    if examination.is_restless() and not was_restless:
        return judge_leaf(mode, part, claimed, mixes, is_kept=is_kept)
    return pairs


def examine_stillness(mode: Mode, pair: FullPair) -> None:
    """Ask about a pair of which nothing has moved as far away as makes sense: zero is seen there.

    How finely outputs are grained is unknown until something has moved.
    """
    examination = mode.examination
    if pair.verdict is not Verdict.PASS or pair.has_holes:
        return
    weights = examination.directions.draw(examination.problem.codomain.parts[pair.output])
    direction = examination.other_direction(pair.part, 0)
    one = mode.ask(pair.part, pair.output, weights, direction)
    line = examination.line(pair.part, one.direction)
    if one.yardstick.claims_nothing:
        near = still_nearby(line, one.functional, examination.steps(pair.part))
        if near is not None and verdict_of(one.yardstick, near) is Verdict.PASS:
            pair.looked.append(held(one.yardstick, near))
            return
    closer = look_closer(examination, pair.part, line, one.functional, one.yardstick)
    if closer.verdict is Verdict.FAIL:
        closer = beyond_rounding(mode, one, closer)
    pair.looked.append(closer.evidence)
    if closer.verdict is not Verdict.PASS:
        pair.notes += closer.notes or (slopes.FURTHER_AWAY(),)


def say_what_hides(pair: FullPair) -> None:
    """Say that a promise is coarser than a tenth of the gradient's size, which is no PASS."""
    is_coarse = pair.coarseness > MEANINGFUL and not pair.is_forgiven
    if is_coarse and pair.verdict is not Verdict.FAIL:
        pair.notes.append(slopes.COULD_HIDE(share=pair.coarseness))


def compare_pair(mode: Mode, part: int, output: int) -> FullPair:
    """Judge all entries of one pair of leaves."""
    nothing = np.zeros((0, 0))
    matrix = mode.claimed(output)[part]
    outputs = range(len(mode.examination.problem.codomain.parts))
    claimed = [matrix if k == output else nothing for k in outputs]
    return judge_leaf(mode, part, claimed, [None] * len(outputs), is_kept=True)[output]


def _open_pair(
    examination: Examination,
    output: int,
    part: int,
    claimed: Matrix,
    mix: Matrix | None,
    *,
    is_kept: bool,
) -> FullPair:
    total = claimed.size if mix is None else mix.shape[1] * claimed.shape[1]
    pair = FullPair(output, part, claimed, total=total, mix=mix, is_forgiven=examination.forgives)
    extremes = claimed.max(initial=0.0), claimed.min(initial=0.0)  # no copy, unlike abs
    pair.has_holes = not np.isfinite(extremes).all()
    if is_kept and mix is None:
        pair.measured = np.full(claimed.shape, np.nan)
        pair.error = np.full(claimed.shape, np.inf)
    return pair


def first_sight(examination: Examination, pair: FullPair, chunk: Columns) -> list[Suspect]:
    """Compare one chunk of columns with the claim; return what needs a closer look."""
    output, places = pair.output, chunk.places
    tolerance = pair.tolerance = examination.tolerance(pair.part, output)
    claimed = pair.claimed[:, places].T  # (columns, outputs), like the measured chunk
    measured, error = chunk.measured[output], chunk.error[output]
    nominal, is_still = _nominal(examination, pair, chunk), _is_still(chunk, output)
    least = _rounding(examination.roundoff(pair.part, output), nominal, is_still)
    np.maximum(error, least, out=error)
    if pair.measured is not None and pair.error is not None:
        pair.measured[:, places] = measured.T
        pair.error[:, places] = error.T
        pair.longer.update(dict.fromkeys(places, chunk.longer))
    residual = np.abs(claimed - measured)
    forgiven = tolerance.rtol * np.abs(claimed) + tolerance.atol
    allowed = error + forgiven
    pair.has_moved = pair.has_moved or not is_still.all()
    row_sizes = partial(_row_sizes, examination, pair, chunk, nominal, least)
    with np.errstate(invalid="ignore"):
        sizes = row_sizes(np.ones(measured.shape, dtype=bool))
        is_fine = _is_narrow(examination, pair, chunk, nominal, sizes)
        is_fine |= is_still & (np.abs(claimed) <= least)
        is_fine &= residual <= allowed
    if not is_fine.all():
        sizes = row_sizes(is_fine)
    _promise(pair, chunk, forgiven, is_fine, sizes)
    if pair.has_holes:
        is_fine |= ~np.isfinite(claimed)  # asked about by themselves
    if is_fine.all():
        return []
    is_kink, is_excused = lies_between_slopes(claimed, chunk, output, tolerance)
    if is_kink[~is_fine].any():
        is_there = persists(examination, pair, chunk, is_kink)
        is_kink, is_excused = is_kink & is_there, is_excused & is_there
    pair.kinked.update(places[k] for k in np.flatnonzero(is_kink.any(axis=1)))
    if is_excused[~is_fine].any():
        pair.notes.append(slopes.ENTRIES_ON_KINK())
    rows, cols = np.nonzero(~is_fine & ~is_excused)
    suspects, expected = [], chunk.standing_out(output)
    for k, j in zip(rows.tolist(), cols.tolist(), strict=True):
        ratio = residual[k, j] / max(allowed[k, j], np.finfo(float).tiny)
        severity = float(ratio) if np.isfinite(ratio) else np.inf
        entry = float(claimed[k, j]), float(measured[k, j]), float(error[k, j])
        size = float(expected[k, j])
        suspects.append(Suspect(j, places[k], float(residual[k, j]), severity, entry, size))
    return suspects


def _is_still(chunk: Columns, output: int) -> np.ndarray:
    still: np.ndarray = (chunk.right[output] == 0) & (chunk.left[output] == 0)
    return still


def _promise(
    pair: FullPair,
    chunk: Columns,
    forgiven: Matrix,
    is_fine: np.ndarray,
    sizes: np.ndarray,
) -> None:
    """Widen the pair's resolution to what this chunk can promise; every entry has weight 1.

    Entries that need a closer look make their promise there.
    """
    error = chunk.error[pair.output]
    weight = 1.0 if pair.mix is None else LEAST_WEIGHT**0.5
    widest = ((KAPPA + 1) * error + forgiven) / weight
    widest = np.where(is_fine, widest, 0.0)
    promise = float(widest.max(initial=0.0))
    shares = np.where(sizes > 0, widest, 0.0) / np.where(sizes > 0, sizes, 1.0)
    pair.coarseness = max(pair.coarseness, float(shares.max(initial=0.0)))
    if pair.resolution is not None:
        pair.resolution = max(pair.resolution, promise) if np.isfinite(promise) else None


def _row_sizes(
    examination: Examination,
    pair: FullPair,
    chunk: Columns,
    nominal: np.ndarray,
    rounding: Matrix,
    is_fine: np.ndarray,
) -> np.ndarray:
    """Return the gradient's size, row by row, in units of each entry's own column; 0 for none.

    An output that hardly moves is taken for one that moves by the same share of its value as the
    others do.
    """
    measured, size = chunk.measured[pair.output], chunk.size[pair.output]
    is_seen = np.abs(measured) > chunk.error[pair.output]
    size = np.where(is_seen.any(axis=0), size, 0.0)  # a row of zeros has no size
    shown = np.where(is_fine & (size > 0), measured, 0.0) / np.where(size > 0, size, 1.0)
    size = size * np.maximum(np.sqrt(np.sum(shown**2, axis=0)), 1.0)
    whole = np.linalg.norm(nominal, axis=1, keepdims=True)
    share = np.linalg.norm(size, axis=1, keepdims=True) / np.where(whole > 0, whole, 1.0)
    sizes: np.ndarray = np.maximum(size, nominal * share)
    least = negligible(examination.roundoff(pair.part, pair.output)) * nominal
    least = np.maximum(least, rounding)
    return np.where(sizes > least, sizes, 0.0)  # what is less is zero, but for rounding


def _is_narrow(
    examination: Examination,
    pair: FullPair,
    chunk: Columns,
    expected: np.ndarray,
    sizes: Matrix,
) -> np.ndarray:
    """Say where a bar is a small part of what an entry can be expected to be."""
    tolerance = examination.tolerance(pair.part, pair.output)
    size = np.maximum(sizes, np.abs(chunk.measured[pair.output]))
    # as for a yardstick: a gradient that is zero has only F/X to be compared with
    roundoff = examination.roundoff(pair.part, pair.output)
    is_nothing = size <= negligible(roundoff) * expected
    nominal = COVERAGE * expected_bar(roundoff) * expected * is_nothing
    forgiven = tolerance.rtol * size + tolerance.atol
    width = np.maximum(np.maximum(tolerance.comfortable * size, nominal), forgiven / 4)
    narrow: np.ndarray = chunk.error[pair.output] <= width
    return narrow


def _rounding(roundoff: float, nominal: np.ndarray, is_still: np.ndarray) -> Matrix:
    """Return what rounding may leave of claims about outputs that are 0 and never move.

    They have no size but that of the outputs beside them, and are 0 but for the rounding of those.
    """
    largest = nominal.max(axis=1, keepdims=True, initial=0.0)
    is_zero = (nominal <= roundoff * largest) & is_still.all(axis=0)
    left: Matrix = is_zero * negligible(roundoff) * largest
    return left


def _nominal(examination: Examination, pair: FullPair, chunk: Columns) -> np.ndarray:
    """Return F/X, outputs by the size of the leaf: what a gradient of zero is compared with.

    Where a leaf mixes units each column has a size of its own.
    """
    backend, steps = examination.backend, examination.steps(pair.part)
    base = np.abs(backend.to_numpy(examination.trace.vectors[pair.output]))[None, :]
    if pair.mix is not None:
        base = np.sqrt(base**2 @ pair.mix.T**2)
    if steps.own is None:
        return np.asarray(base / steps.longest)
    nominal: np.ndarray = base / backend.to_numpy(steps.own)[list(chunk.places), None]
    return nominal
