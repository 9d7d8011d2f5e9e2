"""Which checks of a test were meant to go wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from .tally import CheckOutcome


def wanted(
    kept: Sequence[CheckOutcome], report: pytest.TestReport, error: BaseException | None
) -> list[CheckOutcome]:
    """Return what was kept, and what a test expected to go wrong as expected.

    That is whatever went wrong in a test that passes or was to fail, as inside `pytest.raises`, and
    in one that ends with another check's verdict.
    """
    if report.passed or hasattr(report, "wasxfail"):
        return [one.expected() for one in kept]
    decided = getattr(error, "report", None)
    if decided is None or not any(_is_of(one, decided) for one in kept):
        return list(kept)
    return [one if _is_of(one, decided) else one.expected() for one in kept]


def _is_of(kept: CheckOutcome, decided: Any) -> bool:
    """Say whether a verdict is that of a check, whose command to run again may be another."""
    return kept.cost is not None and kept.cost is getattr(decided, "cost", None)
