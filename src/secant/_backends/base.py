"""What secant needs of a framework, and nothing more.

A backend takes and gives the framework's own arrays. A *value* has the dtype, shape and layout the
user's function sees; vectors and batches are `algebra.py`'s. Everything else in secant works with
these through the methods below and Python's operators.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .._errors import InputError
from .algebra import Algebra, Array
from .habits import Habits
from .modules import Modules
from .patterns import SparseArrays
from .processes import Processes
from .starting import Starting

__all__ = ["Array", "Backend", "Signature"]


class Signature(NamedTuple):
    """What a gradient must share with its input, and an output with its earlier self."""

    shape: tuple[int, ...]
    dtype: Any
    device: Any
    layout: Any


class Backend(Habits, Modules, Processes, Starting, SparseArrays, Algebra):
    """One framework, as secant sees it."""

    name: ClassVar[str]
    records: ClassVar[bool] = True  # arrays know how they came about, so that claims can be had
    is_common: ClassVar[bool] = False  # its arrays are found beside others', and speak last

    # -- what a value is -------------------------------------------------------------------------

    @abc.abstractmethod
    def is_array(self, value: object) -> bool:
        """Say whether the value is one of this framework's arrays."""

    @abc.abstractmethod
    def is_inexact(self, array: Array) -> bool:
        """Say whether the dtype is floating or complex, so that a derivative makes sense."""

    @abc.abstractmethod
    def is_complex(self, array: Array) -> bool:
        """Say whether the dtype is complex."""

    @abc.abstractmethod
    def is_dense(self, array: Array) -> bool:
        """Say whether every entry is stored, so that entries are coordinates."""

    @abc.abstractmethod
    def can_be_output(self, array: Array) -> bool:
        """Say whether cotangents can be made for such an array."""

    @abc.abstractmethod
    def wants_gradient(self, array: Array) -> bool:
        """Say whether the user marked this array as differentiated."""

    @abc.abstractmethod
    def signature(self, array: Array) -> Signature:
        """Return shape, dtype, device and layout."""

    @abc.abstractmethod
    def has_signature(self, array: Array, signature: Signature) -> bool:
        """Say whether a value is an array of this signature."""

    @abc.abstractmethod
    def roundoff(self, array: Array) -> float:
        """Return the unit round-off of the dtype: half the gap after 1."""

    @abc.abstractmethod
    def stamp(self, array: Array) -> object:
        """Return a token that changes whenever the framework writes into the array."""

    @abc.abstractmethod
    def is_equal(self, one: Array, other: Array) -> bool:
        """Say whether all entries are equal, NaN counted equal to NaN."""

    def as_array(self, value: object) -> Array | None:
        """Return what a hand-written derivative answered as an array, None where it is none."""
        return value if self.is_array(value) else None

    # -- copies ----------------------------------------------------------------------------------

    @abc.abstractmethod
    def copy(self, array: Array) -> Array:
        """Return a private copy of the same layout, cut from any graph."""

    @abc.abstractmethod
    def like_layout(self, array: Array, reference: Array) -> Array:
        """Return the array with the strides of `reference`."""

    @abc.abstractmethod
    def kindred(self, array: Array, reference: Array) -> Array:
        """Return the array made complex or real, as `reference` is."""

    @abc.abstractmethod
    def scattered(self, array: Array) -> Array:
        """Return the same entries stored backwards and with gaps, the gaps filled with NaN."""

    @abc.abstractmethod
    def expanded(self, array: Array) -> Array:
        """Return an array of the same shape that stores its first entry alone, everywhere."""

    @abc.abstractmethod
    def widened(self, array: Array) -> Array:
        """Return the array in float64 or complex128, of the same layout, without its graph."""

    @abc.abstractmethod
    def detached(self, array: Array) -> Array:
        """Return the array without its graph."""

    @abc.abstractmethod
    def shares_memory(self, one: Array, other: Array) -> bool:
        """Say whether two values begin at the same place: a buffer that is used again."""

    # -- dtypes and devices ----------------------------------------------------------------------

    @abc.abstractmethod
    def cast(self, array: Array, dtype: Any) -> Array:
        """Return the array rounded to a floating dtype, given as the framework's or by its name.

        Complex arrays get the dtype's complex counterpart; the layout stays, the graph does not.
        """

    @abc.abstractmethod
    def on_device(self, array: Array, device: Any) -> Array:
        """Return the array on another device, of the same layout, without its graph."""

    def exported(self, array: Array) -> np.ndarray[Any, Any]:
        """Return a value as NumPy's, the common language of frameworks: floats in float64."""
        numbers = self.to_numpy(
            self.flatten(self.as_real(array) if self.is_complex(array) else array)
        )
        if self.is_complex(array):
            numbers = np.ascontiguousarray(numbers).view(np.complex128)
        elif not self.is_inexact(array):
            numbers = numbers.astype(np.int64)
        return numbers.reshape(self.signature(array).shape).copy()

    def imported(self, numbers: np.ndarray[Any, Any], dtype: str) -> Array:  # noqa: ARG002
        """Return NumPy's numbers as a value of a dtype given by its name, as others call it."""
        raise InputError(f"{self.name} takes no arrays of {dtype} from other frameworks")

    @abc.abstractmethod
    def spacing(self, vector: Array, reference: Array) -> Array:
        """Return the gap (ulp) that the dtype of `reference` leaves at each coordinate."""

    @abc.abstractmethod
    def place_of_largest(self, vector: Array) -> int:
        """Return the place of the largest coordinate, the first of equals."""

    # -- derivatives -----------------------------------------------------------------------------

    @abc.abstractmethod
    def leaf(self, array: Array) -> Array:
        """Return a private array such that the framework traces what is done with it."""

    @abc.abstractmethod
    def pull(
        self,
        outputs: Sequence[Array],
        inputs: Sequence[Array],
        cotangents: Sequence[Array],
        *,
        differentiable: bool = False,
    ) -> list[Array | None]:
        """Return Jᵀ v for each input, None where no path leads to it."""

    @abc.abstractmethod
    def pull_nothing(
        self, outputs: Sequence[Array], inputs: Sequence[Array], absent: Collection[int]
    ) -> list[Array | None]:
        """Return Jᵀ 0 for every input, some of the zeros given and the others absent."""

    @abc.abstractmethod
    def has_own_rules(self, outputs: Sequence[Array]) -> bool:
        """Say whether rules or hooks written by hand are seen behind the outputs."""

    @abc.abstractmethod
    def pull_batch(
        self, output: Array, inputs: Sequence[Array], cotangents: Array
    ) -> list[Array | None]:
        """Return Jᵀ v for a batch of v, through the framework's own batching."""

    @abc.abstractmethod
    def push(
        self,
        call: Callable[[Sequence[Array]], Sequence[Array]],
        values: Sequence[Array],
        tangents: Sequence[Array | None],
    ) -> list[Array | None]:
        """Return J u for each output, None where the output has no tangent."""

    @abc.abstractmethod
    def push_batch(
        self,
        call: Callable[[Sequence[Array]], Sequence[Array]],
        values: Sequence[Array],
        part: int,
        tangents: Array,
    ) -> list[Array | None]:
        """Return J u for a batch of u of one input, through the framework's own batching."""

    @abc.abstractmethod
    def map_batch(
        self, call: Callable[[Array], tuple[Array, ...]], batch: Array
    ) -> tuple[Array, ...]:
        """Return the function's outputs for every value of the batch, through vectorisation."""

    @abc.abstractmethod
    def is_attached(self, array: Array) -> bool:
        """Say whether the array depends on a leaf, in the framework's own opinion."""

    @abc.abstractmethod
    def is_unsupported(self, error: BaseException) -> bool:
        """Say whether the framework itself has no derivative here, as against a broken one."""

    @abc.abstractmethod
    def widening(self) -> AbstractContextManager[Any]:
        """Let no operator mix float64 with less: what a function closes over is widened too."""

    # -- state -----------------------------------------------------------------------------------

    @abc.abstractmethod
    def random_state(self) -> Any:
        """Return the state of the framework's own random generators, of which nobody is handed."""

    @abc.abstractmethod
    def set_random_state(self, state: Any) -> None:
        """Put every random generator back into a state that `random_state` returned."""

    @abc.abstractmethod
    def same_random_state(self, one: Any, other: Any) -> bool:
        """Say whether nothing was drawn between the two states."""

    # -- words -----------------------------------------------------------------------------------

    @abc.abstractmethod
    def dtype_name(self, array: Array) -> str:
        """Return the dtype as the user writes it."""

    @abc.abstractmethod
    def version(self) -> str:
        """Return the framework's version."""
