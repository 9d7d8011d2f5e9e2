"""Arrays of a framework made of NumPy's numbers, in any dtype and layout: for those who draw them.

Naming a framework here imports it; nothing else in this module does.
"""

from __future__ import annotations

import abc
import importlib
import importlib.util
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._errors import InputError, expected, one_of

# framework -> the module here that makes its arrays
_KNOWN = {
    "torch": ("secant._backends.torch.maker", "TorchMaker"),
    "jax": ("secant._backends.jax.maker", "JaxMaker"),
    "numpy": ("secant._backends.arrays.numpy_maker", "NumpyMaker"),
}
LAYOUTS = ("contiguous", "transposed", "sliced", "expanded")
"""How entries may lie in memory, the simplest first.

Transposed: the axes in reverse order. Sliced: every second entry of the last axis. Expanded: the
first axis that is longer than 1 has a stride of 0, so that its entries are one.
"""


class Maker(abc.ABC):
    """Makes the arrays of one framework."""

    layouts: Sequence[str] = LAYOUTS
    dtypes: Sequence[str]
    records = True  # derivatives; where not, they are written by hand

    @abc.abstractmethod
    def default(self) -> str:
        """Return the dtype that is drawn unless another is asked for."""

    def refuse(self, dtype: str) -> None:  # noqa: B027 most frameworks have all their dtypes at once
        """Raise `InputError` if the framework has no such dtype as it is set up."""

    @abc.abstractmethod
    def make(
        self, numbers: np.ndarray[Any, Any], dtype: str, layout: str, shape: Sequence[int]
    ) -> Any:
        """Return an array of these numbers, in which what an expanded axis repeats stands once."""


def maker_of(framework: str) -> Maker:
    """Return what makes a framework's arrays; the framework is imported."""
    if framework not in _KNOWN:
        raise expected("framework", one_of(_KNOWN), framework)
    if importlib.util.find_spec(framework) is None:
        raise InputError(
            f"expected {framework} to be installed, to draw its arrays; "
            f"run: pip install 'secant[{framework}]'"
        )
    module, name = _KNOWN[framework]
    maker: Maker = getattr(importlib.import_module(module), name)()
    return maker


def repeated(shape: Sequence[int], layout: str) -> tuple[int, ...]:
    """Return the shape of the numbers that an array of this shape and layout is made of."""
    base = list(shape)
    if layout == "expanded":
        base[expanded_axis(shape)] = 1
    return tuple(base)


def expanded_axis(shape: Sequence[int]) -> int:
    """Return the first axis along which there is something to repeat."""
    return next(axis for axis, side in enumerate(shape) if side > 1)


def has_room(shape: Sequence[int], layout: str) -> bool:
    """Say whether an array of this shape can have a layout that is not contiguous."""
    if 0 in shape:
        return layout == "contiguous"
    if layout == "transposed":
        return sum(side > 1 for side in shape) > 1
    if layout == "sliced":
        return len(shape) > 0 and shape[-1] > 1
    return layout == "contiguous" or any(side > 1 for side in shape)
