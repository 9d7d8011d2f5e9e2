"""Choose the space of a leaf: the one place that asks what kind of array it is."""

from __future__ import annotations

from typing import Any

from .._backends.base import Array, Backend
from .base import Space
from .complex import ComplexSpace
from .dense import DenseSpace
from .finite import FiniteSpace
from .sparse import MaskedSpace, UnmaskedSpace

_known: dict[Any, Space] = {}  # of ordinary arrays, by backend and kind: the same few come again
_MOST_KNOWN = 256


def space_of(backend: Backend, array: Array, *, masked: bool = False) -> Space:
    """Return the space in which `array` has real coordinates.

    `masked` says that of a sparse array only the stored entries count.
    """
    known = known_space(backend, array)
    if known is not None:
        return known
    kind = backend.kind(array)
    if kind is not None:
        return _kept(backend, kind, array)
    dense = _dense(backend, array)
    if not backend.sparse.is_sparse(array):
        return dense(backend, array)
    return (MaskedSpace if masked else UnmaskedSpace)(backend, array, dense)


def known_space(backend: Backend, array: Array) -> Space | None:
    """Return the space of an ordinary array of a kind that was looked at before, else None."""
    kind = backend.kind(array)
    return None if kind is None else _known.get((backend, *kind))


def _kept(backend: Backend, kind: tuple[Any, ...], array: Array) -> Space:
    """Return the space of an ordinary array, for all that are like it; none of them is kept.

    Nor is what is made while casts are left out: it is of another dtype.
    """
    dense = _dense(backend, array)
    own = dense(backend, array)
    made = own.assemble(backend.zeros(own.size, array))
    alike = backend.like_layout(made, array)
    if not backend.has_signature(alike, own.signature):
        return own
    space = dense(backend, alike)
    space.is_in_order = alike is made
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    _known[backend, *kind] = space
    return space


def space_of_point(
    backend: Backend, point: Array, *, masked: bool = False
) -> tuple[Space, Array | None]:
    """Return the space of a leaf that is moved, and the point in it where that is known already.

    The infinities in it stay where they are.
    """
    space = space_of(backend, point, masked=masked)
    if type(space) in (MaskedSpace, UnmaskedSpace):  # no `isinstance`: abstract classes ask long
        return space, None
    vector = space.coordinates(point)
    if backend.is_finite(vector):
        return space, vector
    return FiniteSpace(backend, point, _dense(backend, point)), None


def _dense(backend: Backend, array: Array) -> type[Space]:
    return ComplexSpace if backend.is_complex(array) else DenseSpace
