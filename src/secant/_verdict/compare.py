"""Hold a residual against its bar.

With r = |claimed − measured|, b the bar and s = ‖claim ∘ u‖ (the size of the terms, not of their
sum):  FAIL if r > κ b + rtol s + atol;  PASS if not, and b is narrow enough to judge by;
INCONCLUSIVE otherwise: a weak measurement never blames the gradient.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace

from .._findings import Verdict
from .._measure.difference import Reading
from .._measure.steps import COARSE
from .._settings import Settings

KAPPA = 1.5  # bars hold 99.9 % of errors; a second probe must agree before anything is blamed
# The smallest wrong entry shows in a probe as u·v ≥ 1/4 of itself.
LEAST_WEIGHT = 0.25
# A claim is itself computed: allow roundings of its own dtype, and constants that were written down
# in single precision (torch's hardsigmoid has one, 3e-8 off).
_OWN_ROUNDINGS = 256.0
_MOST_OWN = 2.0**-8
_APPROXIMATION = 2.0**-23
# A formula that is written for a coarser dtype need be no better than a few of its roundings.
_USED = 2.0
# At a step of ε^(1/3) the expected bar is about ε^(2/3) of the gradient's size; one up to this many
# times as wide, or ten times what is forgiven anyway, is not worth another evaluation.
_COMFORT = 16.0
_COMFORT_AT_MOST = 2.0**-8
# A gradient that is zero has no size to compare a bar with: outputs of size F on a leaf of scale X
# give a bar of about ε^(2/3) F/X at the first step, and that must do. Only where the claim itself
# is negligible against F/X; a slope that drowns in an offset is not zero, it is unknown.
_NOMINAL = 8.0
_NEGLIGIBLE = 1e-9
_NEGLIGIBLE_ROUNDINGS = 64.0
_WEAK = 1e-2
_LENIENT = 1e-4
_BLURRED = 2.0
# In double precision sums are screened by far less than entries are forgiven: a single wrong entry
# among many would hide in what all of them together may be off by.
_SCREENING = 2.0**-33
_FINE = 2.0**-40
_SCREENED = 1 / 16  # of atol: together with the bar less than the quarter of it that must show
_CANCELLING = 8.0
_SLIGHT = 1e-2  # of the terms: what the branch of an inexact function may differ by from its trend
MEANINGFUL = 0.1  # of the gradient's size: no promise that is coarser is worth a PASS
_LOST = 2.0**10  # roundings of F/X that a claim which should be zero may be off by


@dataclass(frozen=True, slots=True)
class Tolerance:
    """What is forgiven, and how narrow a bar must be."""

    rtol: float
    atol: float
    comfortable: float  # a bar of this share of the gradient's size ends the search
    forgiven: tuple[float, float] = (0.0, 0.0)  # rtol, atol that entries are acquitted by later
    automatic: float = 0.0  # the rtol that the dtype makes sensible, whatever the user says

    def limit(self, error: float, terms: float) -> float:
        """Return the residual above which a claim is wrong."""
        return KAPPA * error + self.rtol * terms + self.atol

    def resolution(self, error: float, terms: float) -> float:
        """Return the smallest single wrong entry that cannot hide: r ≥ δ/4 − b must exceed it.

        What is forgiven to an entry comes on top; it is at most four times the terms that it is
        part of.
        """
        rtol, atol = self.forgiven
        return (self.limit(error, terms) + error + rtol * terms) / LEAST_WEIGHT + atol


def tolerance_for(settings: Settings, roundoff: float, used: float = 0.0) -> Tolerance:
    """Return what the user set, or what the dtype makes sensible.

    `used` is the round-off that the function is written for, where it is judged in a finer dtype.
    """
    return _tolerance(settings.rtol, settings.atol, roundoff, used)


def screening_for(settings: Settings, roundoff: float, used: float = 0.0) -> Tolerance:
    """Return what sums over many entries are held against.

    What the user forgives is forgiven to single entries, however many there are. A sum that obeys
    a far smaller tolerance acquits all its entries; one that does not is looked at entry by entry.
    """
    return _screening(settings.rtol, settings.atol, roundoff, used)


@functools.lru_cache(maxsize=64)
def _screening(rtol: float | None, atol: float | None, roundoff: float, used: float) -> Tolerance:
    entries = _tolerance(rtol, atol, roundoff, used)
    own = _tolerance(None, None, roundoff, used)
    return replace(
        entries,
        rtol=min(entries.rtol, _SCREENING if roundoff <= _FINE else own.rtol),
        atol=entries.atol * _SCREENED,
        forgiven=(entries.rtol, entries.atol),
    )


@functools.lru_cache(maxsize=64)
def _tolerance(rtol: float | None, atol: float | None, roundoff: float, used: float) -> Tolerance:
    own = max(_APPROXIMATION, min(_OWN_ROUNDINGS * roundoff, _MOST_OWN), _USED * used)
    comfortable = min(max(10 * own, _COMFORT * roundoff ** (2 / 3)), _COMFORT_AT_MOST)
    return Tolerance(
        own if rtol is None else rtol,
        0.0 if atol is None else atol,
        own if roundoff > COARSE else comfortable,
        automatic=own,
    )


def negligible(roundoff: float) -> float:
    """Return the share of F/X below which a claimed slope is zero, as far as its rounding goes."""
    return min(_NEGLIGIBLE, _NEGLIGIBLE_ROUNDINGS * roundoff)


@dataclass(frozen=True, slots=True)
class Yardstick:
    """What one pair of leaves is measured by."""

    terms: float  # s = ‖claim ∘ u‖
    size: float  # F/X, outputs by scale of the leaf: what slopes may be expected to be
    roundoff: float
    tolerance: Tolerance
    is_absent: bool = False  # no claim at all, which is not the claim of zero
    norm: float | None = None  # ‖claim ∘ u‖, where terms that add up are taken for their sum

    def is_weak(self, reading: Reading) -> bool:
        """Say whether one sum may agree with a wrong claim by luck: more probes are wanted."""
        return reading.residual.error > _WEAK * self.terms and not self._claims_nothing()

    def wants_more(self, reading: Reading) -> bool:
        """Say whether averaging is worth its price: a coarse dtype, a bar that blurs, a slope."""
        error = reading.residual.error
        is_blurred = self.tolerance.rtol * reading.slope < 2 * error < 2 * reading.slope
        return self.roundoff > COARSE and is_blurred

    def is_lenient(self, reading: Reading) -> bool:
        """Say whether so much is forgiven that a constant factor may hide in a random sum."""
        free = max(self.tolerance.rtol * self.terms, reading.residual.error)
        return free > _LENIENT * self.terms and not self._claims_nothing()

    def _claims_nothing(self) -> bool:
        return self.terms <= negligible(self.roundoff) * self.size

    def is_comfortable(self, reading: Reading) -> bool:
        """Say whether a narrower bar is not worth another evaluation.

        By the measured slopes alone: a claim that is far too large must not make a bar look narrow.
        """
        return self._is_within(self.tolerance.comfortable * reading.slope, reading)

    def _is_within(self, width: float, reading: Reading) -> bool:
        """Say whether the bar is within a width, or as narrow as a zero gradient allows.

        Where zero is claimed and no output moved at all, the modelled noise does not matter.
        """
        if self._claims_nothing():
            if reading.slope == 0.0:
                return math.isfinite(reading.residual.error)
            if reading.slope > reading.residual.error:
                return False  # something moves that is claimed not to
            width = max(width, _NOMINAL * self.roundoff ** (2 / 3) * self.size)
        return reading.residual.error <= max(width, self.tolerance.atol) < math.inf

    def is_fine(self, reading: Reading) -> bool:
        """Say whether the residual is within its plain bar: no reason to look closer."""
        error = reading.residual.error
        terms = self.forgiven_terms(reading)
        slack = error + self.tolerance.rtol * terms + self.tolerance.atol
        is_within = abs(reading.residual.value) <= slack and self.is_comfortable(reading)
        return is_within and self.is_meaningful(reading)

    def is_fine_for(self, reading: Reading) -> bool:
        """Say whether a reading to which other leaves contributed is fine for this one alone.

        The measured slope is then not this leaf's own: its claim's size must do as well.
        """
        own = replace(reading, slope=min(reading.slope, self.terms))
        return self.is_fine(reading) and self._is_within(
            self.tolerance.comfortable * own.slope, own
        )

    def judge(self, reading: Reading) -> Verdict:
        """Return the verdict on one reading."""
        if not math.isfinite(reading.residual.value):
            return Verdict.INCONCLUSIVE
        if abs(reading.residual.value) > self.limit(reading):
            return Verdict.INCONCLUSIVE if self._is_lost(reading) else Verdict.FAIL
        return Verdict.PASS if self.is_meaningful(reading) else Verdict.INCONCLUSIVE

    def is_slight(self, reading: Reading) -> bool:
        """Say whether a residual is so small that the function's own inexactness may explain it."""
        return abs(reading.residual.value) <= _SLIGHT * max(self.terms, reading.slope)

    def is_meaningful(self, reading: Reading) -> bool:
        """Say whether an error of a tenth of the gradient's size would have shown.

        What the user forgives is not counted.
        """
        is_nothing = self._claims_nothing()  # then there is no size to compare with but F/X
        if is_nothing and not self._is_within(0.0, reading):
            return False
        rtol, atol = self.tolerance.forgiven
        if rtol > self.tolerance.automatic or atol:  # the user has said what must show
            free = rtol * max(self.terms, reading.slope) + max(atol, self.tolerance.atol)
            if reading.residual.error <= free:
                return True
        if is_nothing and reading.slope == 0.0:
            return True
        own = replace(self.tolerance, rtol=self.tolerance.automatic, atol=0.0, forgiven=(0.0, 0.0))
        promise = replace(self, tolerance=own).resolution(reading)
        claimed = self.terms if self.norm is None else self.norm
        return promise <= MEANINGFUL * (self.size if is_nothing else claimed)

    def limit(self, reading: Reading) -> float:
        """Return the residual above which a claim is wrong."""
        return self.tolerance.limit(reading.residual.error, self.forgiven_terms(reading))

    def forgiven_terms(self, reading: Reading) -> float:
        """Return the size that forgiveness is relative to: of the claim, as far as it is measured.

        A sum may cancel by luck, so that it is taken for several times what it is.
        """
        return min(self.terms, _CANCELLING * (reading.slope + reading.residual.error))

    def _is_lost(self, reading: Reading) -> bool:
        """Say whether claim and slope are both what rounding of the outputs may amount to.

        Where nothing moves at all, outputs of 0 may still be the difference of two numbers near 1.
        """
        if reading.slope == 0 and self.terms <= self.roundoff:
            return True
        is_unresolved = reading.slope <= reading.residual.error
        return is_unresolved and self.terms <= self._lost * self.size

    @property
    def _lost(self) -> float:
        return min(_LOST * self.roundoff, _MOST_OWN)

    def resolution(self, reading: Reading) -> float:
        """Return the promise this reading makes; below double precision another may be blurred."""
        promise = self.tolerance.resolution(reading.residual.error, self.forgiven_terms(reading))
        if self._claims_nothing():  # a claim as small as rounding is lost in it
            promise = max(promise, 2 * self._lost * self.size / LEAST_WEIGHT)
        return promise * self._blur

    @property
    def _blur(self) -> float:
        return _BLURRED if self.roundoff > _FINE else 1.0
