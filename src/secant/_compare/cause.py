"""What the worst draw shows of a kernel that failed: which entries, where they lie, and why.

A cause is named only if it explains the kernel to within what the yardstick allows: "the kernel is
T(truth)" is tried on the whole array. Silence is an answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .._words import comparisons as words
from .._words.reason import Reason

Numbers = np.ndarray[Any, Any]
_SHARE = 0.5  # of all entries: a larger region is no place
_DENSE = 0.25  # of the entries in it that must be wrong


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


def region(wrong: Numbers) -> str | None:
    """Say where the wrong entries lie, if they lie together and are not all."""
    places = np.argwhere(wrong)
    if len(places) < 2:
        return None
    phrases, inside = [], wrong.size
    for axis, length in enumerate(wrong.shape):
        indices = np.unique(places[:, axis])
        phrase = _range(indices, length, axis)
        if phrase is not None:
            phrases.append(phrase)
            inside = inside // length * len(indices)
    if phrases and inside <= _SHARE * wrong.size and len(places) >= _DENSE * inside:
        return f"all at {' and '.join(phrases)}"
    if wrong.ndim < 2:
        return None
    offsets = np.unique(places[:, -1] - places[:, -2])
    is_diagonal = len(offsets) == 1
    return (
        f"all where column − row = {offsets[0]}, in the last two dimensions"
        if is_diagonal
        else None
    )


def _range(indices: Numbers, length: int, axis: int) -> str | None:
    """Spell a range of indices along one dimension, None where it is all of it or has gaps."""
    first, last = int(indices[0]), int(indices[-1])
    if len(indices) in (length, 0) or last - first + 1 != len(indices):
        return None
    if first == last:
        spelt = "the last index" if last == length - 1 else f"index {first}"
    elif last == length - 1:
        spelt = f"index ≥ {first}"
    else:
        spelt = f"index ≤ {last}" if first == 0 else f"indices {first} to {last}"
    return f"{spelt} of dimension {axis}"
