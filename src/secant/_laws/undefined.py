"""Undefined: an absent cotangent is a zero one, so outputs pulled together add up."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from .._claims.base import ClaimRaised
from .._errors import spell
from .._findings import Finding
from .._words.laws import COTANGENT_ABSENT
from .base import PulledClaim, broken


def examine_nothing(pulled_claim: PulledClaim) -> Finding | None:
    """Pull zeros, all of them absent and then one at a time; return what is broken, or None."""
    outputs = range(len(pulled_claim.claim.trace.outputs))
    for absent in [set(outputs), *([{k} for k in outputs] if len(outputs) > 1 else [])]:
        try:
            part = pulled_from_nothing(pulled_claim, absent)
        except ClaimRaised as raised:
            if pulled_claim.problem.backend.is_unsupported(raised.error):
                return None  # zeros of some layouts cannot be made, which is no fault of the rule
            finding = broken(
                pulled_claim, "undefined", None, COTANGENT_ABSENT(error=spell(raised.error))
            )
            return replace(finding, raised=raised.error)
        if part is not None:
            return broken(pulled_claim, "undefined", part, COTANGENT_ABSENT(error=""))
    return None


def pulled_from_nothing(pulled_claim: PulledClaim, absent: Collection[int]) -> int | None:
    """Return a leaf that gets a gradient from zero cotangents, those of some outputs absent."""
    backend = pulled_claim.problem.backend
    gradients = pulled_claim.problem.coordinates(pulled_claim.claim.pull_nothing(absent))
    for part, gradient in enumerate(gradients):
        if gradient is None or _has_holes(pulled_claim, part):  # 0·inf is no claim about nothing
            continue
        if backend.largest(gradient) != 0:
            return part
    return None


def _has_holes(pulled_claim: PulledClaim, part: int) -> bool:
    """Say whether the claim is infinite or NaN somewhere in a leaf."""
    gradients = (pulled.gradients[part] for pulled in pulled_claim.pulleds)
    return any(
        one is not None and not pulled_claim.problem.backend.is_finite(one) for one in gradients
    )
