"""From a verdict to an exception: what reports and comparisons raise unless they pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._errors import GradientInconclusive, GradientMismatch
from .._findings import Verdict

if TYPE_CHECKING:
    from .comparison import Comparison
    from .localisation import Localisation
    from .model import Report


def raise_for(report: Report | Comparison | Localisation) -> None:
    """Raise unless the verdict is PASS; the exception carries the report, and shows it."""
    if report.verdict is Verdict.FAIL:
        raise GradientMismatch(f"\n{report}", report)
    if report.verdict is Verdict.INCONCLUSIVE:
        raise GradientInconclusive(f"\n{report}", report)
