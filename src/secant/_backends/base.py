"""What secant needs of a framework, and nothing more.

    is_array, numbers, from_numbers     what its arrays are (`values.py`)
    leaf, is_attached, pull             how it differentiates (`autodiff.py`)

Everything else in secant works with arrays through these and what follows from them, and through
Python's operators. What only some frameworks have is offered beside, each in an object of its own
that says "there are none" unless a backend puts another in its place.
"""

from __future__ import annotations

from typing import ClassVar

from .arithmetic.algebra import Algebra, Array, Numbers
from .interface.autodiff import Autodiff
from .interface.modes import Modes
from .interface.modules import Modules
from .interface.patterns import SparseArrays
from .interface.processes import Processes
from .interface.targets import Targets
from .interface.values import Signature, Values
from .interface.versions import Versions
from .process.generators import Generator

__all__ = ["Array", "Backend", "Numbers", "Signature"]


class Backend(Values, Algebra, Autodiff):
    """One framework, as secant sees it."""

    modules: ClassVar[Modules] = Modules()  # callables that hold arrays of their own
    sparse: ClassVar[SparseArrays] = SparseArrays()
    versions: ClassVar[Versions] = Versions()  # the same function in float64, without its casts
    modes: ClassVar[Modes] = Modes()  # flags of the framework that a check must not leave changed
    generator: ClassVar[Generator | None] = None  # random numbers that belong to the process
    processes: ClassVar[Processes] = Processes()
    targets: ClassVar[Targets] = Targets()  # for programs that make the inputs, as commands do

    def spacing(self, vector: Array, reference: Array) -> Array:
        """Return the gap (ulp) that the dtype of `reference` leaves at each coordinate."""
        return self.gaps(vector, 2 * self.roundoff(reference), self.least(reference))
