"""Why a claim is wrong: each suspicion names a repair, and the repair is tried on the evidence.

A suspicion "the claim is T(truth)" is tested by undoing T: if ⟨T⁻¹ claim, u⟩ equals the measured
slope in every independent probe, to their bars, nothing else is likely. That needs no new
evaluation and works for any size. Silence is an answer: where no repair fits, no cause is named.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from .._measure.estimate import Estimate

Numbers = np.ndarray[Any, Any]
_SLACK = 1e-6
_LONG = 8  # entries along which a border is a place of its own
_BLURRED = 0.1  # bars above this share of the measured slope tell no factor
_SHARP = 1e-2  # and above this one no pattern
_NOTHING = 1e-3  # a measured slope below this share of the claim is none


@dataclass(frozen=True, slots=True)
class Evidence:
    """One probe of a failing pair: what was claimed, what was measured, and along what.

    Gradient and direction are arrays of the leaf's own shape, complex if the leaf is; reverse mode
    knows them, forward mode does not.
    """

    claimed: float
    measured: Estimate
    gradient: Numbers | None = None
    direction: Numbers | None = None
    conjugated: Numbers | None = None  # conj(pull(conj v)), the claim without its conjugate

    def holds(self, claimed: float, terms: float) -> bool:
        """Say whether this claim, a sum of terms of that size, would explain the measurement."""
        return abs(claimed - self.measured.value) <= 3 * self.measured.error + _SLACK * terms

    def holds_for(self, gradient: Numbers) -> bool:
        """Say whether this gradient would explain the measurement."""
        terms = np.real(np.conj(gradient) * self.direction)
        return self.holds(float(terms.sum()), float(np.linalg.norm(terms)))


def diagnose(evidence: Sequence[Evidence], repeats: float = 1.0) -> str | None:
    """Return the likely cause in one sentence, or None where the pattern is unclear.

    `repeats` is how many outputs there are for each input: a broadcast's count.
    """
    if not evidence:
        return None
    if all(one.claimed == 0 for one in evidence):
        return "claimed = 0 everywhere: the dependence is cut (a detach, or a missing gradient)"
    if all(
        abs(one.measured.value) <= one.measured.error < _NOTHING * abs(one.claimed)
        for one in evidence
    ):
        return (
            "the function does not move at all, yet a slope is claimed: a straight-through "
            "estimator, or a gradient for an input that is not used"
        )
    factor = _constant_factor(evidence, repeats)
    if factor is not None:
        return factor
    if any(one.measured.error > _SHARP * abs(one.measured.value) for one in evidence):
        return None  # bars that wide let any repair fit
    if all(one.conjugated is not None and one.holds_for(one.conjugated) for one in evidence):
        return "claimed = conj(J)ᵀ v where Jᵀ v is due: a conjugate is missing (or one too many)"
    gradients = [one.gradient for one in evidence if one.gradient is not None]
    if len(gradients) == len(evidence):
        for name, repair in _repairs(gradients[0]):
            if all(
                one.holds_for(repair(gradient))
                for one, gradient in zip(evidence, gradients, strict=True)
            ):
                return name
    return None


def _constant_factor(evidence: Sequence[Evidence], repeats: float) -> str | None:
    ratios = [one.claimed / one.measured.value for one in evidence if one.measured.value]
    factor = float(np.median(ratios)) if len(ratios) == len(evidence) else 0.0
    if not factor or not np.isfinite(factor):
        return None
    blur = max(one.measured.error / abs(one.measured.value) for one in evidence)
    if blur > _BLURRED:
        return None
    if not all(one.holds(one.claimed / factor, abs(one.claimed / factor)) for one in evidence):
        return None
    if abs(factor + 1) < max(_SLACK, 3 * blur):
        return "claimed = −1 × measured in every probe: the sign is wrong"
    sentence = (
        f"claimed = {_spell(factor, blur)} × measured in every probe: a constant factor is wrong"
    )
    gradient = evidence[0].gradient
    return sentence if gradient is None else sentence + _broadcast_hint(factor, gradient, repeats)


def _broadcast_hint(factor: float, gradient: Numbers, repeats: float) -> str:
    """A factor of 1/N or N with N a size of the leaf smells of a mean, or of a sum left out."""
    counts = [*gradient.shape, gradient.size]
    if repeats == int(repeats):
        counts.append(int(repeats))
    sizes = {size for size in counts if size > 1}
    for size in sorted(sizes):
        if abs(factor * size - 1) < _SLACK or abs(factor / size - 1) < _SLACK:
            return (
                f" ({size} is the size of a dimension or of the whole: a mean for a sum, "
                "or the reverse)"
            )
    return ""


def _spell(factor: float, blur: float) -> str:
    """Spell a number as a short decimal, or as a fraction where that is shorter."""
    digits = min(6, max(2, int(-math.log10(max(blur, 1e-15)))))
    decimal = f"{factor:.{digits}g}"
    short = Fraction(factor).limit_denominator(64)
    is_fraction = abs(float(short) - factor) <= _SLACK * abs(factor) and short.denominator > 1
    return str(short) if is_fraction and len(str(short)) < len(decimal) - 2 else decimal


def _repairs(gradient: Numbers) -> Iterator[tuple[str, Callable[[Numbers], Numbers]]]:
    """Yield what may have been done to the truth, with its undoing."""
    reverse: Callable[..., Numbers] = np.flip
    roll: Callable[..., Numbers] = np.roll
    if np.iscomplexobj(gradient):
        yield "a conjugate is missing: the claim is the conjugate of the truth", np.conj
        yield "the claim is −conj(truth): conjugate and sign are wrong", lambda g: -np.conj(g)
        yield "the claim is off by a factor i", lambda g: g / 1j
        yield "the claim is off by a factor −i", lambda g: g * 1j
    if gradient.ndim >= 2:
        *front, rows, columns = gradient.shape
        shape = (*front, columns, rows)
        yield (
            "the claim is the transpose of the truth in the last two dimensions",
            lambda g: np.swapaxes(g.reshape(shape), -1, -2),
        )
    for axis, size in enumerate(gradient.shape):
        if size < 2:
            continue
        of = f" along dimension {axis}" if gradient.ndim > 1 else ""
        yield f"the claim is reversed{of}", functools.partial(reverse, axis=axis)
        for shift in (1, -1, 2, -2):
            how = "later" if shift > 0 else "earlier"
            yield (
                f"the claim is shifted{of}: every entry stands {abs(shift)} {how} than it should",
                functools.partial(roll, shift=-shift, axis=axis),
            )
    if gradient.ndim >= 2:
        yield "the claim is reversed along every dimension", reverse


def diagnose_matrix(claimed: Numbers, measured: Numbers, error: Numbers) -> str | None:
    """Return the likely cause from a whole Jacobian, (outputs, inputs), or None."""
    if not np.isfinite(measured).all() or not np.isfinite(claimed).all():
        return None
    scale = np.abs(measured).max(initial=0.0)
    bar = 3 * error + _SLACK * scale
    if float(np.median(bar)) > _SHARP * scale:
        return None  # bars that wide show no pattern
    wrong = np.abs(claimed - measured) > bar
    if not wrong.any():
        return (
            "every entry is right by itself, sums of them are not: the backward is not linear "
            "in grad_output"
        )
    region = _region(wrong)
    if region is not None:
        return region
    is_absent = wrong & (np.abs(claimed) <= bar) & (np.abs(measured) > bar)
    if (wrong == is_absent).all() and (~wrong & (np.abs(measured) > bar)).any():
        return (
            "claimed = 0 where the function moves, right elsewhere: a term is missing "
            "(a sum over a broadcast dimension, one output or one path)"
        )
    return _permutation(claimed, measured, bar)


def _permutation(claimed: Numbers, measured: Numbers, bar: Numbers) -> str | None:
    """Recognise columns that hold the right numbers in the wrong places."""
    limit = float(bar.max(initial=0.0))
    if limit > _SHARP * np.abs(measured).max(initial=0.0):
        return None
    if claimed.shape[1] < 2 or np.abs(np.sort(claimed, 1) - np.sort(measured, 1)).max() > limit:
        return None
    return "every row holds the right numbers in the wrong places: the claim is permuted"


def _region(wrong: Numbers) -> str | None:
    """Say where the wrong inputs lie, if they lie together."""
    columns = np.flatnonzero(wrong.any(axis=0))
    size = wrong.shape[1]
    if not 0 < columns.size < size or size < 3:
        return None
    first, last = int(columns[0]), int(columns[-1])
    if columns.size == last - first + 1 and last == size - 1 and columns.size > 1:
        return f"right up to flat index {first - 1}, wrong from index {first} on: a loop's bound"
    if size >= _LONG and columns.size <= 2 and set(columns.tolist()) <= {0, size - 1}:
        return "wrong at the border only: the first or last index is treated wrongly"
    return None
