"""The full probe: every entry of every Jacobian, in the cheapest way that hides none.

Block by block where the claim is diagonal along axes, which leaves few pulls (`coloured.py`); all
columns at once where it is known whole and sums of them confirm it (`sums.py`); column by column
else (`pair.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..asking.question import Mode
from ..asking.reverse import ReverseMode
from .blocks import Finder, all_axes, any_axes, find_blocks, some_axes
from .coloured import judge_blocks
from .mixtures import mixture
from .pair import judge_leaf
from .sums import judge_in_sums
from .suspects import FullPair

_FEW_ROWS = 256  # of all outputs, which are pulled at once for less than other blocks are found


def judge_everything(mode: Mode) -> list[FullPair]:
    """Judge every entry of every pair of leaves."""
    problem = mode.examination.problem
    parts = range(len(problem.domain.parts))
    are_few = problem.codomain.size <= _FEW_ROWS
    has_blocks, settled = _by_blocks(mode, parts, all_axes if are_few else any_axes)
    if len(settled) == len(parts):
        return [pair for part in parts for pair in settled[part]]
    mixes = [mixture(mode.examination, output) for output in range(len(problem.codomain.parts))]
    claimed = [
        mode.claimed(output) if mix is None else mode.claimed_mix(output, mix)
        for output, mix in enumerate(mixes)
    ]
    settled = judge_in_sums(mode, claimed, mixes)
    left = [part for part in parts if part not in settled]
    if left and are_few and not has_blocks:
        settled |= _by_blocks(mode, left, some_axes)[1]
    entries = sum(matrix.size for row in claimed for matrix in row)
    is_kept = 3 * 8 * entries <= mode.examination.settings.memory
    pairs: list[FullPair] = []
    for part in parts:
        own = [row[part] for row in claimed]
        pairs += settled.get(part) or judge_leaf(mode, part, own, mixes, is_kept=is_kept)
    return pairs


def _by_blocks(
    mode: Mode, parts: Sequence[int], find: Finder
) -> tuple[bool, dict[int, list[FullPair]]]:
    """Say whether leaves have blocks, and return their pairs where all of these agree."""
    found = find_blocks(mode, parts, find) if isinstance(mode, ReverseMode) else None
    if found is None:
        return False, {}
    assert isinstance(mode, ReverseMode)
    settled: dict[int, list[FullPair]] = {}
    for pair in judge_blocks(mode, found) or ():
        settled.setdefault(pair.part, []).append(pair)
    return True, settled
