"""Choose the space of a leaf: the one place that asks what kind of array it is."""

from __future__ import annotations

from .._backends.base import Array, Backend
from .base import Space
from .complex import ComplexSpace
from .dense import DenseSpace
from .finite import FiniteSpace
from .sparse import MaskedSpace, UnmaskedSpace


def space_of(backend: Backend, array: Array, *, masked: bool = False) -> Space:
    """Return the space in which `array` has real coordinates.

    `masked` says that of a sparse array only the stored entries count.
    """
    dense = _dense(backend, array)
    if not backend.sparse.is_sparse(array):
        return dense(backend, array)
    return (MaskedSpace if masked else UnmaskedSpace)(backend, array, dense)


def space_of_point(
    backend: Backend, point: Array, *, masked: bool = False
) -> tuple[Space, Array | None]:
    """Return the space of a leaf that is moved, and the point in it where that is known already.

    The infinities in it stay where they are.
    """
    space = space_of(backend, point, masked=masked)
    if not backend.is_dense(point):
        return space, None
    vector = space.coordinates(point)
    if backend.is_finite(vector):
        return space, vector
    return FiniteSpace(backend, point, _dense(backend, point)), None


def _dense(backend: Backend, array: Array) -> type[Space]:
    return ComplexSpace if backend.is_complex(array) else DenseSpace
