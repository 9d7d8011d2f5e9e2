"""The second door: what to implement so that secant checks another framework's derivatives.

A `Backend` is all that secant knows about a framework: which things are its arrays, what numbers
they hold, and how it differentiates. Six methods; the rest follows from them, over NumPy. Register
one under the name of the framework's module, and `secant.check` takes its arrays::

    import secant, tinyad
    from secant.extend import Backend, register

    class TinyBackend(Backend):
        name = "tinyad"

        def is_array(self, value):
            return isinstance(value, tinyad.Variable)

        def numbers(self, array):  # as NumPy's, of its own dtype
            return array.numbers

        def from_numbers(self, numbers, reference):  # where the reference is
            return tinyad.Variable(numbers)

        def leaf(self, array):  # what is done with it is recorded
            return tinyad.leaf(array.numbers)

        def is_attached(self, array):  # to a leaf, by its record
            return array.is_traced

        def pull(self, outputs, inputs, cotangents, *, differentiable=False):
            return tinyad.pull(outputs, inputs, cotangents, differentiable=differentiable)

    register("tinyad", TinyBackend())
    secant.check(tinyad.sin, tinyad.Variable([0.5, 1.0]))

What a framework can do beside or better, it overrides: `push` (forward mode; `push_by_pulls` where
pulls can be pulled), `pull_batch`, `wants_gradient`, `copy`, `dtype`. One that differentiates
functions instead of arrays gives `prepared`, whose outputs remember the call. Modules, sparse
arrays, modes, random generators and the like are objects of their own, each with nothing in it
until it is given: `modules`, `sparse`, `modes`, `generator`, `versions`, `processes`, `targets`.

`conformance` gives what a backend must do as cases to run::

    @pytest.mark.parametrize("case", conformance(TinyBackend()), ids=str)
    def test_tinyad_conforms(case):
        case()

A `Catalogue` holds operators with sample inputs, for `secant audit module:attribute`: `operators`
gives an `Operator` for each, `samples` its `Sample`s on the given `Terms`, or raises `Skipped`.
"""

from __future__ import annotations

from ._backends.base import Array, Backend, Signature
from ._backends.interface.modes import Modes
from ._backends.interface.modules import Call, Modules, Unfolded
from ._backends.interface.patterns import Pattern, SparseArrays
from ._backends.interface.targets import Targets
from ._backends.interface.versions import Versions
from ._backends.process.generators import Generator
from ._backends.registry import register
from ._catalogues.catalogues import Catalogue, Operator, Sample, Skipped, Terms
from ._conformance import Requirement, conformance

__all__ = [
    "Array",
    "Backend",
    "Signature",
    "register",
    "Requirement",
    "conformance",
    "Modules",
    "Unfolded",
    "Call",
    "SparseArrays",
    "Pattern",
    "Versions",
    "Modes",
    "Generator",
    "Targets",
    "Catalogue",
    "Operator",
    "Sample",
    "Skipped",
    "Terms",
]
