"""Why a gradient that processes compute together is wrong: what they do too much, or not at all.

Each suspicion says what the claim would then be, as a derivative that can be measured: along other
directions, by other leaves, for other cotangents. One is named if it explains two independent
probes and the derivative itself explains none. Sums and factors show wherever the mistake is made;
misplaced blocks are recognised where a leaf or an output is what is gathered, cut or exchanged.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from .._backends.base import Array, Backend
from .._findings import SLOPES, Finding, Verdict
from .._report.model import Report
from .._words import remarks as words
from .._words.reason import Reason
from .blocks import Along, cut_otherwise, joined_otherwise, not_exchanged
from .company import Company
from .inquiry import Inquiry, Probe, contracted
from .joints import Joint

_MOST = 8  # leaves that are looked into: two of each rank, of four
_PROBES = 2
_APART = 8.0  # times as close as numbers must be, the claim must not be to the derivative


def with_causes(
    company: Company, backend: Backend, values: Sequence[Array], report: Report, seed: int
) -> Report:
    """Return the report with what processes do wrong, where that explains a failure."""
    failed = [
        one.input
        for one in report.findings
        if one.verdict is Verdict.FAIL and one.kind in SLOPES and one.input is not None
    ]
    leaves = list(dict.fromkeys([*failed, *company.apart]))[:_MOST]
    if not leaves or not all(map(backend.is_dense, values)):
        return report
    inquiry = Inquiry(company, backend, values, seed)
    if not inquiry.is_finite:
        return report
    causes = {leaf: cause for leaf in leaves if (cause := cause_of(inquiry, leaf))}
    return replace(report, findings=tuple(_with(one, causes) for one in report.findings))


def _with(finding: Finding, causes: dict[int, Reason]) -> Finding:
    is_asked = finding.verdict is Verdict.FAIL and finding.kind in (*SLOPES, "replication")
    if not is_asked or finding.input not in causes:
        return finding
    return finding.explained_by(causes[finding.input])


def cause_of(inquiry: Inquiry, leaf: int) -> Reason | None:
    """Return what explains the claim about a leaf in every probe, None if nothing does."""
    others = [_Heard(_suspicions(inquiry, leaf)) for _ in range(_PROBES - 1)]
    for said in _suspicions(inquiry, leaf):
        if all(said in one for one in others):
            return said
    return None


class _Heard:
    """Suspicions that are measured only as far as one is looked for."""

    def __init__(self, suspicions: Iterator[Reason]) -> None:
        self._left = suspicions
        self._heard: list[Reason] = []

    def __contains__(self, said: object) -> bool:
        if said in self._heard:
            return True
        for one in self._left:
            self._heard.append(one)
            if one == said:
                return True
        return False


def _suspicions(inquiry: Inquiry, leaf: int) -> Iterator[Reason]:
    """Yield what the claim about a leaf might be, in one probe: first what is known already."""
    joint, probe = inquiry.company.leaves[leaf], inquiry.probe(leaf)
    has_copies = len(joint.holders) > 1
    if all(probe.fits(one, probe.measured, _APART) for one in probe.claims):
        if has_copies and joint.convention == "share":
            yield words.REDUCED_ALREADY(count=len(joint.holders))
        return
    if has_copies:
        yield from _of_copies(joint, probe)
    else:
        yield from _of_own(inquiry, joint, probe)
    is_one = all(probe.fits(one, probe.claims[0]) for one in probe.claims)
    if is_one:
        yield from _of_shifts(inquiry, probe)
        count = len(joint.holders) if has_copies else inquiry.company.wire.size
        yield from _factors(probe, probe.claims[0], count)
    if has_copies:
        yield from _of_other_groups(inquiry, leaf, probe)
    else:
        yield from _of_mates(inquiry, leaf, probe)
    if is_one:
        yield from _of_blocks(inquiry, leaf, probe)


def _factors(probe: Probe, claimed: float, count: int) -> Iterator[Reason]:
    if probe.fits(claimed, count * probe.measured):
        yield words.REDUCED_TWICE(count=count)
    if probe.fits(claimed * count, probe.measured):
        yield words.AVERAGED(count=count)


def _of_copies(joint: Joint, probe: Probe) -> Iterator[Reason]:
    """Yield what the gradients of copies might be."""
    claims, count = probe.claims, len(probe.claims)
    if joint.convention == "share":
        yield from _factors(probe, sum(claims), count)
        return
    if all(probe.fits(one, claims[0]) for one in claims):
        return
    if probe.fits(sum(claims), probe.measured):
        yield words.NOT_REDUCED()
    whole = probe.measured / joint.among if joint.convention == "mean" else probe.measured
    both = zip(joint.ranks, claims, strict=True)
    wrong = tuple(rank for rank, one in both if not probe.fits(one, whole))
    if len(wrong) < count:
        yield words.WRONG_ON_RANKS(ranks=wrong)


def _of_own(inquiry: Inquiry, joint: Joint, probe: Probe) -> Iterator[Reason]:
    """Yield what the gradient of a leaf might be that one process alone holds."""
    company, claimed, rank = inquiry.company, probe.claims[0], joint.first[0]
    kept = _owed(company, rank, probe.terms)  # were nothing counted that comes from other ranks
    if probe.fits(claimed, kept) and not probe.fits(kept, probe.measured):
        yield words.OTHERS_NOT_COUNTED(rank=rank, path=joint.path)


def _of_shifts(inquiry: Inquiry, probe: Probe) -> Iterator[Reason]:
    """Yield that cotangents are those of other ranks: of their outputs, or blocks of one output."""
    company, claimed = inquiry.company, probe.claims[0]
    for stack in company.stacks():
        for shift in range(1, len(stack.places)):
            terms = probe.terms
            for k, place in enumerate(stack.places):
                other = stack.places[(k + shift) % len(stack.places)]
                terms[place] = float(probe.weights[other] @ probe.slopes[place])
            if probe.fits(claimed, sum(terms)):
                yield words.COTANGENTS_SHIFTED(shift=shift)
    for place, (output, shape) in enumerate(zip(company.outputs, inquiry.shapes, strict=True)):
        count = len(output.holders)
        if math.prod(shape) != probe.weights[place].size:
            continue  # complex numbers
        for axis in (k for k, n in enumerate(shape) if n % count == 0):
            for shift in range(1, count):
                terms = probe.terms
                weights = probe.weights[place].reshape(shape)
                rolled = np.roll(weights, -shift * (shape[axis] // count), axis)
                terms[place] = float(rolled.ravel() @ probe.slopes[place])
                if probe.fits(claimed, sum(terms)):
                    yield words.COTANGENTS_SHIFTED(shift=shift)


def _of_other_groups(inquiry: Inquiry, leaf: int, probe: Probe) -> Iterator[Reason]:
    """Yield that a sum goes over ranks that hold another leaf of the same name."""
    others = [mate for mate in inquiry.mates(leaf) if mate != leaf]
    if not others:
        return
    slopes = (inquiry.slopes({mate: probe.direction}) for mate in others)
    total = probe.measured + sum(sum(contracted(probe.weights, one)) for one in slopes)
    is_of_all = all(probe.fits(one, total) for one in probe.claims)
    if is_of_all or probe.fits(sum(probe.claims), total):
        joint = inquiry.company.leaves[leaf]
        yield words.SUMMED_OVER_OTHERS(path=joint.path, ranks=joint.ranks)


def _of_mates(inquiry: Inquiry, leaf: int, probe: Probe) -> Iterator[Reason]:
    """Yield that the gradient is one of the same leaf on another process, which is measured."""
    company, joint, claimed = inquiry.company, inquiry.company.leaves[leaf], probe.claims[0]
    rank = joint.first[0]
    kept = _owed(company, rank, probe.terms)  # were nothing sent back
    for other in inquiry.mates(leaf):
        if other != leaf:
            terms = contracted(probe.weights, inquiry.slopes({other: probe.direction}))
            kept += _owed(company, rank, terms)
            if probe.fits(claimed, sum(terms)):
                holder = company.leaves[other].first[0]
                yield words.ANOTHER_SHARD(holder=holder, path=joint.path)
    if probe.fits(claimed, kept):
        yield words.NOT_SENT_BACK(rank=rank, path=joint.path)


def _owed(company: Company, rank: int, terms: Sequence[float]) -> float:
    """Return what the outputs that a process holds owe, of what all of them do."""
    both = zip(terms, company.outputs, strict=True)
    return sum(term for term, output in both if rank in output.ranks)


def _of_blocks(inquiry: Inquiry, leaf: int, probe: Probe) -> Iterator[Reason]:
    """Yield that blocks lie elsewhere than they belong."""
    shape, size = tuple(inquiry.spaces[leaf].signature.shape), inquiry.company.wire.size
    if math.prod(shape) != probe.direction.size:
        return  # complex numbers
    mates = inquiry.mates(leaf)

    def explains(along: Along | None) -> bool:
        if along is None:
            return False
        value = sum(contracted(probe.weights, inquiry.slopes(along)))
        return probe.fits(probe.claims[0], value)

    for axis in range(len(shape)):
        if explains(not_exchanged(leaf, mates, probe.direction, shape, axis)):
            yield words.NOT_EXCHANGED_BACK(axis=axis)
    for ours, theirs in itertools.permutations(range(len(shape)), 2):
        if explains(joined_otherwise(leaf, probe.direction, shape, size, ours, theirs)) or explains(
            cut_otherwise(leaf, mates, probe.direction, shape, ours, theirs)
        ):
            yield words.WRONG_DIMENSION_GATHERED(measured=ours, claimed=theirs)
