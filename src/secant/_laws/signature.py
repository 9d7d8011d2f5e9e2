"""Signature: a gradient has the shape, dtype and device of its input, and a layout that fits."""

from __future__ import annotations

from .._findings import Finding
from .._words.laws import WRONG_LAYOUT, WRONG_SIGNATURE
from .base import PulledClaim, broken, kept


def examine(pulled_claim: PulledClaim) -> Finding:
    """Compare what came back with the leaves it belongs to."""
    backend, domain = pulled_claim.problem.backend, pulled_claim.problem.domain
    for pulled in pulled_claim.pulleds:
        for part, array in enumerate(pulled.arrays):
            expected = domain.parts[part].signature
            if array is None or (
                backend.is_dense(array) and backend.has_signature(array, expected)
            ):
                continue
            found = backend.signature(array)
            for what in ("shape", "dtype", "device"):
                wanted, got = getattr(expected, what), getattr(found, what)
                if wanted != got:
                    reason = WRONG_SIGNATURE(what=what, found=str(got), wanted=str(wanted))
                    return broken(pulled_claim, "signature", part, reason)
            wrong = backend.sparse.wrong_layout(array, domain.parts[part].reference)
            if wrong is not None:
                what, unfit, fitting = wrong
                reason = WRONG_LAYOUT(what=what, found=unfit, wanted=fitting)
                return broken(pulled_claim, "signature", part, reason)
    return kept("signature")
