"""Arrays that cannot be measured, as inputs, parameters or outputs: refused in one sentence."""

from __future__ import annotations

from collections.abc import Callable

from .._backends.base import Array, Backend
from .._errors import InputError

_MOST_DIMENSIONS = 60  # NumPy has 64; batches, complex numbers and gaps between entries take some


def refuse_unusable(backend: Backend, array: Array, path: Callable[[], str]) -> None:
    """Say what about an array leaves nothing to measure."""
    why = backend.unusable(array)
    if why:
        raise InputError(f"expected arrays that can be measured; {path()} {why}")
    dimensions = len(backend.signature(array).shape)
    if dimensions > _MOST_DIMENSIONS:
        raise InputError(
            f"expected arrays of at most {_MOST_DIMENSIONS} dimensions; {path()} has {dimensions}"
        )
