"""Why a gradient that processes compute together is wrong: what they do too much, or not at all.

Each suspicion says what the claim would then be, as a derivative that can be measured: along other
directions, by other leaves, for other cotangents. One is named if it explains two independent
probes and the derivative itself explains none.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._backends.base import Array, Backend
from .._findings import SLOPES, Finding, Verdict
from .._report.model import Report
from .._spaces.base import Space
from .._spaces.choose import space_of
from .._spaces.directions import Directions
from .company import Company, Record
from .joints import Joint
from .member import Answer

Vector = np.ndarray[Any, np.dtype[np.float64]]
_MOST = 4  # leaves that are looked into
_PROBES = 2
_CLOSE = 1e-5  # of the terms' size, or so many times what a difference may be wrong by
_TIMES = 32.0
_APART = 8.0  # times as close as that, the claim must not be to the derivative


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
    if not leaves:
        return report
    inquiry = Inquiry(company, backend, values, seed)
    causes = {leaf: cause for leaf in leaves if (cause := inquiry.cause(leaf))}
    return replace(report, findings=tuple(_with(one, causes) for one in report.findings))


def _with(finding: Finding, causes: dict[int, str]) -> Finding:
    is_asked = finding.verdict is Verdict.FAIL and finding.kind in (*SLOPES, "replication")
    if not is_asked or finding.input not in causes:
        return finding
    return replace(finding, cause=causes[finding.input])


@dataclass(frozen=True, slots=True)
class Probe:
    """One cotangent for every output, one direction for a leaf, and what is claimed there."""

    weights: list[Vector]  # per output of the group
    direction: Vector
    claims: list[float]  # ⟨gradient, direction⟩ of every process that holds the leaf
    size: float  # of the terms of the claims


class Inquiry:
    """Asks the group what else a wrong gradient might be."""

    def __init__(
        self, company: Company, backend: Backend, values: Sequence[Array], seed: int
    ) -> None:
        self._company = company
        self._backend = backend
        self._spaces = [space_of(backend, value) for value in values]
        self._points = [self._numbers(k, value) for k, value in enumerate(values)]
        self._directions = Directions(seed + 1)
        record, answers = company.called(values)
        self._record: Record = record
        self._outputs = [self._space(joint, answers) for joint in company.outputs]
        roundoffs = [space.roundoff for space in (*self._spaces, *self._outputs)]
        self._step = max(roundoffs) ** (1 / 3)
        self._close = max(_CLOSE, _TIMES * self._step**2)

    def _numbers(self, leaf: int, value: Array) -> Vector:
        return np.array(self._backend.to_numpy(self._spaces[leaf].coordinates(value)))

    def _space(self, joint: Joint, answers: Sequence[Answer]) -> Space:
        rank, place = joint.first
        return space_of(self._backend, answers[rank].arrays[place])

    def _drawn(self, space: Space) -> Vector:
        return np.array(self._backend.to_numpy(self._directions.draw(space)))

    # -- what is claimed, and what is measured ---------------------------------------------------

    def cause(self, leaf: int) -> str:
        """Return what explains the claim about a leaf in every probe, "" if nothing does."""
        first, *others = (
            list(self._suspicions(leaf, self._probe(leaf))) for _ in range(_PROBES)
        )
        return next((said for said in first if all(said in one for one in others)), "")

    def _probe(self, leaf: int) -> Probe:
        weights = [self._drawn(space) for space in self._outputs]
        space, joint = self._spaces[leaf], self._company.leaves[leaf]
        direction = self._drawn(space)
        given = [
            one.assemble(self._backend.vector(vector.copy(), one.reference))
            for one, vector in zip(self._outputs, weights, strict=True)
        ]
        _, answers = self._company.pulled(self._record, given)
        claims, size = [], 0.0
        for rank, place in joint.holders:
            array = answers[rank].arrays[place]
            gradient = np.zeros(space.size) if array is None else self._numbers(leaf, array)
            claims.append(float(gradient @ direction))
            size = max(size, float(np.linalg.norm(gradient * direction)))
        return Probe(weights, direction, claims, size)

    def _slopes(self, directions: dict[int, Vector]) -> list[Vector]:
        """Return how every output of the group changes along directions of some leaves."""
        sizes = [float(np.sqrt(np.mean(self._points[k] ** 2))) for k in directions]
        step = self._step * (max(sizes) or 1.0)
        ahead, behind = (self._evaluated(directions, sign * step) for sign in (1.0, -1.0))
        return [(one - other) / (2 * step) for one, other in zip(ahead, behind, strict=True)]

    def _evaluated(self, directions: dict[int, Vector], step: float) -> list[Vector]:
        values = []
        for leaf, (space, point) in enumerate(zip(self._spaces, self._points, strict=True)):
            moved = point + step * directions[leaf] if leaf in directions else point.copy()
            values.append(space.value(self._backend.vector(moved, space.reference)))
        _, answers = self._company.called(values)
        return [
            np.array(self._backend.to_numpy(space.coordinates(answers[rank].arrays[place])))
            for space, (rank, place) in zip(
                self._outputs, (joint.first for joint in self._company.outputs), strict=True
            )
        ]

    # -- what it might be ------------------------------------------------------------------------

    def _suspicions(self, leaf: int, probe: Probe) -> Iterator[str]:
        joint, size = self._company.leaves[leaf], self._company.wire.size
        slopes = self._slopes({leaf: probe.direction})
        terms = [float(v @ s) for v, s in zip(probe.weights, slopes, strict=True)]
        measured = sum(terms)
        scale = max(probe.size, *(_norm(v * s) for v, s in zip(probe.weights, slopes, strict=True)))

        def fits(claimed: float, value: float) -> bool:
            return abs(claimed - value) <= self._close * scale

        if all(abs(one - measured) <= _APART * self._close * scale for one in probe.claims):
            if joint.convention == "share" and len(joint.holders) > 1:
                yield f"reduced already: every rank has the whole sum, and the {len(probe.claims)} of them are added up"
            return
        if len(joint.holders) > 1:
            yield from _of_copies(joint, probe.claims, measured, fits)
        else:
            yield from self._of_own(leaf, joint, probe, slopes, terms, fits)
        claimed = probe.claims[0]
        if all(fits(one, claimed) for one in probe.claims):
            count = size if len(joint.holders) == 1 else len(joint.holders)
            if fits(claimed, count * measured):
                yield f"reduced twice: {count} times the derivative, as many as the group has ranks"
            if fits(claimed * count, measured):
                yield f"averaged instead of summed: the derivative, divided by the {count} ranks of the group"
            yield from self._of_dimensions(leaf, probe, fits)

    def _of_own(
        self,
        leaf: int,
        joint: Joint,
        probe: Probe,
        slopes: Sequence[Vector],
        terms: Sequence[float],
        fits: Any,
    ) -> Iterator[str]:
        """Yield what the gradient of a leaf might be that one process alone holds."""
        rank, claimed, outputs = joint.first[0], probe.claims[0], self._company.outputs
        own = sum(t for t, one in zip(terms, outputs, strict=True) if rank in one.ranks)
        if fits(claimed, own) and not fits(own, sum(terms)):
            yield (
                f"a reduction is missing: rank {rank} counts what its own outputs owe to "
                f"{joint.path}, and not what those of the others do"
            )
        for stack in self._company.stacks():
            for shift in range(1, len(stack.places)):
                moved = list(terms)
                for k, place in enumerate(stack.places):
                    other = stack.places[(k + shift) % len(stack.places)]
                    moved[place] = float(probe.weights[other] @ slopes[place])
                if fits(claimed, sum(moved)):
                    yield (
                        "another rank's shard: it is what the cotangents of the outputs would "
                        f"give, each of the rank {shift} further"
                    )
        for other in self._mates(leaf):
            if other != leaf:
                there = self._slopes({other: probe.direction})
                value = sum(float(v @ s) for v, s in zip(probe.weights, there, strict=True))
                if fits(claimed, value):
                    holder = self._company.leaves[other].first[0]
                    yield (
                        f"another rank's shard: it is the derivative by rank {holder}'s "
                        f"{joint.path}"
                    )

    def _mates(self, leaf: int) -> list[int]:
        """Return the leaves of all ranks that one belongs to, if all are of the same shape."""
        leaves, path = self._company.leaves, self._company.leaves[leaf].path
        mates = [k for k, joint in enumerate(leaves) if joint.path == path]
        signature = self._spaces[leaf].signature
        alike = all(self._spaces[k].signature == signature for k in mates)
        return mates if alike else []

    def _of_dimensions(self, leaf: int, probe: Probe, fits: Any) -> Iterator[str]:
        """Yield that blocks are laid side by side along another dimension than they were."""
        shape = tuple(self._spaces[leaf].signature.shape)
        if self._spaces[leaf].size != int(np.prod(shape)):
            return  # complex, or sparse
        mates = self._mates(leaf)
        count = self._company.wire.size
        for ours, theirs in itertools.permutations(range(len(shape)), 2):
            for directions in (
                _blocks_within(leaf, probe.direction, shape, count, ours, theirs),
                _blocks_across(leaf, mates, probe.direction, shape, ours, theirs),
            ):
                if directions is None:
                    continue
                there = self._slopes(directions)
                value = sum(float(v @ s) for v, s in zip(probe.weights, there, strict=True))
                if any(fits(claimed, value) for claimed in probe.claims):
                    yield (
                        f"the wrong dimension is gathered: blocks lie along dimension {ours}, "
                        f"and are taken along dimension {theirs}"
                    )


def _of_copies(
    joint: Joint, claims: Sequence[float], measured: float, fits: Any
) -> Iterator[str]:
    """Yield what the gradients of copies might be."""
    are_same = all(fits(one, claims[0]) for one in claims)
    if joint.convention != "share" and not are_same:
        if fits(sum(claims), measured):
            yield (
                "a reduction is missing: the ranks' gradients add up to the derivative, and each "
                "has its own share alone"
            )
        factor = len(claims) if joint.convention == "mean" else 1
        wrong = [rank for rank, one in zip(joint.ranks, claims, strict=True) if not fits(factor * one, measured)]
        if wrong and len(wrong) < len(claims):
            named = " and ".join(map(str, wrong))
            yield f"it is wrong on rank {named} alone: those of the others agree with the measurement"
    if joint.convention == "share":
        count = len(claims)
        if fits(sum(claims), count * measured):
            yield f"reduced twice: {count} times the derivative, as many as the group has ranks"
        if fits(sum(claims) * count, measured):
            yield f"averaged instead of summed: the derivative, divided by the {count} ranks of the group"


def _blocks_within(
    leaf: int, direction: Vector, shape: tuple[int, ...], count: int, ours: int, theirs: int
) -> dict[int, Vector] | None:
    """Return the direction along which a gradient moves whose blocks are joined otherwise."""
    if shape[ours] % count:
        return None
    places = np.arange(direction.size).reshape(shape)
    joined = np.concatenate(np.split(places, count, axis=ours), axis=theirs).ravel()
    if np.array_equal(joined, places.ravel()):
        return None
    moved = np.zeros_like(direction)
    moved[joined] = direction
    return {leaf: moved}


def _blocks_across(
    leaf: int,
    mates: Sequence[int],
    direction: Vector,
    shape: tuple[int, ...],
    ours: int,
    theirs: int,
) -> dict[int, Vector] | None:
    """Return the directions of all ranks' leaves whose gradients are cut up otherwise."""
    count = len(mates)
    if count < 2 or shape[theirs] % count:
        return None
    whole = np.zeros([n * count if axis == ours else n for axis, n in enumerate(shape)])
    parts = np.split(whole, count, axis=theirs)  # views
    mine = parts[mates.index(leaf)]
    mine[...] = direction.reshape(mine.shape)
    cut = np.split(whole, count, axis=ours)
    return {mate: block.ravel().copy() for mate, block in zip(mates, cut, strict=True)}


def _norm(vector: Vector) -> float:
    return float(np.linalg.norm(vector))

