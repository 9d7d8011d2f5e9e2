"""An estimate is a value with an error bar: the currency between measurement and verdict."""

from __future__ import annotations

from dataclasses import dataclass

from .._records import quickly_made


@quickly_made
@dataclass(frozen=True, slots=True)
class Estimate:
    """`value ± error`.

    The bar of a line's reading holds the true value in at least 99.9 % of measurements, which
    tests/measure/test_bars.py counts; single entries of the full probe in half precision do not
    reach that yet.
    """

    value: float
    error: float

    def __str__(self) -> str:
        return f"{self.value:.6g} ± {self.error:.1g}"

    def shifted(self, amount: float) -> Estimate:
        """Return the estimate of the same thing plus a known amount."""
        return Estimate(self.value + amount, self.error)
