"""What the worst draw shows of a kernel that failed: which entries, where they lie, and why.

A cause is named only if it explains the kernel to within what the yardstick allows: "the kernel is
T(truth)" is tried on the whole array. Silence is an answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .._verdict.picture import Flags, marginal, outer, picture_of
from .._words import comparisons as words
from .._words import places
from .._words.reason import Reason

Numbers = np.ndarray[Any, Any]


def likely_cause(kernel: Numbers, truth: Numbers, bound: float) -> Reason | None:
    """Return what turns the truth into the kernel, to within `bound` in norm; None if unclear."""
    size = float(np.linalg.norm(truth))
    if size <= 2 * bound or kernel.size < 2:
        return None
    if not kernel.any():
        return words.KERNEL_IS_ZERO()
    factor = complex(np.vdot(truth, kernel)) / size**2
    blur = bound / size
    if np.linalg.norm(kernel - factor * truth) <= bound * max(1.0, abs(factor)):
        if abs(factor - 1) <= blur:
            return None
        if abs(factor + 1) <= blur:
            return words.KERNEL_HAS_WRONG_SIGN()
        if abs(factor.imag) <= blur:
            apart = abs(factor.real - 1)  # from 1, of which the digits must tell it
            told = 1 + max(1, int(np.ceil(-np.log10(apart)))) if apart else 1
            digits = min(max(told, int(-np.log10(max(blur, 1e-15)))), 6)
            return words.KERNEL_FACTOR(factor=float(f"{factor.real:.{digits}g}"))
    for reason, changed in _changes(truth):
        if np.linalg.norm(kernel - changed) <= bound < np.linalg.norm(truth - changed):
            return reason
    return None


def _changes(truth: Numbers) -> Iterator[tuple[Reason, Numbers]]:
    """Yield what may have been done to the truth."""
    if np.iscomplexobj(truth):
        yield words.KERNEL_IS_CONJUGATE(), np.conj(truth)
    if truth.ndim >= 2:
        swapped = np.swapaxes(truth, -1, -2).reshape(truth.shape)
        yield words.KERNEL_IS_TRANSPOSED(), swapped
    for axis, length in enumerate(truth.shape):
        if length > 1:
            axes = (axis,) if truth.ndim > 1 else ()
            yield words.KERNEL_IS_REVERSED(axes=axes), np.flip(truth, axis)


def region(wrong: Flags) -> Reason | None:
    """Say where the wrong entries lie, if they lie together and are not all.

    Among them some may be within the limit by luck: dimensions along which there are gaps are taken
    whole, where most entries are still wrong then.
    """
    if wrong.sum() < 2:
        return None
    chosen = [marginal(wrong, axis) for axis in range(wrong.ndim)]
    ranges = [np.ones_like(one) if _has_gaps(one) else one for one in chosen]
    whole = outer(ranges)
    is_place = 2 * whole.sum() <= wrong.size and 2 * wrong.sum() > whole.sum()
    picture = picture_of(whole if is_place else wrong)
    return None if picture is None else places.ALL_AT(where=picture.pieces)


def _has_gaps(flags: Flags) -> bool:
    places = np.flatnonzero(flags)
    return int(np.ptp(places)) + 1 > places.size
