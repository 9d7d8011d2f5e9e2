"""Signature: a gradient has the shape, dtype and device of its input, and a layout that fits."""

from __future__ import annotations

from .._findings import Finding
from .base import Witness, broken, kept


def examine(witness: Witness) -> Finding:
    """Compare what came back with the leaves it belongs to."""
    backend, domain = witness.problem.backend, witness.problem.domain
    for pulled in witness.pulleds:
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
                    return broken(
                        witness,
                        "signature",
                        part,
                        f"the gradient has {what} {got}, its input has {wanted}",
                        f"the backward returns a gradient of another {what}",
                        f"return a gradient of {what} {wanted}",
                    )
            wrong = backend.wrong_layout(array, domain.parts[part].reference)
            if wrong:
                return broken(
                    witness,
                    "signature",
                    part,
                    wrong,
                    "the backward returns a gradient that cannot be added to its input",
                    "return a dense gradient, or one of the input's own layout and dimensions",
                )
    return kept("signature")
