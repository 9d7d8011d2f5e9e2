"""Choose the space of a leaf: the one place that asks what kind of array it is."""

from __future__ import annotations

from .._backends.base import Array, Backend
from .base import Space
from .complex import ComplexSpace
from .dense import DenseSpace
from .sparse import MaskedSpace, UnmaskedSpace


def space_of(backend: Backend, array: Array, *, masked: bool = False) -> Space:
    """Return the space in which `array` has real coordinates.

    `masked` says that of a sparse array only the stored entries count.
    """
    dense = ComplexSpace if backend.is_complex(array) else DenseSpace
    if not backend.is_sparse(array):
        return dense(backend, array)
    return (MaskedSpace if masked else UnmaskedSpace)(backend, array, dense)
