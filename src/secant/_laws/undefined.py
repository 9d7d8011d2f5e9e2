"""Undefined: an absent cotangent is a zero one, so outputs pulled together add up."""

from __future__ import annotations

from .._findings import Finding
from .base import Witness, broken


def broken_link(witness: Witness, place: tuple[int, float] | None, raised: str) -> Finding:
    """Say that an absent cotangent is not treated as zero."""
    if place is None:
        message = f"pulling all outputs together fails: {raised}"
    else:
        message = (
            f"pulling the outputs one at a time does not add up to pulling them together "
            f"({place[1]:.1%} of its size)"
        )
    return broken(
        witness,
        "undefined",
        None if place is None else place[0],
        message,
        "an output's cotangent that is absent is not treated as zero",
        "treat a missing grad_output as zeros for each output separately",
    )
