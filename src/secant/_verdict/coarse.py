"""Dtypes of so few digits that a wrong gradient and a right one look alike: no PASS for those."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from .._findings import Finding, Verdict

_COARSE = 2.0**-8  # the round-off of bfloat16; what has fewer digits is meant to be scaled
_TOLD = 1 / 3  # of the largest claim: what is twice too large is off by a half of what it claims


def doubt_coarse(
    findings: Sequence[Finding], roundoffs: Iterable[float], claims: Iterable[float]
) -> list[Finding]:
    """Let nothing pass in float8 that would pass as well if it were twice too large.

    `claims` are the largest entries of the Jacobians, where these were made.
    """
    if max(roundoffs, default=0.0) <= _COARSE:
        return list(findings)
    entries = max(claims, default=0.0)
    return [_doubted(one) if _is_blind(one, entries) else one for one in findings]


def _is_blind(finding: Finding, entries: float) -> bool:
    size = entries or abs(finding.claimed or 0.0)
    if finding.verdict is not Verdict.PASS or finding.kind != "derivative" or not size:
        return False
    return finding.resolution is None or finding.resolution > _TOLD * size


def _doubted(finding: Finding) -> Finding:
    return replace(
        finding,
        verdict=Verdict.INCONCLUSIVE,
        message="for all that was measured the gradient may be twice too large: its dtype has too "
        "few digits",
        advice="check it in float16 or float32",
    )
