"""The second door: what to implement so that secant checks another framework's derivatives.

A `Backend` is all that secant knows about a framework: what its arrays are, how they become float64
coordinates and back, and how it pulls and pushes. The docstring of each method says what is asked.
Register one under the name of the framework's module, and `secant.check` takes its arrays::

    import secant, tinyad
    from secant.extend import Backend, Signature, register

    class TinyBackend(Backend):
        name = "tinyad"

        def is_array(self, value):
            return isinstance(value, tinyad.Variable)

        def pull(self, outputs, inputs, cotangents, *, differentiable=False):
            return tinyad.pull(outputs, inputs, cotangents, differentiable)

        ...  # and the other methods of `Backend`

    register("tinyad", TinyBackend())
    secant.check(tinyad.sin, tinyad.Variable([0.5, 1.0]))

A framework that differentiates functions instead of arrays also gives `prepared`, whose outputs
remember the call. This one is complete in `tests/tinyad_backend.py`, and beside it
`tests/tinyad.py`, the framework. Spaces and probes cannot be added from outside yet.

A `Catalogue` holds operators with sample inputs, for `secant audit module:attribute`: `operators`
gives an `Operator` for each, `samples` its `Sample`s on the given `Terms`, or raises `Skipped`.
"""

from __future__ import annotations

from ._backends.base import Array, Backend, Numbers, Signature
from ._backends.catalogues import Catalogue, Operator, Sample, Skipped, Terms
from ._backends.registry import register

__all__ = [
    "Array",
    "Backend",
    "Numbers",
    "Signature",
    "register",
    "Catalogue",
    "Operator",
    "Sample",
    "Skipped",
    "Terms",
]
