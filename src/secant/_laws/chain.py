"""Three laws for the price of one pull: undefined, linearity and layout are links of one chain.

    −8 · Σⱼ pull(vⱼ alone)  ═ undefined ═  −8 · pull(v)  ═ linearity ═  pull(−8 v)  ═ layout ═
    pull(−8 v, stored with gaps)

If the two ends agree, every link holds. Only if they do not is each link asked for by itself. A
power of two commutes with rounding, so that ends that agree in every bit prove determinism too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .._backends.base import Array
from .._claims.base import ClaimRaised, Gradient
from .._findings import Finding
from .._laws import determinism, linearity
from .._words.laws import ASSUMES_ORDER, NOT_LINEAR, OUTPUTS_DO_NOT_ADD_UP
from .base import GENTLE_FACTOR, PulledClaim, broken, furthest, kept
from .rounding import own_noise

LINKS = ("undefined", "linearity", "layout")


def examine(pulled_claim: PulledClaim, laws: frozenset[str]) -> list[Finding]:
    """Ask the chain's far end, and the links one by one if the ends disagree."""
    asked = list(filter(laws.__contains__, LINKS))
    is_determinism_asked = "determinism" in laws
    if not asked:
        return [determinism.examine(pulled_claim)] if is_determinism_asked else []
    start = pulled_claim.added_up()
    try:
        end = pulled_claim.problem.coordinates(_ask(pulled_claim, asked))
        if _overflows(pulled_claim, start, end):
            pulled_claim = replace(pulled_claim, factor=GENTLE_FACTOR)
            end = pulled_claim.problem.coordinates(_ask(pulled_claim, asked))
    except ClaimRaised as raised:
        findings = _link_by_link(pulled_claim, asked, start, is_determinism_asked)
        if is_determinism_asked and all(map(determinism.is_kept, findings)):
            return [determinism.raised_again(pulled_claim, str(raised))]
        return findings
    factor = pulled_claim.factor if "linearity" in asked else 1.0
    place, is_identical = furthest(pulled_claim, start, end, factor)
    if place is not None:
        return _link_by_link(pulled_claim, asked, start, is_determinism_asked)
    findings = list(map(kept, asked))
    if not is_identical and pulled_claim.forgiven and "linearity" in asked:
        findings = _without_offset(pulled_claim, findings)
    if is_determinism_asked:
        is_proven = is_identical or _repeats(pulled_claim, asked, end)
        findings.append(kept("determinism") if is_proven else determinism.examine(pulled_claim))
    return findings


def _repeats(pulled_claim: PulledClaim, asked: Sequence[str], end: Sequence[Array | None]) -> bool:
    """Say whether the far end, pulled again, is the same in every bit.

    Of several outputs the ends differ by the rounding of their sum. One more pull shows of all of
    them what each would show by itself; where it is not the same they are asked one by one.
    """
    if len(pulled_claim.pulleds) < 2 or pulled_claim.nondeterminism is not None:
        return False
    try:
        again = pulled_claim.problem.coordinates(_ask(pulled_claim, asked))
    except ClaimRaised:
        return False
    is_equal = pulled_claim.problem.backend.is_equal
    return all(
        a is b is None or (a is not None and b is not None and is_equal(a, b))
        for a, b in zip(end, again, strict=True)
    )


def _without_offset(pulled_claim: PulledClaim, findings: list[Finding]) -> list[Finding]:
    """Ask for pull(0) too: what is forgiven at the ends may be an offset, added by a hook or so."""
    try:
        offset = linearity.examine_zero(pulled_claim)
    except ClaimRaised:
        return findings  # zeros of some layouts cannot be made
    return [offset if offset and one.kind == "linearity" else one for one in findings]


def _overflows(
    pulled_claim: PulledClaim, start: Sequence[Array | None], end: Sequence[Array | None]
) -> bool:
    """Say whether the far end holds infinities where the near one does not."""
    is_finite = pulled_claim.problem.backend.is_finite
    for a, b in zip(start, end, strict=True):
        if a is not None and b is not None and not is_finite(b) and is_finite(a):
            return True
    return False


def _ask(pulled_claim: PulledClaim, links: Sequence[str]) -> Gradient:
    """Pull all outputs' cotangents at once, changed in all the ways the links allow."""
    cotangents: list[Array | None] = [None] * len(pulled_claim.claim.trace.outputs)
    for pulled in pulled_claim.pulleds:
        factor = pulled_claim.factor if "linearity" in links else 1.0
        space = pulled_claim.problem.codomain.parts[pulled.output]
        value = space.passing(pulled.cotangent * factor)
        if "layout" in links:
            value = pulled_claim.problem.backend.scattered(value)
        cotangents[pulled.output] = value
    return pulled_claim.claim.pull(cotangents)


def _link_by_link(
    pulled_claim: PulledClaim,
    asked: Sequence[str],
    start: Sequence[Array | None],
    is_determinism_asked: bool,
) -> list[Finding]:
    """Find the links that are broken by more than rounding does to the claim.

    A claim that is not repeatable breaks them all.
    """
    try:
        repeatable = determinism.examine(pulled_claim)
    except ClaimRaised as raised:
        return [determinism.raised_again(pulled_claim, str(raised))]
    if not determinism.is_kept(repeatable):
        return [repeatable] if is_determinism_asked else []
    findings = [repeatable] if is_determinism_asked else []
    pulled_claim = replace(pulled_claim, noise=own_noise(pulled_claim))
    before = list(start)
    links: list[str] = []
    for link in asked:
        links.append(link)
        factor = pulled_claim.factor if link == "linearity" else 1.0
        try:
            after: list[Array | None] = pulled_claim.problem.coordinates(_ask(pulled_claim, links))
        except ClaimRaised as raised:
            findings.append(_broken_link(pulled_claim, link, None, 0.0, str(raised)))
            continue
        place, _ = furthest(pulled_claim, before, after, factor)
        findings.append(
            kept(link) if place is None else _broken_link(pulled_claim, link, *place, "")
        )
        before = after
    return findings


def _broken_link(
    pulled_claim: PulledClaim, link: str, part: int | None, share: float, raised: str
) -> Finding:
    """Say what a backward depends on: absent cotangents, their size, how they are stored."""
    reason = OUTPUTS_DO_NOT_ADD_UP(share=share, error=raised)
    if link == "linearity":
        reason = NOT_LINEAR(factor=pulled_claim.factor, share=share, error=raised)
    elif link == "layout":
        space = pulled_claim.problem.codomain.parts[pulled_claim.pulleds[0].output]
        orderly = pulled_claim.problem.backend.sparse.scattering(space.reference)
        reason = ASSUMES_ORDER(orderly=orderly, share=share, error=raised)
    return broken(pulled_claim, link, part, reason)
