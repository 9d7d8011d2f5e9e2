"""Linearity: pull(a v) = a pull(v), negative a included; pull(0) = 0 follows."""

from __future__ import annotations

from .._findings import Finding
from .base import Witness, broken, share_of
from .undefined import pulled_from_nothing


def examine_zero(witness: Witness) -> Finding | None:
    """Pull zeros, which must give zeros to the last bit; return what is broken, or None."""
    part = pulled_from_nothing(witness, ())
    if part is None:
        return None
    return broken(
        witness,
        "linearity",
        part,
        "pull(0) is not zero",
        "the backward adds something that is not multiplied by grad_output",
        "multiply every term by grad_output",
    )


def broken_link(witness: Witness, place: tuple[int, float] | None, raised: str) -> Finding:
    """Say that the backward is not linear in its cotangent."""
    factor = witness.factor
    if place is None:
        message = f"pull({factor:g} v) fails where pull(v) does not: {raised}"
    else:
        message = f"pull({factor:g} v) differs from {factor:g} pull(v) by {share_of(place[1])}"
    return broken(
        witness,
        "linearity",
        None if place is None else place[0],
        message,
        "the backward is not linear in grad_output (an abs, relu, clamp, sign, square or constant)",
        "multiply by grad_output exactly once, whatever its sign or size",
    )
