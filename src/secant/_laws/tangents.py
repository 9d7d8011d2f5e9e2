"""What forward mode must obey: tangents of the outputs' dtype, absent ones zero, batches alike."""

from __future__ import annotations

from collections.abc import Sequence

from .._backends.base import Array
from .._claims.base import ClaimRaised
from .._claims.forward import ForwardClaim
from .._findings import Finding
from .._judge.judge import BROKEN, conclude
from .._problem.problem import Problem
from .._spaces.directions import Directions
from .._words.laws import (
    BATCHED_TANGENT_DIFFERS,
    CANNOT_BE_BATCHED,
    NO_BATCHES,
    TANGENT_ABSENT,
    TANGENT_KIND,
)
from .base import kept, share_apart, unasked

_SUBJECT = "forward-mode derivative"


def examine_tangents(
    claim: ForwardClaim, directions: Directions, laws: frozenset[str], forgiven: float = 0.0
) -> list[Finding]:
    """Ask the laws that concern forward mode alone.

    Only rules written by hand see absent tangents; the framework's own are not asked about them.
    """
    findings = []
    if "signature" in laws and claim.foreign is not None:
        reason = TANGENT_KIND(output=claim.foreign)
        findings.append(conclude(BROKEN, "signature", _SUBJECT, "", reason, output=claim.foreign))
    if "undefined" in laws and claim.has_own_rules and len(claim.problem.points) > 1:
        findings.append(_undefined(claim, directions, forgiven))
    if "batched_tangents" in laws:
        findings.append(_batched(claim, directions, forgiven))
    return findings


def _undefined(claim: ForwardClaim, directions: Directions, forgiven: float) -> Finding:
    """Give all leaves tangents but one, whose tangent is zero and then absent."""
    problem = claim.problem
    tangents: list[Array | None] = [
        space.assemble(directions.draw(space)) for space in problem.domain.parts
    ]
    for part, space in enumerate(problem.domain.parts):
        zero = space.assemble(problem.coordinates_of_point(part) * 0)
        try:
            first, second = (
                claim.push_all([*tangents[:part], one, *tangents[part + 1 :]])
                for one in (zero, None)
            )
        except ClaimRaised as raised:
            return _differs_when_absent(problem, part, None, str(raised))
        for output, (given, absent) in enumerate(zip(first, second, strict=True)):
            if given is None or absent is None:
                continue
            around = problem.backend.largest(given)
            if share_apart(problem, part, given, absent, around, forgiven) is not None:
                return _differs_when_absent(problem, part, output, "")
    return kept("undefined")


def _differs_when_absent(problem: Problem, part: int, output: int | None, error: str) -> Finding:
    path = problem.domain.path(part)
    reason = TANGENT_ABSENT(path=path, error=error)
    return conclude(BROKEN, "undefined", _SUBJECT, path, reason, output=output, input=part)


def _batched(claim: ForwardClaim, directions: Directions, forgiven: float) -> Finding:
    """Push two tangents as one batch and one by one."""
    problem, backend = claim.problem, claim.problem.backend
    if not all(space.can_be_batched for space in (*problem.domain.parts, *problem.codomain.parts)):
        return unasked("batched_tangents", NO_BATCHES())
    for part, space in enumerate(problem.domain.parts):
        vectors = [directions.draw(space) for _ in range(2)]
        alone = [claim.push(part, space.assemble(vector)) for vector in vectors]
        batch = backend.unflatten_batch(backend.stack(vectors), space.reference)
        try:
            together = claim.push_batch(part, batch)
        except ClaimRaised as raised:
            reason = CANNOT_BE_BATCHED(rule="the forward rule", error=str(raised.error))
            return unasked("batched_tangents", reason, raised.error)
        for row, expected in enumerate(alone):
            found = [None if rows is None else rows[row] for rows in together]
            output = _first_apart(problem, part, expected, found, forgiven)
            if output is not None:
                differs = BATCHED_TANGENT_DIFFERS(output=output)
                return conclude(
                    BROKEN, "batched_tangents", _SUBJECT, "", differs, output=output, input=part
                )
    return kept("batched_tangents")


def _first_apart(
    problem: Problem,
    part: int,
    expected: Sequence[Array],
    found: Sequence[Array | None],
    forgiven: float,
) -> int | None:
    around = max(map(problem.backend.largest, expected))
    for output, (one, batched) in enumerate(zip(expected, found, strict=True)):
        other = one * 0 if batched is None else batched
        if share_apart(problem, part, one, other, around, forgiven) is not None:
            return output
    return None
