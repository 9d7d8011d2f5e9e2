"""What processes claim and compute along chosen directions, each of them by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .._backends.base import Array, Backend
from .._spaces.base import Space
from .._spaces.choose import space_of
from .._spaces.directions import Directions
from .blocks import Vector
from .company import Company
from .joints import Joint
from .member import MemberAnswer

_CLOSE = 1e-5  # of the terms' size, or so many times what a difference may be wrong by
_TIMES = 32.0


@dataclass(frozen=True, slots=True)
class Probe:
    """One cotangent for every output, one direction of a leaf: what is claimed, and is computed."""

    weights: list[Vector]  # per output of the group
    direction: Vector
    claims: list[float]  # ⟨gradient, direction⟩ of every process that holds the leaf
    slopes: list[Vector]  # of every output
    close: float  # what two of these numbers may differ by

    @property
    def terms(self) -> list[float]:
        """What every output owes to the leaf."""
        return contracted(self.weights, self.slopes)

    @property
    def measured(self) -> float:
        """The derivative."""
        return sum(self.terms)

    def fits(self, claimed: float, value: float, times: float = 1.0) -> bool:
        """Say whether two numbers are the same, as far as a difference can tell."""
        return abs(claimed - value) <= times * self.close


def contracted(weights: Sequence[Vector], slopes: Sequence[Vector]) -> list[float]:
    """Return the product of every output's cotangent with how it changes."""
    return [float(v @ s) for v, s in zip(weights, slopes, strict=True)]


class Inquiry:
    """Asks a group along directions that a suspicion chooses."""

    def __init__(
        self, company: Company, backend: Backend, values: Sequence[Array], seed: int
    ) -> None:
        self.company = company
        self.spaces = [space_of(backend, value) for value in values]
        self._backend = backend
        self._points = [self._numbers(k, value) for k, value in enumerate(values)]
        self._directions = Directions(seed + 1)
        self._record, answers = company.called(values)
        self._outputs = [self._space(joint, answers) for joint in company.outputs]
        roundoffs = [space.roundoff for space in (*self.spaces, *self._outputs)]
        self._step = max(roundoffs) ** (1 / 3)
        self._share = max(_CLOSE, _TIMES * self._step**2)

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Return the shape of every output of the group."""
        return [tuple(space.signature.shape) for space in self._outputs]

    @property
    def is_finite(self) -> bool:
        """Say whether every entry of every leaf can be moved."""
        return all(bool(np.isfinite(point).all()) for point in self._points)

    def probe(self, leaf: int) -> Probe:
        """Ask every output about a leaf, along one random direction."""
        weights = [self._drawn(space) for space in self._outputs]
        space, joint = self.spaces[leaf], self.company.leaves[leaf]
        direction = self._drawn(space)
        given = [
            one.assemble(self._backend.vector(vector.copy(), one.reference))
            for one, vector in zip(self._outputs, weights, strict=True)
        ]
        _, answers = self.company.pulled(self._record, given)
        slopes = self.slopes({leaf: direction})
        claims, sizes = (
            [],
            [float(np.linalg.norm(v * s)) for v, s in zip(weights, slopes, strict=True)],
        )
        for rank, place in joint.holders:
            array = answers[rank].arrays[place]
            gradient = np.zeros(space.size) if array is None else self._numbers(leaf, array)
            claims.append(float(gradient @ direction))
            sizes.append(float(np.linalg.norm(gradient * direction)))
        return Probe(weights, direction, claims, slopes, self._share * max(sizes))

    def slopes(self, directions: Mapping[int, Vector]) -> list[Vector]:
        """Return how every output of the group changes along directions of some leaves."""
        sizes = [float(np.sqrt(np.mean(self._points[k] ** 2))) for k in directions]
        step = self._step * (max(sizes) or 1.0)
        ahead, behind = (self._evaluated(directions, sign * step) for sign in (1.0, -1.0))
        return [(one - other) / (2 * step) for one, other in zip(ahead, behind, strict=True)]

    def mates(self, leaf: int) -> list[int]:
        """Return the leaves of all ranks that one belongs to, none unless they are alike."""
        leaves, path = self.company.leaves, self.company.leaves[leaf].path
        mates = [k for k, joint in enumerate(leaves) if joint.path == path]
        signature = self.spaces[leaf].signature
        return mates if all(self.spaces[k].signature == signature for k in mates) else []

    def _evaluated(self, directions: Mapping[int, Vector], step: float) -> list[Vector]:
        values = []
        for leaf, (space, point) in enumerate(zip(self.spaces, self._points, strict=True)):
            moved = point + step * directions[leaf] if leaf in directions else point.copy()
            values.append(space.value(self._backend.vector(moved, space.reference)))
        _, answers = self.company.called(values)
        found = (answers[rank].arrays[k] for rank, k in (one.first for one in self.company.outputs))
        return [
            np.array(self._backend.to_numpy(space.coordinates(array)))
            for space, array in zip(self._outputs, found, strict=True)
        ]

    def _numbers(self, leaf: int, value: Array) -> Vector:
        return np.array(self._backend.to_numpy(self.spaces[leaf].coordinates(value)))

    def _space(self, joint: Joint, answers: Sequence[MemberAnswer]) -> Space:
        rank, place = joint.first
        return space_of(self._backend, answers[rank].arrays[place])

    def _drawn(self, space: Space) -> Vector:
        return np.array(self._backend.to_numpy(self._directions.draw(space)))
