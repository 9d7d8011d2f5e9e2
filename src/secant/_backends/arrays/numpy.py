"""NumPy: arrays of main memory, whose derivatives are written by hand or come from autograd.

Conjugation: a gradient g of a complex input means Re⟨v, J u⟩ = Re⟨g, u⟩ with ⟨a, b⟩ = Σ ā b, so the
gradient of a real loss is ∂L/∂a + i ∂L/∂b, as in torch. Extended precision (longdouble) is checked
with the sixteen digits that coordinates have.
"""

from __future__ import annotations

import operator
import sys
from typing import Any

import numpy as np
import optree

from ..base import Array, Backend, Numbers
from ..interface.autodiff import ByHand
from ..interface.transforms import Transforms


class NumpyBackend(ByHand, Backend):
    """NumPy, as secant sees it."""

    name = "numpy"
    is_common = True

    # called as they are, without a call of Python's around them
    numbers = staticmethod(np.asarray)  # type: ignore[assignment]
    dtype = staticmethod(operator.attrgetter("dtype"))  # type: ignore[assignment]

    def is_array(self, value: object) -> bool:
        return isinstance(value, (np.ndarray, np.generic))

    def from_numbers(self, numbers: Numbers, reference: Array | None) -> Array:
        """Return the same numbers as an array of the reference's own class (`np.matrix`, …)."""
        kind = type(reference)
        if isinstance(reference, np.generic):
            return numbers[()] if numbers.ndim == 0 else numbers
        return numbers if reference is None or kind is np.ndarray else numbers.view(kind)

    # -- NumPy's own ways ------------------------------------------------------------------------

    def is_dense(self, array: Array) -> bool:
        return not isinstance(array, np.ma.MaskedArray)

    def as_array(self, value: object) -> Array | None:
        """Take what NumPy's own functions take: numbers, and lists of them."""
        if self.is_array(value):
            return value
        try:
            array = np.asarray(value)
        except (TypeError, ValueError):
            return None
        return array if array.dtype.kind in "biufc" else None

    def as_answer(self, output: Any) -> Any:
        """Take Python's numbers, and lists of numbers, for the arrays that they stand for."""
        if isinstance(output, (np.ndarray, np.generic)):
            return output
        if isinstance(output, (float, complex, int)) and not isinstance(output, bool):
            return np.complex128(output) if isinstance(output, complex) else np.float64(output)
        if type(output) is list and output and all(map(_is_number, output)):
            return np.asarray(output) + 0.0
        return optree.tree_map(_typed, output)

    def detached(self, array: Array) -> Array:
        return array

    def like_layout(self, array: Array, reference: Array) -> Array:
        if isinstance(reference, np.generic) or array.strides == reference.strides:
            return array
        if not array.size or 0 in reference.strides or _overlaps(reference):
            return array
        laid_out = _laid_out(reference.shape, reference.strides, array.dtype)
        laid_out[...] = array
        return laid_out

    def transforms(self) -> Transforms | None:
        """Autograd's, where the user has imported its NumPy."""
        if "autograd.numpy" not in sys.modules:
            return None
        from .autograd import Autograd

        return Autograd()


def _is_number(value: object) -> bool:
    is_scalar = isinstance(value, (float, complex, int, np.number)) and not isinstance(value, bool)
    return is_scalar or (isinstance(value, np.ndarray) and value.ndim == 0)


def _typed(value: object) -> object:
    """Return a Python number as NumPy's; whole numbers are counts, not results."""
    if isinstance(value, np.generic):
        return value
    if isinstance(value, complex):
        return np.complex128(value)
    return np.float64(value) if isinstance(value, float) else value


def _laid_out(shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any) -> Numbers:
    """Return a new array of these strides, in memory of its own."""
    reach = [stride * (size - 1) for size, stride in zip(shape, strides, strict=True)]
    before, after = -sum(min(0, one) for one in reach), sum(max(0, one) for one in reach)
    buffer = np.zeros(before + after + dtype.itemsize, np.uint8)
    return np.ndarray(shape, dtype, buffer, before, strides)


def _overlaps(array: Numbers) -> bool:
    """Say whether two entries may share memory (strides that fold back)."""
    reach = array.dtype.itemsize
    sizes = [(abs(stride), size) for size, stride in zip(array.shape, array.strides, strict=True)]
    for stride, size in sorted(sizes):
        if size == 1:
            continue
        if stride < reach:
            return True
        reach += stride * (size - 1)
    return False
