"""What a residual is held against: how far off a claim may be, and what its reading promises.

With r = |claimed − measured|, b the bar and s = ‖claim ∘ u‖ (the size of the terms, not of their
sum), a claim is outside its bar if r > κ b + rtol s + atol.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace

from .._constants import (
    APPROXIMATION,
    CLEARLY,
    COARSE,
    COVERAGE,
    FINE,
    HALF,
    KAPPA,
    LEAST_WEIGHT,
    MEANINGFUL,
    OWN_ROUNDINGS,
    SCREENING,
    SLIGHT,
    SPREADS,
)
from .._measure.difference import Reading
from .._measure.noise import expected_bar
from .._records import quickly_made
from .._settings import Settings


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

    def resolution(
        self, error: float, measured: float, terms: float, weight: float = LEAST_WEIGHT
    ) -> float:
        """Return the smallest single wrong entry δ that cannot hide.

        It shows in the sum, r ≥ w δ − b with w = 1/4, where that exceeds the limit; then it is
        looked at by itself, and is forgiven a share of the entry, which is at most 1/w times the
        terms that it is part of, however much of them cancels in the sum.
        """
        rtol, atol = self.forgiven
        in_sum = ((KAPPA + 1) * error + self.rtol * measured + self.atol) / weight
        return max(in_sum, rtol * terms / weight + atol)


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
        rtol=min(entries.rtol, SCREENING if roundoff <= FINE else own.rtol),
        atol=entries.atol * LEAST_WEIGHT**2,
        forgiven=(entries.rtol, entries.atol),
    )


@functools.lru_cache(maxsize=64)
def _tolerance(rtol: float | None, atol: float | None, roundoff: float, used: float) -> Tolerance:
    own = max(APPROXIMATION, min(OWN_ROUNDINGS * max(roundoff, used), HALF))
    comfortable = min(max(10 * own, SPREADS * expected_bar(roundoff)), HALF)
    return Tolerance(
        own if rtol is None else rtol,
        0.0 if atol is None else atol,
        own if roundoff > COARSE else comfortable,
        automatic=own,
    )


@functools.lru_cache(maxsize=64)
def _automatic(rtol: float, forgiven: float) -> Tolerance:
    return Tolerance(rtol, 0.0, 0.0, (min(forgiven, rtol), 0.0))


@functools.lru_cache(maxsize=64)
def negligible(roundoff: float) -> float:
    """Return the share of F/X below which a claimed slope is zero, as far as its rounding goes.

    In fewer digits than double precision's too: what is larger claims something, though these
    digits cannot show it, and a bar that is relative to F/X would acquit whatever is claimed.
    """
    return OWN_ROUNDINGS * min(roundoff, FINE)


@quickly_made
@dataclass(frozen=True, slots=True)
class Yardstick:
    """What one pair of leaves is measured by."""

    terms: float  # s = ‖claim ∘ u‖
    size: float  # F/X, outputs by scale of the leaf: what slopes may be expected to be
    roundoff: float
    tolerance: Tolerance
    is_absent: bool = False  # no claim at all, which is not the claim of zero
    norm: float | None = None  # ‖claim ∘ u‖, where terms that add up are taken for their sum
    weight: float = LEAST_WEIGHT  # by which the least entry shows: 1 where one is asked alone

    def is_weak(self, reading: Reading) -> bool:
        """Say whether one sum may agree with a wrong claim by luck: more probes are wanted."""
        return reading.residual.error > SLIGHT * self.terms and not self.claims_nothing

    def wants_more(self, reading: Reading) -> bool:
        """Say whether averaging is worth its price: a coarse dtype, a bar that blurs, a slope."""
        error = reading.residual.error
        is_blurred = self.tolerance.rtol * reading.slope < 2 * error < 2 * reading.slope
        return self.roundoff > COARSE and is_blurred

    def is_lenient(self, reading: Reading, claimed: float) -> bool:
        """Say whether so much is forgiven that a constant factor may hide in what was claimed.

        None does where all that is claimed is less than what is forgiven to an entry.
        """
        free = max(self.tolerance.rtol * self.terms, reading.residual.error)
        if free <= MEANINGFUL * SLIGHT * abs(claimed) or self.terms <= self.tolerance.forgiven[1]:
            return False
        return not self.claims_nothing

    def is_beyond_blame(self, reading: Reading, claimed: float) -> bool:
        """Say whether no narrower bar could blame terms that add up.

        The residual itself is forgiven, and the bar is too narrow for a constant factor to hide in.
        """
        forgiven = self.tolerance.limit(0.0, self.forgiven_terms(reading))
        is_told = reading.residual.error <= MEANINGFUL * SLIGHT * abs(claimed)
        return is_told and abs(reading.residual.value) <= forgiven

    @property
    def claims_nothing(self) -> bool:
        """Say whether the claim is zero, as far as its rounding goes."""
        return self.terms <= negligible(self.roundoff) * self.size

    @property
    def claims_stillness(self) -> bool:
        """Say whether the claim is zero to the last bit, and is one."""
        return not (self.terms or self.is_absent)

    def is_comfortable(self, reading: Reading) -> bool:
        """Say whether a narrower bar is not worth another evaluation.

        By the measured slopes alone: a claim that is far too large must not make a bar look narrow.
        """
        return self._is_within(self.tolerance.comfortable * reading.slope, reading)

    def stands_out(self, reading: Reading) -> bool:
        """Say whether a slope is measured as sharply as a claim would need it to be."""
        return 0.0 < reading.residual.error <= self.tolerance.comfortable * reading.slope

    def _is_within(self, width: float, reading: Reading) -> bool:
        """Say whether the bar is within a width, or as narrow as a zero gradient allows.

        Where zero is claimed and no output moved at all, the modelled noise does not matter.
        """
        if self.claims_nothing:
            if reading.slope == 0.0:
                return math.isfinite(reading.residual.error)
            if reading.slope > reading.residual.error:
                return False  # something moves that is claimed not to
            width = max(width, COVERAGE * expected_bar(self.roundoff) * self.size)
        return reading.residual.error <= max(width, self.tolerance.atol) < math.inf

    def is_fine(self, reading: Reading) -> bool:
        """Say whether the residual is within its plain bar, and that narrow: it passes."""
        terms = self.forgiven_terms(reading)
        slack = reading.residual.error + self.tolerance.rtol * terms + self.tolerance.atol
        is_close = abs(reading.residual.value) <= slack and self.is_comfortable(reading)
        return is_close and self.is_meaningful(reading)

    def is_fine_for(self, reading: Reading) -> bool:
        """Say whether a reading to which other leaves contributed is fine for this one alone.

        The measured slope is then not this leaf's own: its claim's size must do as well.
        """
        if self.terms < reading.slope:
            own = Reading(reading.residual, self.terms, reading.step)
            if not self._is_within(self.tolerance.comfortable * self.terms, own):
                return False
        return self.is_fine(reading)

    def is_slight(self, reading: Reading) -> bool:
        """Say whether a residual is so small that the function's own inexactness may explain it."""
        return abs(reading.residual.value) <= SLIGHT * max(self.terms, reading.slope)

    def is_meaningful(self, reading: Reading) -> bool:
        """Say whether an error of a tenth of the gradient's size would have shown.

        What the user forgives is not counted.
        """
        is_nothing = self.claims_nothing  # then there is no size to compare with but F/X
        if is_nothing and not self._is_within(0.0, reading):
            return False
        rtol, atol = self.tolerance.forgiven
        if rtol > self.tolerance.automatic or atol:  # the user has said what must show
            free = rtol * max(self.terms, reading.slope) + max(atol, self.tolerance.atol)
            if reading.residual.error <= free:
                return True
        if is_nothing and reading.slope == 0.0:
            return True
        promise = self.resolution(reading, _automatic(self.tolerance.automatic, rtol))
        claimed = self.terms if self.norm is None else self.norm
        is_fine = promise <= MEANINGFUL * (self.size if is_nothing else claimed)
        return is_fine and math.isfinite(promise)  # slopes may be too large to square

    def limit(self, reading: Reading) -> float:
        """Return the residual above which a claim is wrong."""
        return self.tolerance.limit(reading.residual.error, self.forgiven_terms(reading))

    def forgiven_terms(self, reading: Reading) -> float:
        """Return the size that forgiveness is relative to: of the claim, as far as it is measured.

        A sum may cancel by luck, so that it is taken for several times what it is.
        """
        return min(self.terms, CLEARLY * (reading.slope + reading.residual.error))

    def is_lost(self, reading: Reading) -> bool:
        """Say whether claim and slope are both what rounding of the outputs may amount to.

        Where nothing moves at all, outputs of 0 may still be the difference of two numbers near 1.
        """
        if reading.slope == 0 and self.terms <= self.roundoff:
            return True
        is_unresolved = reading.slope <= reading.residual.error
        return is_unresolved and self.terms <= self._lost * self.size

    @property
    def _lost(self) -> float:
        return min(OWN_ROUNDINGS * self.roundoff, HALF)

    def resolution(self, reading: Reading, tolerance: Tolerance | None = None) -> float:
        """Return the promise this reading makes.

        What is forgiven is the yardstick's own, unless another tolerance is given.
        """
        measured = self.forgiven_terms(reading)
        forgiving = self.tolerance if tolerance is None else tolerance
        error, weight = reading.residual.error, self.weight
        promise = forgiving.resolution(error, measured, self.terms, weight)
        if self.claims_nothing:  # a claim as small as rounding is lost in it
            promise = max(promise, 2 * self._lost * self.size / weight)
        return promise
