"""Layout: the same cotangent stored with gaps between its entries gives the same answer."""

from __future__ import annotations

from .._findings import Finding
from .base import Witness, broken, share_of


def broken_link(witness: Witness, place: tuple[int, float] | None, raised: str) -> Finding:
    """Say that the backward depends on how its cotangent is stored."""
    if place is None:
        message = f"pull(v) fails when v is not contiguous: {raised}"
    else:
        message = f"pull(v) differs by {share_of(place[1])} when v is not contiguous"
    return broken(
        witness,
        "layout",
        None if place is None else place[0],
        message,
        "the backward assumes a contiguous grad_output",
        "call grad_output.contiguous() before handing it to a kernel, or respect its strides",
    )
