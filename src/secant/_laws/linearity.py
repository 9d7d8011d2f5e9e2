"""Linearity: pull(a v) = a pull(v), negative a included; pull(0) = 0 follows."""

from __future__ import annotations

from .._findings import Finding
from .._words.laws import ADDS_SOMETHING
from .base import PulledClaim, broken
from .undefined import pulled_from_nothing


def examine_zero(pulled_claim: PulledClaim) -> Finding | None:
    """Pull zeros, which must give zeros to the last bit; return what is broken, or None."""
    part = pulled_from_nothing(pulled_claim, ())
    if part is None:
        return None
    return broken(pulled_claim, "linearity", part, ADDS_SOMETHING())
