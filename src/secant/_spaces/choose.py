"""Choose the space of a leaf: the one place that asks what kind of array it is."""

from __future__ import annotations

from .._backends.base import Array, Backend
from .base import Space
from .complex import ComplexSpace
from .dense import DenseSpace


def space_of(backend: Backend, array: Array) -> Space:
    """Return the space in which `array` has real coordinates."""
    return (ComplexSpace if backend.is_complex(array) else DenseSpace)(backend, array)
