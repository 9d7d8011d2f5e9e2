"""Laws that derivatives written by hand are asked about, beside those of every backward.

A pull is asked what a framework's backward is asked, without what only a framework can do: leave
cotangents out, batch them, ask for some inputs alone. A push is asked the same the other way. A
gradient or a Jacobian that is given whole must be the same twice, and leave its inputs alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .._backends.base import Array
from .._claims.base import ClaimRaised
from .._claims.calling import Caller
from .._claims.given import GivenForward
from .._claims.rules import Blocks, WholeRule
from .._findings import Finding, Verdict
from .._judge.judge import BROKEN, conclude
from .._problem.problem import Problem
from .._spaces.directions import Directions
from .._words.laws import (
    FEWER_DIGITS,
    PUSH_IS_NOT_LINEAR,
    PUSH_KEEPS_STATE,
    QUESTION_RAISES,
    WHOLE_KEEPS_STATE,
    WRITES,
)
from .base import FACTOR, kept, kept_to, share_apart

OF_PULLS = frozenset({"signature", "linearity", "determinism", "mutation", "layout", "adjointness"})


def examine_push(
    claim: GivenForward, directions: Directions, laws: frozenset[str], forgiven: float
) -> list[Finding]:
    """Push a tangent of every leaf, again, and −8 times: the same, the same, and −8 times that."""
    problem, words, caller = claim.problem, claim.rule.words, claim.rule.caller
    vectors = [directions.draw(space) for space in problem.domain.parts]
    first: list[Array] = []
    findings = []
    for law, factor, wanted in (("determinism", 1.0, 1.0), ("linearity", FACTOR, FACTOR)):
        if law not in laws:
            continue
        try:
            first = first or _pushed(claim, vectors, 1.0)
            second = _pushed(claim, vectors, factor)
        except ClaimRaised as raised:
            findings.append(_raises_again(words, law, raised))
            break
        broken = None
        for output, (one, other) in enumerate(zip(first, second, strict=True)):
            expected = one * wanted
            around = problem.backend.largest(expected)
            share = share_apart(problem, 0, expected, other, around, abs(wanted) * forgiven)
            if share is not None and broken is None:
                broken = _broken_push(problem, words, law, output, share)
        findings.append(broken or kept(law))
        if broken is not None:
            break  # what does not repeat itself is not linear either
    if "mutation" in laws and caller is not None:
        findings.append(_mutation(problem, caller, words, claim.has_mutated_tangent))
    return findings


def _pushed(claim: GivenForward, vectors: Sequence[Array], factor: float) -> list[Array]:
    problem = claim.problem
    tangents = [
        space.assemble(vector * factor)
        for space, vector in zip(problem.domain.parts, vectors, strict=True)
    ]
    pushed = claim.push_all(tangents)
    return [
        base * 0 if one is None else one
        for base, one in zip(problem.base_vectors(), pushed, strict=True)
    ]


def _broken_push(problem: Problem, words: str, law: str, output: int, share: float) -> Finding:
    where, reason = f"tangent of {problem.codomain.path(output)}", PUSH_KEEPS_STATE(share=share)
    if law == "linearity":
        reason = PUSH_IS_NOT_LINEAR(factor=FACTOR, share=share)
    return conclude(BROKEN, law, words, where, reason, output=output)


def examine_whole(rule: WholeRule, problem: Problem, laws: frozenset[str]) -> Iterator[Finding]:
    """Ask for the Jacobian again at the same point, and look at what it is made of."""
    first = rule.whole(problem)
    if "signature" in laws:
        found = (
            _narrow(problem, rule, output, part, block.narrow)
            for output, row in enumerate(first)
            for part, block in enumerate(row)
            if block is not None and block.narrow
        )
        yield next(found, kept("signature"))
    if "determinism" in laws:
        problem.tally.pulls += 1
        try:
            roundoff = max(space.roundoff for space in problem.domain.parts)
            is_same = _are_same(first, rule.ask(problem, None), roundoff)
        except ClaimRaised as raised:
            yield _raises_again(rule.words, "determinism", raised)
        else:
            restless = conclude(BROKEN, "determinism", rule.words, "", WHOLE_KEEPS_STATE())
            yield kept("determinism") if is_same else restless
    if "mutation" in laws:
        yield _mutation(problem, rule.caller, rule.words, has_changed_vector=False)


def _are_same(first: Blocks, again: Blocks, roundoff: float) -> bool:
    return all(
        one is other
        or (one is not None and other is not None and one.apart(other) <= kept_to(roundoff))
        for row, other_row in zip(first, again, strict=True)
        for one, other in zip(row, other_row, strict=True)
    )


def _raises_again(words: str, law: str, raised: ClaimRaised) -> Finding:
    """Say that what was answered once raises when it is asked again."""
    return conclude(BROKEN, law, words, "", QUESTION_RAISES(law=law, error=str(raised)))


def _narrow(problem: Problem, rule: WholeRule, output: int, part: int, dtype: str) -> Finding:
    path = f"∂{problem.codomain.path(output)} / ∂{problem.domain.path(part)}"
    reason = FEWER_DIGITS(dtype=dtype)
    return conclude(BROKEN, "signature", rule.words, path, reason, output=output, input=part)


def _mutation(problem: Problem, caller: Caller, words: str, has_changed_vector: bool) -> Finding:
    if caller.changed is None and not has_changed_vector:
        return kept("mutation")
    path = "" if caller.changed is None else problem.domain.path(caller.changed)
    return conclude(BROKEN, "mutation", words, path, WRITES(path=path), input=caller.changed)


def examine_inputs(caller: Caller, problem: Problem, words: str) -> Finding | None:
    """Say whether a pull wrote into its inputs; None where it did not."""
    found = _mutation(problem, caller, words, has_changed_vector=False)
    return None if found.verdict is Verdict.PASS else found
