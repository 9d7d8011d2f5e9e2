"""Outputs and gradients of the three runs, laid side by side: what errors are summed from.

Gradients are pulled one output at a time, so that a large output does not hide a small one and a
row names the pair that is wrong; a second output costs a second backward. All runs get the same
cotangents: random, signed, and exact in the coarsest dtype that the output comes in. The kernel
gets every second one with gaps between its entries, as what comes out of a transpose may look.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from .._backends.base import Array
from .._errors import EvaluationError, InputError, SecantError
from .._spaces.base import Space
from .._spaces.directions import Directions
from .candidate import Candidate, NeighbourYardstick
from .errors import UlpScale
from .runs import Runs
from .side import Run, carry
from .yardstick import SummedErrors


class Cotangents:
    """What gradients are pulled with: the same at the point and at its neighbours."""

    def __init__(self, runs: Runs, directions: Directions, probes: int) -> None:
        self._runs = runs
        self._directions = directions
        self._probes = probes
        self._drawn: dict[int, list[Array]] = {}

    def of(self, place: int) -> list[Array]:
        """Return the cotangents of one output, where the kernel has it."""
        if place not in self._drawn:
            self._drawn[place] = [self._draw(place) for _ in range(self._probes)]
        return self._drawn[place]

    def _draw(self, place: int) -> Array:
        kernel, yardstick = self._runs.kernel, self._runs.yardstick
        space = kernel.spaces[place]
        if yardstick is None or yardstick.spaces[place].roundoff <= space.roundoff:
            return self._directions.draw(space)
        return carry(self._directions.draw(yardstick.spaces[place]), yardstick, kernel)


def draw_output(runs: Runs, place: int) -> Candidate:
    """Return the errors of one output."""
    kernel, yardstick = runs.kernel, runs.yardstick
    space = kernel.spaces[place]
    candidate = Candidate(kernel.path(place), space, place, terms=_terms(kernel, space))
    found = None if yardstick is None else carry(yardstick.value(place), yardstick, kernel)
    truth = carry(runs.truth.value(place), runs.truth, kernel)
    candidate.add(kernel.value(place), truth, found)
    return candidate


def _terms(kernel: Run, space: Space) -> float:
    """Return how many entries of the largest array there are for each of this one's."""
    largest = max(one.size for one in (*kernel.problem.domain.parts, *kernel.spaces.values()))
    return largest / max(space.size, 1)


def draw_gradients(runs: Runs, place: int, cotangents: Cotangents) -> Iterator[Candidate]:
    """Yield the errors of the gradients of one output; raises what the kernel's backward does."""
    kernel = runs.kernel
    path, domain, backend = kernel.path(place), kernel.problem.domain, kernel.backend
    candidates = [
        Candidate(
            f"∂{path} / ∂{domain.path(part)}", space, place, part, terms=_terms(kernel, space)
        )
        for part, space in enumerate(domain.parts)
    ]
    value = backend.where_finite(carry(runs.truth.value(place), runs.truth, kernel))
    for draw, v in enumerate(cotangents.of(place)):
        own = kernel.pull(place, v, is_scattered=is_scattered(draw))
        truth = pull_truth(runs, place, v)
        found = pull_yardstick(runs, place, v)
        size = backend.norm_of_product(v, value)
        for part, candidate in enumerate(candidates):
            candidate.natural += (size / _scale(kernel, place, part)) ** 2
            candidate.add(own[part], truth[part], None if found is None else found[part])
    yield from candidates


def is_scattered(draw: int) -> bool:
    """Say whether the kernel gets this draw's cotangent in a foreign layout: every second one."""
    return draw % 2 == 1


def pull_truth(runs: Runs, place: int, v: Array) -> list[Array]:
    """Return the true gradients where the kernel has its own."""
    kernel, truth = runs.kernel, runs.truth
    try:
        pulled = truth.pull(place, carry(v, kernel, truth))
    except SecantError as error:
        raise InputError(f"expected the reference to be differentiable in float64; {error}") from (
            error.__cause__ or error
        )
    return [carry(one, truth, kernel) for one in pulled]


def pull_yardstick(runs: Runs, place: int, v: Array) -> list[Array] | None:
    """Return the yardstick's gradients where the kernel has its own, None if it has none."""
    kernel, yardstick = runs.kernel, runs.yardstick
    if yardstick is None or (place in runs.truth.attached and place not in yardstick.attached):
        return None
    try:
        pulled = yardstick.pull(place, carry(v, kernel, yardstick))
    except SecantError:
        return None
    return [carry(one, yardstick, kernel) for one in pulled]


def yardsticks_near(
    runs: Runs, candidates: Sequence[Candidate], cotangents: Cotangents
) -> list[NeighbourYardstick]:
    """Return how far the yardstick is off in some arrays, at a point where the kernel has not been.

    `runs.kernel` is the kernel's run at the point itself: it says where numbers are compared.
    """
    kernel, yardstick = runs.kernel, runs.yardstick
    assert yardstick is not None
    pulled: dict[int, list[tuple[list[Array], list[Array]]]] = {}
    for place in dict.fromkeys(one.output for one in candidates if one.part is not None):
        pulled[place] = []
        for v in cotangents.of(place):
            found = pull_yardstick(runs, place, v)
            if found is None:
                raise EvaluationError("the reference has no gradient beside the point")
            pulled[place].append((pull_truth(runs, place, v), found))
    found_near = []
    for one in candidates:
        if one.part is None:
            truth = carry(runs.truth.value(one.output), runs.truth, kernel)
            draws = [(truth, carry(yardstick.value(one.output), yardstick, kernel))]
        else:
            draws = [(t[one.part], y[one.part]) for t, y in pulled[one.output]]
        found_near.append(_near(one.space, draws))
    return found_near


def _near(space: Space, draws: Sequence[tuple[Array, Array]]) -> NeighbourYardstick:
    """Return the yardstick's errors in (truth, yardstick) pairs."""
    drawn, places = SummedErrors(), None
    for truth, yardstick in draws:
        ruler = UlpScale(space, truth)
        drawn.add(ruler, ruler.error(yardstick))
        here = ruler.in_ulps(yardstick)
        places = here if places is None else space.backend.larger(places, here)
    return NeighbourYardstick(drawn.size, places)


def _scale(run: Run, place: int, part: int) -> float:
    """Return what turns the size ‖v∘F‖ of an output into that of its gradient in one leaf.

    The rms of the leaf (at least 1), and √(entries of the leaf for each entry of the output).
    """
    space, backend = run.problem.domain.parts[part], run.backend
    size = max(space.size, 1)
    rms = backend.norm(run.problem.coordinates_of_point(part)) / math.sqrt(size)
    share = size / max(run.spaces[place].size, 1)
    return max(rms, 1.0) * math.sqrt(max(share, 1.0))
