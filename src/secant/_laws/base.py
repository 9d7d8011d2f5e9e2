"""What laws share: the claim's answers so far, and when two answers are the same."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._backends.base import Array
from .._claims.reverse import Pulled, ReverseClaim
from .._constants import LAW_DIGITS, RESIDUE, SPREADS
from .._findings import Finding
from .._judge.judge import BROKEN, KEPT, UNKNOWN, conclude
from .._measure.noise import residue
from .._problem.problem import Problem
from .._records import quickly_made
from .._spaces.directions import Directions
from .._words import laws
from .._words.reason import Reason

FACTOR = -8.0  # negative, and a power of two: exact in every dtype
GENTLE_FACTOR = -0.125  # where the other one leaves the dtype's range


@quickly_made
@dataclass(frozen=True, slots=True)
class PulledClaim:
    """A reverse-mode claim, with what it was asked and has answered so far."""

    problem: Problem
    directions: Directions
    claim: ReverseClaim
    pulleds: Sequence[Pulled]
    nondeterminism: float | None = None  # how far apart two equal answers may be; None: by rounding
    forgiven: float = 0.0  # how far off an entry may be
    rtol: float = 0.0  # and by what share of its size
    bars: Mapping[tuple[int, int], float] = field(
        default_factory=dict
    )  # of slopes, by part, output
    factor: float = FACTOR  # that linearity is asked with
    noise: Mapping[int, float] = field(default_factory=dict)  # by leaf, where it was asked about
    subject: str = "reverse-mode gradient"

    @property
    def parts(self) -> range:
        """The differentiated leaves."""
        return range(len(self.problem.points))

    def residue(self, part: int) -> float:
        """Return what rounding may leave of an entry of a leaf's gradient that cancels to zero.

        Outputs of size F that are rounded by ε, over inputs of size X: ε·‖v‖·F/X, some times.
        """
        norm, total = self.problem.backend.norm, 0.0
        for pulled in self.pulleds:
            total += residue(self.problem, part, pulled.output, norm(pulled.cotangent))
        return RESIDUE * total

    def added_up(self) -> list[Array | None]:
        """Return the sum of the gradients of all outputs, pulled one at a time."""
        totals: list[Array | None] = [None] * len(self.problem.points)
        for pulled in self.pulleds:
            for part, gradient in enumerate(pulled.gradients):
                if gradient is not None:
                    total = totals[part]
                    totals[part] = gradient if total is None else total + gradient
        return totals


def furthest(
    pulled_claim: PulledClaim,
    one: Sequence[Array | None],
    other: Sequence[Array | None],
    factor: float,
) -> tuple[tuple[int, float] | None, bool]:
    """Return the leaf where factor · one and other differ beyond rounding, and by what share.

    The second answer says whether they are equal in every bit.
    """
    backend, problem = pulled_claim.problem.backend, pulled_claim.problem
    worst: tuple[int, float] | None = None
    around: float | None = None
    is_identical = True
    for part, (a, b) in enumerate(zip(one, other, strict=True)):
        if a is None and b is None:
            continue
        if a is not None and b is not None and backend.is_multiple(a, factor, b):
            continue
        expected: Any = b if a is None else a * factor
        if a is None:
            expected = expected * 0
        found: Any = expected * 0 if b is None else b
        is_identical = is_identical and backend.is_equal(expected, found)
        if around is None:
            sizes = (backend.largest(each) for each in one if each is not None)
            around = max(sizes, default=0.0) * abs(factor)
        slack = abs(factor) * (
            (pulled_claim.nondeterminism or 0.0)
            + pulled_claim.forgiven
            + pulled_claim.residue(part)
            + pulled_claim.noise.get(part, 0.0)
        )
        share = share_apart(problem, part, expected, found, around, slack)
        if share is not None and (worst is None or not share <= worst[1]):
            worst = part, share
    return worst, is_identical


def kept_to(roundoff: float) -> float:
    """Return the share of their size that answers may differ by which a law makes equal.

    Less than half of the digits: breaking a law is a matter of whole numbers, adding in another
    order is not. About 1e-6 in double precision, 4e-3 in single.
    """
    share: float = SPREADS * roundoff**LAW_DIGITS
    return min(share, 1 / SPREADS)


def share_apart(
    problem: Problem,
    part: int,
    one: Array,
    other: Array,
    around: float = 0.0,
    slack: float = 0.0,
) -> float | None:
    """Return by what share of their size two answers differ, None if by no more than rounding."""
    backend = problem.backend
    outputs = [space.roundoff for space in problem.codomain.parts]
    roundoff = max([problem.domain.parts[part].roundoff, *outputs])
    size = max(backend.largest(backend.where_finite(each)) for each in (one, other))
    apart = backend.largest(backend.apart(one, other))
    if apart <= kept_to(roundoff) * size + RESIDUE * roundoff * around + slack:
        return None
    return apart / size if size else math.inf


@functools.cache
def kept(law: str) -> Finding:
    """Return the finding that a law was asked about and holds."""
    return conclude(KEPT, law, "law", law, laws.KEPT(law=law))


def unasked(law: str, reason: Reason, raised: Exception | None = None) -> Finding:
    """Return the finding that a law could not be asked about, and why."""
    return conclude(UNKNOWN, law, "law", law, reason, raised=raised)


def broken(pulled_claim: PulledClaim, law: str, part: int | None, reason: Reason) -> Finding:
    """Return the finding that a law is broken, with the leaf where it shows."""
    where = "" if part is None else f"gradient of {pulled_claim.problem.domain.path(part)}"
    return conclude(BROKEN, law, pulled_claim.subject, where, reason, input=part)
