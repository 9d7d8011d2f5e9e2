"""A wrong sparsity pattern, named: entries that are not stored, or stored where nothing moves.

It takes a finding about a Jacobian that was given as a sparse matrix, and looks up whether what is
wrong is what the pattern leaves out. Nothing is measured here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..._claims.rules import WholeRule
from ..._claims.whole import GivenBlock
from ..._findings import Finding, Verdict
from ..._problem.problem import Problem
from ..._words.places import SPARSITY_PATTERN
from ..._words.reason import Reason
from ..full.suspects import FullPair

_BARS = 3.0
_SAME = 1e-6  # the share by which a value that was only put elsewhere may differ


class _Wrong(NamedTuple):
    """The wrong entries that are known, one row of numbers each."""

    rows: Any
    columns: Any
    claimed: Any
    measured: Any
    error: Any


def name_pattern(
    rule: WholeRule, problem: Problem, pairs: list[FullPair], finding: Finding
) -> Finding:
    """Return the finding with the pattern as its cause, where that explains every wrong entry."""
    output, part = finding.output, finding.input
    if finding.verdict is not Verdict.FAIL or output is None or part is None:
        return finding
    block = rule.whole(problem)[output][part]
    if block is None or not block.is_sparse:
        return finding
    wrong = _from_pair(pairs, finding) or _from_entries(finding)
    reason = None if wrong is None else _pattern(block, wrong, problem, finding)
    if reason is None:
        return finding
    what, *why = finding.reasons  # why the same values stand elsewhere is still of interest
    kept = why if reason.fields["is_explained"] else ()
    return replace(finding, reasons=(what, reason, *kept), place=None)


def _pattern(block: GivenBlock, wrong: _Wrong, problem: Problem, finding: Finding) -> Reason | None:
    stored = block.stored(wrong.rows, wrong.columns)
    size = np.abs(wrong.measured).max(initial=0.0)
    moves = np.abs(wrong.measured) > _BARS * wrong.error + _SAME * size
    missing, idle = ~stored & moves, stored & ~moves
    if not missing.any() or not (missing | idle).all():
        return None
    first = int(np.flatnonzero(missing)[0])
    assert finding.output is not None
    assert finding.input is not None
    place = (
        f"∂{problem.codomain.label(finding.output, int(wrong.rows[first]))} / "
        f"∂{problem.domain.label(finding.input, int(wrong.columns[first]))}"
    )
    count = int(idle.sum())
    are_same = bool(count) and _are_the_same(wrong.claimed[idle], wrong.measured[missing], size)
    return SPARSITY_PATTERN(
        missing=int(missing.sum()),
        idle=count,
        are_same=are_same,
        is_part=finding.wrong != len(stored),
        is_explained=are_same and finding.cause is not None,
        place=place,
    )


def _are_the_same(one: Any, other: Any, size: float) -> bool:
    if len(one) != len(other):
        return False
    return bool((np.abs(np.sort(one) - np.sort(other)) <= _SAME * size).all())


def _from_pair(pairs: list[FullPair], finding: Finding) -> _Wrong | None:
    """Return the wrong entries of a Jacobian that was compared whole."""
    pair = next((p for p in pairs if (p.output, p.part) == (finding.output, finding.input)), None)
    if pair is None or pair.measured is None or pair.error is None:
        return None
    size = np.abs(pair.measured).max(initial=0.0)
    apart = np.abs(pair.claimed - pair.measured)
    rows, columns = np.nonzero(apart > _BARS * pair.error + _SAME * size)
    if not rows.size:
        return None
    return _Wrong(
        rows,
        columns,
        pair.claimed[rows, columns],
        pair.measured[rows, columns],
        pair.error[rows, columns],
    )


def _from_entries(finding: Finding) -> _Wrong | None:
    """Return the wrong entries that were found one by one."""
    if not finding.entries or any(one.row is None for one in finding.entries):
        return None
    return _Wrong(
        np.array([one.row for one in finding.entries]),
        np.array([one.column for one in finding.entries]),
        np.array([one.claimed for one in finding.entries]),
        np.array([one.measured.value for one in finding.entries]),
        np.array([one.measured.error for one in finding.entries]),
    )
