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

from .._backends.base import Array, Backend
from .._findings import SLOPES, Finding, Verdict
from .._report.model import Report
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


def _with(finding: Finding, causes: dict[int, str]) -> Finding:
    is_asked = finding.verdict is Verdict.FAIL and finding.kind in (*SLOPES, "replication")
    if not is_asked or finding.input not in causes:
        return finding
    return replace(finding, cause=causes[finding.input])


def cause_of(inquiry: Inquiry, leaf: int) -> str:
    """Return what explains the claim about a leaf in every probe, "" if nothing does."""
    first, *others = (list(_suspicions(inquiry, leaf)) for _ in range(_PROBES))
    return next((said for said in first if all(said in one for one in others)), "")


def _suspicions(inquiry: Inquiry, leaf: int) -> Iterator[str]:
    """Yield what the claim about a leaf might be, in one probe: the plainest first."""
    joint, probe = inquiry.company.leaves[leaf], inquiry.probe(leaf)
    has_copies = len(joint.holders) > 1
    if all(probe.fits(one, probe.measured, _APART) for one in probe.claims):
        if has_copies and joint.convention == "share":
            yield (
                "reduced already: every rank has the whole sum, and as shares the "
                f"{len(joint.holders)} of them are added up"
            )
        return
    if has_copies:
        yield from _of_copies(joint, probe)
    else:
        yield from _of_own(inquiry, leaf, probe)
    if all(probe.fits(one, probe.claims[0]) for one in probe.claims):
        count = len(joint.holders) if has_copies else inquiry.company.wire.size
        yield from _factors(probe, probe.claims[0], count)
        yield from _of_blocks(inquiry, leaf, probe)


def _factors(probe: Probe, claimed: float, count: int) -> Iterator[str]:
    if probe.fits(claimed, count * probe.measured):
        yield f"reduced twice: {count} times the derivative, as many as the group has ranks"
    if probe.fits(claimed * count, probe.measured):
        yield (
            f"averaged instead of summed: the derivative, divided by the {count} ranks of the group"
        )


def _of_copies(joint: Joint, probe: Probe) -> Iterator[str]:
    """Yield what the gradients of copies might be."""
    claims, count = probe.claims, len(probe.claims)
    if joint.convention == "share":
        yield from _factors(probe, sum(claims), count)
        return
    if all(probe.fits(one, claims[0]) for one in claims):
        return
    if probe.fits(sum(claims), probe.measured):
        yield (
            "a reduction is missing: the ranks' gradients add up to the derivative, and each has "
            "its own share alone"
        )
    whole = probe.measured / joint.among if joint.convention == "mean" else probe.measured
    both = zip(joint.ranks, claims, strict=True)
    wrong = [str(rank) for rank, one in both if not probe.fits(one, whole)]
    if len(wrong) < count:
        named = f"rank{'s' if len(wrong) > 1 else ''} {' and '.join(wrong)}"
        yield f"it is wrong on {named} alone: what the others have agrees with the measurement"


def _of_own(inquiry: Inquiry, leaf: int, probe: Probe) -> Iterator[str]:
    """Yield what the gradient of a leaf might be that one process alone holds."""
    company, joint, claimed = inquiry.company, inquiry.company.leaves[leaf], probe.claims[0]
    rank = joint.first[0]

    def owed(terms: Sequence[float]) -> float:
        both = zip(terms, company.outputs, strict=True)
        return sum(term for term, output in both if rank in output.ranks)

    kept = owed(probe.terms)  # what would be counted here if nothing came from other ranks
    if probe.fits(claimed, kept) and not probe.fits(kept, probe.measured):
        yield (
            f"a reduction is missing: rank {rank} counts what its own outputs owe to {joint.path}, "
            "and not what those of the others do"
        )
    for stack in company.stacks():
        for shift in range(1, len(stack.places)):
            terms = probe.terms
            for k, place in enumerate(stack.places):
                other = stack.places[(k + shift) % len(stack.places)]
                terms[place] = float(probe.weights[other] @ probe.slopes[place])
            if probe.fits(claimed, sum(terms)):
                yield (
                    "another rank's shard: it is what the outputs' cotangents give, each of them "
                    f"taken from the rank {shift} further"
                )
    for other in inquiry.mates(leaf):
        if other != leaf:
            terms = contracted(probe.weights, inquiry.slopes({other: probe.direction}))
            kept += owed(terms)  # and nothing were sent back
            if probe.fits(claimed, sum(terms)):
                holder = company.leaves[other].first[0]
                yield f"another rank's shard: it is the derivative by rank {holder}'s {joint.path}"
    if probe.fits(claimed, kept):
        yield (
            f"another rank's shard: what rank {rank}'s outputs owe to the {joint.path} of other "
            "ranks is counted here, and not sent back to them"
        )


def _of_blocks(inquiry: Inquiry, leaf: int, probe: Probe) -> Iterator[str]:
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
            yield (
                "another rank's shard: what the ranks have exchanged is not exchanged back, blocks "
                f"along dimension {axis}"
            )
    for ours, theirs in itertools.permutations(range(len(shape)), 2):
        if explains(joined_otherwise(leaf, probe.direction, shape, size, ours, theirs)) or explains(
            cut_otherwise(leaf, mates, probe.direction, shape, ours, theirs)
        ):
            yield (
                f"the wrong dimension is gathered: blocks lie along dimension {ours}, and are "
                f"taken along dimension {theirs}"
            )
