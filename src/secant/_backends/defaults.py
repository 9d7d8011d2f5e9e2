"""What a framework may do its own way; most do what is written here."""

from __future__ import annotations

import copy
from typing import Any, ClassVar

import numpy as np

from .._errors import InputError
from .algebra import Algebra, Array
from .transforms import Transforms

_GENERATORS = (np.random.Generator, np.random.RandomState, np.random.BitGenerator)


class Defaults(Algebra):
    """The optional part of a backend."""

    name: ClassVar[str]
    records: ClassVar[bool] = True  # arrays know how they came about, so that claims can be had
    is_common: ClassVar[bool] = False  # its arrays are found beside others', and speak last
    pairs_plainly: ClassVar[bool] = False  # rules pair v and J u without a conjugate
    is_array: Any  # the backend's own, like the next three
    is_inexact: Any
    is_complex: Any
    signature: Any

    def as_array(self, value: object) -> Array | None:
        """Return what a hand-written derivative answered as an array, None where it is none."""
        return value if self.is_array(value) else None

    def as_answer(self, output: Any) -> Any:
        """Return what a function answered, numbers that stand for arrays made into arrays."""
        return output

    def private(self, leaf: Any) -> Any:
        """Return an input that is no array as one call may have it: a generator is copied."""
        return copy.deepcopy(leaf) if isinstance(leaf, _GENERATORS) else leaf

    def transforms(self) -> Transforms | None:
        """Return what differentiates functions of arrays that record nothing, if there is any."""
        return None

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
