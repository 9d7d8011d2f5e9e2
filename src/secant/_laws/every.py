"""Ask all laws that were chosen."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from .._claims.base import ClaimRaised
from .._claims.forward import ForwardClaim
from .._findings import Finding, Verdict, gravest_of
from .._laws import (
    adjointness,
    batching,
    chain,
    infinite,
    layout,
    linearity,
    mutation,
    primal,
    signature,
    subsets,
    undefined,
)
from .._words.laws import NOT_ASKED, PULLING_FAILS, QUESTION_RAISES
from .base import PulledClaim, broken, unasked


def examine_laws(
    pulled_claim: PulledClaim, laws: frozenset[str], forward: ForwardClaim | None
) -> list[Finding]:
    """Return one finding per law; liveness is judged with the measurement, where it shows."""
    findings = chain.examine(pulled_claim, laws)
    is_repeatable = gravest_of(findings) is Verdict.PASS or all(map(_is_repeatable, findings))
    for law, examine in _SINGLE.items():
        if law in laws and (is_repeatable or law == "signature"):
            findings.append(_guarded(pulled_claim, law, examine))
    if forward is not None and "adjointness" in laws and is_repeatable:
        ask = partial(adjointness.examine, forward=forward)
        findings.append(_guarded(pulled_claim, "adjointness", ask))
    findings += infinite.examine(pulled_claim)
    if pulled_claim.claim.has_own_rules() and gravest_of(findings) is Verdict.PASS:
        findings = _of_own_rules(pulled_claim, laws, findings)
    same = primal.examine(pulled_claim) if "primal" in laws else None
    if same is not None:
        findings.append(same)
    if "mutation" in laws:  # last: it looks at what all the others have left behind
        findings.append(mutation.examine(pulled_claim))
    return findings


def _of_own_rules(
    pulled_claim: PulledClaim, laws: frozenset[str], findings: list[Finding]
) -> list[Finding]:
    """Ask about zero, absent and expanded cotangents, which only hand-written rules get wrong."""
    for law, examine in (
        ("linearity", linearity.examine_zero),
        ("undefined", undefined.examine_nothing),
        ("layout", layout.examine_expanded),
    ):
        try:
            found = examine(pulled_claim) if law in laws else None
        except ClaimRaised as raised:
            what = "an expanded cotangent" if law == "layout" else "zeros"
            found = broken(pulled_claim, law, None, PULLING_FAILS(what=what, error=str(raised)))
        if found is not None and found.kind in laws:
            return [one for one in findings if one.kind != found.kind] + [found]
    return findings


_SINGLE: dict[str, Callable[[PulledClaim], Finding]] = {
    "signature": signature.examine,
    "batching": batching.examine,
    "subsets": subsets.examine,
}


def _is_repeatable(one: Finding) -> bool:
    return one.kind != "determinism" or one.verdict is Verdict.PASS


def _guarded(
    pulled_claim: PulledClaim, law: str, examine: Callable[[PulledClaim], Finding]
) -> Finding:
    """Ask one law; a claim that raises under it has broken it."""
    try:
        return examine(pulled_claim)
    except ClaimRaised as raised:
        if pulled_claim.problem.backend.is_unsupported(raised.error):
            return unasked(law, NOT_ASKED(law=law, error=str(raised)), raised.error)
        return broken(pulled_claim, law, None, QUESTION_RAISES(law=law, error=str(raised)))
