"""Claims that hold the right numbers in the wrong places: each suspicion names its undoing.

"The claim is T(truth)" is tested by undoing T: if ⟨T⁻¹ claim, u⟩ equals the measured slope in every
independent probe, to their bars, nothing else is likely. That needs no new evaluation and works
for any size.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .._words import causes
from .._words.reason import Reason
from .evidence import Numbers, Probed, tightness

Repair = Callable[[Numbers], Numbers]
Done = dict[str, Any]  # what was done to the truth: how, along which dimensions, by how much
_NOWHERE: Done = {"axes": (), "order": (), "by": 0}
_FARTHEST = 32  # so far are shifts looked for
_FEWEST = 3
_MOST_DIMENSIONS = 4  # of which all orders are tried


def misplaced(evidence: Sequence[Probed]) -> Reason | None:
    """Name what was done to the truth, if undoing it explains every probe."""
    gradients = [one.gradient for one in evidence if one.gradient is not None]
    if len(gradients) < len(evidence):
        return None
    if min(np.count_nonzero(gradient) for gradient in gradients) < _FEWEST:
        return None  # of so few numbers any other place is a shift
    for done, repair in _repairs(gradients[0]):
        if all(
            one.holds_for(repair(gradient))
            for one, gradient in zip(evidence, gradients, strict=True)
        ):
            return causes.MISPLACED(**{**_NOWHERE, **done}, **tightness(evidence))
    return None


def _repairs(gradient: Numbers) -> Iterator[tuple[Done, Repair]]:
    """Yield what may have been done to the truth, with its undoing, the likeliest first."""
    if np.iscomplexobj(gradient):
        yield {"how": "conjugate"}, np.conj
        yield {"how": "minus_conjugate"}, lambda g: -np.conj(g)
        yield {"how": "times_i"}, lambda g: g / 1j
        yield {"how": "times_minus_i"}, lambda g: g * 1j
    yield from _transpositions(gradient.shape)
    yield from _reversals(gradient.shape)
    for axis, size in enumerate(gradient.shape):
        yield from _shifts(axis, size, gradient.ndim)


def _transpositions(shape: tuple[int, ...]) -> Iterator[tuple[Done, Repair]]:
    """Yield every order of the dimensions: the last two swapped first, then any others."""
    dimensions = len(shape)
    if dimensions < 2:
        return
    *front, before_last, last = range(dimensions)
    swapped = (*front, last, before_last)
    yield {"how": "transpose"}, _undo_order(shape, swapped)
    if dimensions > _MOST_DIMENSIONS:
        return
    for order in itertools.permutations(range(dimensions)):
        if order not in (swapped, tuple(range(dimensions))):
            yield {"how": "order", "order": order}, _undo_order(shape, order)


def _undo_order(shape: tuple[int, ...], order: tuple[int, ...]) -> Repair:
    """Return what undoes a transposition whose result was stored in the leaf's own shape."""
    stored = tuple(shape[axis] for axis in order)
    back = np.argsort(order)
    return lambda g: g.reshape(stored).transpose(back)


def _reversals(shape: tuple[int, ...]) -> Iterator[tuple[Done, Repair]]:
    reverse: Callable[..., Numbers] = np.flip
    axes = [axis for axis, size in enumerate(shape) if size > 1]
    for axis in axes:
        along = (axis,) if len(shape) > 1 else ()
        yield {"how": "reversed", "axes": along}, functools.partial(reverse, axis=axis)
    if len(shape) > 2 and axes[-2:] == [len(shape) - 2, len(shape) - 1]:
        last_two = {"how": "reversed", "axes": "the last two dimensions"}
        yield last_two, functools.partial(reverse, axis=(-2, -1))
    if len(axes) > 1:
        yield {"how": "reversed", "axes": "every dimension"}, reverse


def _shifts(axis: int, size: int, dimensions: int) -> Iterator[tuple[Done, Repair]]:
    roll: Callable[..., Numbers] = np.roll
    along = (axis,) if dimensions > 1 else ()
    for distance in range(1, min(size // 2, _FARTHEST) + 1):
        for shift in (distance, -distance):
            if shift < 0 and 2 * distance == size:
                continue  # the same as the other way round
            how = "later" if shift > 0 else "earlier"
            done = {"how": how, "axes": along, "by": distance}
            yield done, functools.partial(roll, shift=-shift, axis=axis)


def unflipped(evidence: Sequence[Probed]) -> Reason | None:
    """Recognise a convolution's backward that uses its kernel the way the forward does."""
    if not all(one.mirrored is not None and one.holds_for(one.mirrored) for one in evidence):
        return None
    return causes.UNFLIPPED(**tightness(evidence))
