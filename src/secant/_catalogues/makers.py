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
    "torch": ("secant._catalogues.torch.maker", "TorchMaker"),
    "jax": ("secant._catalogues.jax.maker", "JaxMaker"),
    "numpy": ("secant._catalogues.numpy_maker", "NumpyMaker"),
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

    def read(self, value: Any) -> tuple[np.ndarray[Any, Any], str] | None:
        """Return the numbers of an array and its dtype's name; None where it has no such array."""
        numbers = np.asarray(value)
        return (numbers, numbers.dtype.name) if numbers.dtype.name in self.dtypes else None

    @abc.abstractmethod
    def make(self, numbers: np.ndarray[Any, Any], dtype: str, layout: str) -> Any:
        """Return an array of these numbers; an expanded one has those that it repeats."""


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


def unrepeated(numbers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return what an expanded array repeats: the first entries along the first longer axis."""
    axis = next(axis for axis, side in enumerate(numbers.shape) if side > 1)
    return numbers.take([0], axis)


def has_room(shape: Sequence[int], layout: str) -> bool:
    """Say whether an array of this shape can have a layout that is not contiguous."""
    if 0 in shape:
        return layout == "contiguous"
    if layout == "transposed":
        return sum(side > 1 for side in shape) > 1
    if layout == "sliced":
        return len(shape) > 0 and shape[-1] > 1
    return layout == "contiguous" or any(side > 1 for side in shape)
