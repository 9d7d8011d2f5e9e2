"""Signature: a gradient has the shape, dtype and device of its input."""

from __future__ import annotations

from .._findings import Finding
from .base import Witness, broken, kept


def examine(witness: Witness) -> Finding:
    """Compare what came back with the leaves it belongs to."""
    backend, domain = witness.problem.backend, witness.problem.domain
    for pulled in witness.pulleds:
        for part, array in enumerate(pulled.arrays):
            if array is None:
                continue
            expected, found = domain.parts[part].signature, backend.signature(array)
            for what in ("shape", "dtype", "device"):
                wanted, got = getattr(expected, what), getattr(found, what)
                if wanted != got:
                    return broken(
                        witness,
                        "signature",
                        part,
                        f"the gradient has {what} {got}, its input has {wanted}",
                        f"the backward returns a gradient of another {what}",
                        f"return a gradient of {what} {wanted}",
                    )
    return kept("signature")
